import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseJson } from "../../../src/lib/json.ts";
import { TeamRecord } from "../../../src/protocol/team.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { occurrences, shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch } from "./scenes.ts";
import { type Hold, startTeamProcess } from "./team-process.ts";

const alice = { name: "alice", role: "coder", prompt: "Begin." };

/** Where in the end of a member its process is killed. */
const holds: Hold[] = [
  ["before", "system", "message"],
  ["after", "system", "message"],
  ["before", "system", "teammate_terminated"],
  ["after", "system", "teammate_terminated"],
];

test.each(holds)(
  "P07 a shutdown whose process is killed %s a %s %s is sent is completed at the next start, and reported once",
  async (...hold) => {
    await using wire = await killedInShutdown(hold);

    const team = await wire.open({ autoclaim: false });
    await team.prompt("Is she gone?");
    await team.message("bob", "Anything new?");
    await team.quiet();

    expect(await wire.statusOf("alice")).toBe("shutdown");
    expect((await wire.recordOf("alice"))?.ending).toBeUndefined();
    expect((await team.tasks())[0]).toMatchObject({ owner: null, status: "pending" });
    expect(occurrences(wire.shownTo("lead"), "alice is shut down:")).toBe(1);
    expect(occurrences(wire.shownTo("bob"), "Undelivered: 'alice'")).toBe(1);
    expect(wire.requestsOf("alice")).toHaveLength(2);
  },
);

test("control: if the disk does not record that a member is ending, its end is never completed", async () => {
  await using wire = await killedInShutdown(["before", "system", "message"]);
  const path = join(wire.teamDirectory, "config.json");
  const { members, ...team } = parseJson(await readFile(path, "utf8"), TeamRecord, path);
  const forgetful = members.map(({ ending: _, ...member }) => member);
  for (const name of ["config.json", "config.last-good.json"]) {
    await writeFile(
      join(wire.teamDirectory, name),
      JSON.stringify({ ...team, members: forgetful }),
    );
  }

  const reopened = await wire.open({ autoclaim: false });
  await reopened.prompt("Is she gone?");
  await reopened.quiet();

  expect(wire.shownTo("lead")).not.toContain("alice is shut down:");
  expect((await reopened.tasks())[0]).toMatchObject({ owner: "alice" });
});

/** A team whose process is killed while alice, who holds a task and has unread mail, is ended. */
async function killedInShutdown(hold: Hold): Promise<TeamOnWire> {
  const late = new Latch();
  const wire = await TeamOnWire.start({
    lead: [calls("shutdown_request", { teammate: "alice", force: true }), says("Noted.")],
    alice: [
      reply([
        calls("create_task", { subject: "Paint the fence" }),
        calls("claim_task", { task_id: "1" }),
      ]),
      after(late, says("Too late.")),
    ],
    bob: [calls("send_message", { to: "alice", content: "Unread." }), says("Sent."), says("Oh.")],
  });
  await using running = startTeamProcess(wire, hold);
  running.order({ type: "spawn", ...alice });
  await wire.requested("alice", 2);
  running.order({ type: "spawn", ...alice, name: "bob" });
  await running.said(({ type, member }) => type === "run-end" && member === "bob");
  running.order({ type: "message", to: "lead", content: "End alice." });
  await running.said(({ type }) => type === "holding");
  await running.kill();
  late.open();
  return wire;
}

test("P07 a shutdown request without an answer at a kill is asked once more, with its grace time", async () => {
  const late = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [calls("shutdown_request", { teammate: "alice" }), says("Noted.")],
    alice: [after(late, says("Too late.")), says("No answer.")],
  });
  {
    await using running = startTeamProcess(wire);
    running.order({ type: "spawn", ...alice });
    await wire.requested("alice", 1);
    running.order({ type: "message", to: "lead", content: "End alice." });
    await wire.requested("lead", 2);
  }
  late.open();

  const team = await wire.open({ shutdownGraceMs: 300 });
  const watched = new Watched(team);
  await watched.until(({ type, member, ...rest }) => {
    return (
      type === "member-change" &&
      member === "alice" &&
      "status" in rest &&
      rest.status === "shutdown"
    );
  });
  await team.quiet();

  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect(occurrences(await wire.stored("transcripts", "alice.jsonl"), '"shutdown_request"')).toBe(
    1,
  );
  expect(await team.openRequests()).toEqual([]);
});

test("P08 a lead that was killed in mid-run continues when its person writes, not before", async () => {
  const gate = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [after(gate, says("Too late.")), says("Both heard.")],
    alice: [says("")],
  });
  {
    await using running = startTeamProcess(wire);
    running.order({ type: "message", to: "lead", content: "The first word." });
    await wire.requested("lead", 1);
  }
  gate.open();

  const team = await wire.open();
  await team.spawn(alice);
  await team.quiet();
  expect(wire.requestsOf("lead")).toHaveLength(1);
  await team.prompt("The second word.");
  await team.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(2);
  expect(shownIn(wire.requestsOf("lead")[1])).toMatch(/The first word\..*The second word\./);
});
