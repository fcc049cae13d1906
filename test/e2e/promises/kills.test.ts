import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Team } from "../../../src/team/team.ts";
import { says } from "../../../src/testing/scripted-model.ts";
import { pixel } from "../../support/pixel.ts";
import { viewTeam } from "../../support/team.ts";
import { occurrences, TeamOnWire } from "../../support/team-on-wire.ts";
import { never } from "./scenes.ts";
import { type Hold, type Said, startTeamProcess } from "./team-process.ts";

const isOf = (type: string) => (line: Said) => line.type === type && line.member === "alice";
const isSent = (line: Said) => line.type === "message-sent" && line.to === "alice";

/** When the process is killed: as soon as a letter has been sent and it has said such a thing. */
const deaths = [isSent, isOf("message-delivered"), isOf("turn-start"), isOf("run-end")];

const letters = 6;

/**
 * A team whose process is killed in the midst of its mail, again and again. Resolves to the letters
 * whose sending had returned.
 */
async function livedDangerously(wire: TeamOnWire): Promise<string[]> {
  const sent: string[] = [];
  for (const [life, isDeath] of deaths.entries()) {
    // The prompt of the first life is sent before its letters.
    const sentBefore = life === 0 ? 1 : 0;
    await using running = startTeamProcess(wire);
    const texts = Array.from({ length: letters }, (_, index) => `Letter ${life}.${index}!`);
    const name = "alice";
    if (life === 0) running.order({ type: "spawn", name, role: "coder", prompt: "Begin." });
    for (const content of texts) running.order({ type: "message", to: name, content });
    await running.said(isSent, sentBefore + 1);
    await running.said(isDeath);
    await running.kill();
    const returned = running.heard(isSent) - sentBefore;
    sent.push(...texts.slice(0, returned));
  }
  return sent;
}

/** The letters that were not shown exactly once. */
function wrong(wire: TeamOnWire, sent: readonly string[]): string[] {
  return sent.filter((text) => occurrences(wire.shownTo("alice"), text) !== 1);
}

test("P01 sent mail is shown exactly once, however often everything is killed", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Fine.")] });
  const sent = await livedDangerously(wire);

  const team = await wire.open();
  await team.quiet();
  await team.message("alice", "The last letter.");
  await team.quiet();

  expect(sent.length).toBeGreaterThanOrEqual(deaths.length);
  expect(wrong(wire, [...sent, "The last letter."])).toEqual([]);
  expect(wire.server.refusals).toEqual([]);
});

test("control: a message that is in no transcript and no mailbox is detected", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Fine.")] });
  const [first, second] = ["The first letter.", "The second letter."];
  await ranUntilQuiet(wire, (team) =>
    team.spawn({ name: "alice", role: "coder", prompt: "Begin." }),
  );
  const shell = viewTeam(wire.root);
  await shell.send("alice", first);
  await shell.send("alice", second);
  await ranUntilQuiet(wire, async () => undefined);
  // From the transcript alone it would be given again.
  for (const folder of ["transcripts", "inbox"]) {
    const path = join(wire.teamDirectory, folder, "alice.jsonl");
    const lines = (await readFile(path, "utf8")).split("\n");
    await writeFile(path, lines.filter((line) => !line.includes(second)).join("\n"));
  }

  await ranUntilQuiet(wire, (team) => team.message("alice", "The last letter."));

  expect(wrong(wire, [first, second, "The last letter."])).toEqual([second]);
});

async function ranUntilQuiet(wire: TeamOnWire, act: (team: Team) => Promise<unknown>) {
  await using team = await wire.open();
  await act(team);
  await team.quiet();
}

test.each([
  ["sent", undefined],
  ["delivered", "message-delivered"],
  ["about to be sent to the model", "turn-start"],
])(
  "P08 an image is shown once, with its prompt, if everything is killed when it is %s",
  async (_, event) => {
    let isKilled = false;
    const answer = () => (isKilled ? says("A pixel.") : never());
    await using wire = await TeamOnWire.start({ lead: [answer] });
    const path = join(wire.root, "shot.png");
    await writeFile(path, Buffer.from(pixel.data, "base64"));
    const isIt = (line: Said) =>
      event === undefined ? line.type === "holding" : line.type === event && line.member === "lead";
    const hold: Hold | undefined = event === undefined ? ["after", "user", "message"] : undefined;
    await using running = startTeamProcess(wire, hold);
    running.order({ type: "message", to: "lead", content: "What is it?", images: [path] });
    await running.said(isIt);
    await running.kill();
    isKilled = true;
    await rm(path);

    const team = await wire.open();
    await team.prompt("Go on.");
    await team.quiet();

    expect(occurrences(wire.shownTo("lead"), "What is it?")).toBe(1);
    expect(occurrences(wire.shownTo("lead"), pixel.data)).toBe(1);
  },
);
