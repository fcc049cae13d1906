import { homedir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import { Team } from "../../../src/team/team.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { type MemberFigures, MemberOptions } from "../contract.ts";

const { directory, url, turns } = childOptions(MemberOptions);

serve(z.object({}), async (): Promise<MemberFigures> => {
  await using team = await Team.open({
    place: {
      directory: join(directory, ".team"),
      keyPlace: { keyFile: undefined, stateHome: join(directory, "state"), home: homedir() },
      clock: systemClock,
      processes: systemProcesses,
      onWarning: console.error,
    },
    env: {
      PATH: process.env.PATH,
      ANTHROPIC_API_KEY: "sk-of-a-benchmark",
      ANTHROPIC_BASE_URL: url,
    },
    cwd: directory,
    model: "anthropic/instant",
    maxTurns: turns + 1,
  });
  const memory: MemberFigures["memory"] = [];
  const events = team.events();
  await team.prompt("Go.");
  for await (const event of events) {
    if (event.type === "run-end") return { outcome: event.outcome, memory };
    if (event.type === "turn-end" && isLookedAt(event.turn)) {
      memory.push({ turn: event.turn, ...memoryNow() });
    }
  }
  return { outcome: "left", memory };
});

function isLookedAt(turn: number): boolean {
  return turn === 10 || turn === turns;
}

/** The heap after a garbage collection. */
function memoryNow() {
  const rssBytes = process.memoryUsage.rss();
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return { rssBytes, heapBytes: process.memoryUsage().heapUsed };
}
