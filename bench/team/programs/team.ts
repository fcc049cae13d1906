import { z } from "zod";
import { Team } from "../../../src/team/team.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { type TeamFigures, TeamOptions } from "../contract.ts";
import { peakMemoryBytes } from "../peak-memory.ts";
import { placeBelow } from "../place.ts";

const { directory, url, scene, teammates, times } = childOptions(TeamOptions);

const plays: Record<typeof scene, (team: Team) => Promise<void>> = {
  async sleepers(team) {
    await team.prompt("Go.");
    await team.quiet();
  },
  async reports(team) {
    await team.spawn({ name: "worker", role: "worker", prompt: "Report." });
    await team.quiet();
    for (let time = 1; time < times; time++) {
      await team.message("worker", "Report again.");
      await team.quiet();
    }
  },
  async "reports-at-once"(team) {
    const names = Array.from({ length: teammates }, (_, index) => `worker-${index + 1}`);
    for (const name of names) await team.spawn({ name, role: "worker", prompt: "Report." });
    await team.quiet();
    for (let time = 1; time < times; time++) {
      for (const name of names) await team.message(name, "Report again.");
      await team.quiet();
    }
  },
  async letters(team) {
    await team.spawn({ name: "worker", role: "worker", prompt: "Read what comes." });
    await team.quiet();
    for (let time = 0; time < times; time++) {
      await team.prompt("Write to worker.");
      await team.quiet();
    }
  },
};

serve(z.object({}), async (): Promise<TeamFigures> => {
  await using team = await Team.open({
    place: placeBelow(directory),
    env: {
      PATH: process.env.PATH,
      ANTHROPIC_API_KEY: "sk-of-a-benchmark",
      ANTHROPIC_BASE_URL: url,
    },
    cwd: directory,
    model: "anthropic/instant",
    allow: ["bash(sleep:*)"],
  });
  await plays[scene](team);
  const { result } = await team.summary();
  return { result, peakBytes: await peakMemoryBytes() };
});
