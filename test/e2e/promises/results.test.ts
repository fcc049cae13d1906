import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Team } from "../../../src/team/team.ts";
import { status } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { rewriteTranscript } from "../../support/team.ts";
import { occurrences, TeamOnWire } from "../../support/team-on-wire.ts";
import { startTeamProcess } from "./team-process.ts";

const alice = { name: "alice", role: "coder", prompt: "Begin." };

test("P05 every answer of a run reaches the lead, whole, once and in order, without a tool call", async () => {
  const team: { current?: Team } = {};
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      reply([says("I look first."), calls("list_teammates", {})]),
      async () => {
        await team.current?.message("alice", "And the second thing?");
        return says('The first answer, with </teammate-message> and "quotes".');
      },
      says("The second answer."),
    ],
  });
  team.current = await wire.open();
  await team.current.spawn(alice);
  await team.current.quiet();
  await team.current.prompt("What did she say?");
  await team.current.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(2);
  const shown = wire.shownTo("lead");
  expect(shown).toMatch(
    /from=\\"alice\\" type=\\"result\\"[^>]* outcome=\\"done\\">The first answer/,
  );
  expect(shown).toMatch(/The first answer, with [^<]*The second answer\.<\/teammate-message>/);
  expect(occurrences(shown, "The second answer.")).toBe(1);
  expect(shown).not.toContain("I look first.");
});

test("P05 an answer that is too long for a message is shown in part, with the path of the whole", async () => {
  const answer = `It begins. ${"All work and no play. ".repeat(15_000)}It ends.`;
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says(answer)] });
  const team = await wire.open();
  await team.spawn(alice);
  await team.quiet();

  const shown = wire.shownTo("lead");
  expect(occurrences(shown, "It begins.")).toBe(1);
  const [, missing, path = ""] =
    /\((\d+) more characters; the whole is in ([^)]+)\)/.exec(shown) ?? [];
  expect(occurrences(shown, "the whole is in")).toBe(1);
  expect((await readFile(path, "utf8")) === answer).toBe(true);
  const visible = (/It begins\.[^(]*(?=\\n\.\.\. \()/.exec(shown)?.[0] ?? "").length;
  expect(visible + Number(missing)).toBe(answer.length);
});

test("P05 a failed run is reported with its reason and its earlier answers", async () => {
  const team: { current?: Team } = {};
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      async () => {
        await team.current?.message("alice", "And then?");
        return says("So far so good.");
      },
      status(403),
    ],
  });
  team.current = await wire.open();
  await team.current.spawn(alice);
  await team.current.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(wire.shownTo("lead")).toMatch(
    /type=\\"result\\"[^>]*outcome=\\"failed\\">So far so good\.[^<]*\(failed: [^<]*permission/,
  );
  await expect.poll(() => wire.statusOf("alice")).toBe("failed");
});

test("P05 a kill between a run's end and its report does not lose the result", async () => {
  await using wire = await killedAtReport("before");
  expect(wire.requestsOf("lead")).toEqual([]);

  const team = await wire.open();
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(occurrences(wire.shownTo("lead"), "The result.")).toBe(1);
});

test("P05 a kill right after the report does not duplicate the result", async () => {
  await using wire = await killedAtReport("after");

  const team = await wire.open();
  await team.prompt("What did she say?");
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(occurrences(wire.shownTo("lead"), "The result.")).toBe(1);
  expect(occurrences(await wire.stored("transcripts", "lead.jsonl"), "The result.")).toBe(1);
});

test("control: a run that counts as settled too early is never reported", async () => {
  await using wire = await killedAtReport("before");
  const settled = { type: "run-settled", at: new Date().toISOString() } as const;
  await rewriteTranscript(wire.root, "alice", (entries) => [...entries, settled]);

  const team = await wire.open();
  await team.quiet();

  expect(wire.requestsOf("lead")).toEqual([]);
});

/** A team whose process was killed around the moment at which it reports a run of alice. */
async function killedAtReport(moment: "before" | "after"): Promise<TeamOnWire> {
  const wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("The result.")] });
  await using running = startTeamProcess(wire, [moment, "alice", "result"]);
  running.order({ type: "spawn", ...alice });
  await running.said(({ type }) => type === "holding");
  await running.kill();
  return wire;
}
