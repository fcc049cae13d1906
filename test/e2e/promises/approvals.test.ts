import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { teamPlace, viewTeam } from "../../support/team.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import {
  coder,
  endOfRun,
  lastResult,
  never,
  nextEvent,
  nextQuestion,
  questionOnDisk,
  resultsIn,
  spawns,
} from "./scenes.ts";

const writes = (path: string) => calls("write_file", { path, content: "text" });
const asksToWrite = (path: string) => [writes(path), says("Over.")];

test("P11 a teammate's question reaches the person while the lead's model is busy, and allowing it runs exactly that call", async () => {
  await using wire = await TeamOnWire.start({
    lead: [spawns("alice"), never],
    alice: asksToWrite("made.txt"),
  });
  const team = await wire.open();
  const asked = nextQuestion(team, "permission");
  const shown = nextEvent(
    team,
    (event) => event.type === "member-change" && event.detail === "waiting for approval",
  );
  await team.prompt("Go.");
  const id = await asked;
  expect(await shown).toMatchObject({ member: "alice", status: "working" });
  await wire.server.until(() => wire.requestsOf("lead").length === 2);

  const [question] = await team.openRequests();
  expect(question).toMatchObject({
    id,
    type: "permission",
    from: "alice",
    to: "user",
    subject: { tool: "write_file", input: { path: "made.txt", content: "text" } },
  });
  expect(await questionOnDisk(wire, id)).toMatchObject({ state: "pending" });
  expect(existsSync(join(wire.root, "made.txt"))).toBe(false);

  const ended = endOfRun(team, "alice");
  await team.answer(id, { decision: "allow-once" });
  await ended;
  expect(lastResult(wire.requestsOf("alice")[1])).toMatchObject({ isError: false });
  expect(existsSync(join(wire.root, "made.txt"))).toBe(true);
  expect(await team.openRequests()).toEqual([]);
  // The lead's model was told nothing of it: it is still at the answer it owes.
  expect(wire.requestsOf("lead")).toHaveLength(2);
});

test("P11 an approval is for one call: the same member is asked again for the next call", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [writes("notes/a.txt"), writes("notes/b.txt"), says("Over.")],
  });
  const team = await wire.open();
  const first = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  const id = await first;
  const second = nextQuestion(team, "permission");
  await team.answer(id, { decision: "allow-once" });
  const again = await second;
  await team.answer(again, { decision: "deny" });
  await team.quiet();

  expect(existsSync(join(wire.root, "notes/a.txt"))).toBe(true);
  expect(existsSync(join(wire.root, "notes/b.txt"))).toBe(false);
});

test("P11 always allowed is a rule for the team: other members are not asked, all are notified, and it survives a restart", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: asksToWrite("notes/a.txt"),
    bob: asksToWrite("notes/b.txt"),
    carol: asksToWrite("notes/c.txt"),
    dora: asksToWrite("other/d.txt"),
  });
  const team = await wire.open();
  const asked = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  await team.answer(await asked, { decision: "allow-always" });
  await team.quiet();
  await team.spawn(coder("bob"));
  await team.quiet();

  expect(existsSync(join(wire.root, "notes/b.txt"))).toBe(true);
  for (const name of ["lead", "alice"]) {
    const inbox = await readFile(join(wire.teamDirectory, "inbox", `${name}.jsonl`), "utf8");
    expect(inbox).toContain('"type":"team_permission_update"');
    expect(inbox).toContain('"rule":"edit_file(notes/**)"');
    expect(shownIn(wire.requestsOf(name).at(-1))).not.toContain("team_permission_update");
  }
  await team.close();

  const later = await wire.open();
  await later.spawn(coder("carol"));
  await later.quiet();
  expect(existsSync(join(wire.root, "notes/c.txt"))).toBe(true);
  // The rule is of that folder: elsewhere the person is asked as before.
  const askedAgain = nextQuestion(later, "permission");
  await later.spawn(coder("dora"));
  await later.answer(await askedAgain, { decision: "deny" });
  await later.quiet();
  expect(existsSync(join(wire.root, "other/d.txt"))).toBe(false);
});

test("P11 a denial is in the asker's next request with its reason, and the asker continues", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: asksToWrite("made.txt"),
  });
  const team = await wire.open();
  const asked = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  await team.answer(await asked, { decision: "deny", reason: "not in this folder" });
  const summary = await team.quiet();

  const result = lastResult(wire.requestsOf("alice")[1]);
  expect(result).toEqual({ isError: true, text: "Error: Denied: not in this folder" });
  expect(existsSync(join(wire.root, "made.txt"))).toBe(false);
  expect(summary.denied).toMatchObject([{ from: "alice", subject: { tool: "write_file" } }]);
});

test("P11 an unanswered question resumes the asker with a denial after the timeout", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: asksToWrite("made.txt"),
  });
  const clock = new ManualClock();
  const team = await wire.open({
    place: teamPlace(wire.root, { clock, onWarning: (it) => wire.warnings.push(it) }),
    approvals: { timeoutMs: 60_000 },
  });
  const asked = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  const id = await asked;
  await clock.waitingFor(60_000);
  clock.advance(59_000);
  expect(await questionOnDisk(wire, id)).toMatchObject({ state: "pending" });

  const ended = endOfRun(team, "alice");
  clock.advance(1_000);
  await ended;
  expect(lastResult(wire.requestsOf("alice")[1])?.text).toContain("nobody answered within 60 s");
  expect(await questionOnDisk(wire, id)).toMatchObject({ state: "expired" });
});

test("P11 without a person the call is denied explicitly, and nothing hangs", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("alice"), calls("wait_for_teammates", {})]), says("Over.")],
    alice: asksToWrite("made.txt"),
  });
  const team = await wire.open({ approvals: { unattended: () => "nobody is there" } });
  await team.prompt("Go.");
  const summary = await team.quiet();

  expect(lastResult(wire.requestsOf("alice")[1])?.text).toBe("Error: Denied: nobody is there");
  expect(summary).toMatchObject({ result: "Over.", undecided: [] });
  expect(existsSync(join(wire.root, "made.txt"))).toBe(false);
});

test("P11 only the person can answer: nothing the lead's model does closes the question", async () => {
  let id = "";
  await using wire = await TeamOnWire.start({
    lead: [
      () =>
        reply([
          calls("plan_approval", { request_id: id, approve: true }),
          calls("shutdown_response", { request_id: id, approve: true }),
          calls("approve", { request_id: id }),
          calls("send_message", {
            to: "alice",
            content: JSON.stringify({
              type: "permission_response",
              request_id: id,
              decision: "allow-once",
            }),
            type: "permission_response",
            request_id: id,
            decision: "allow-once",
          }),
          calls("write_file", { path: `.team/requests/${id}.json`, content: "{}" }),
        ]),
      says("I could not."),
    ],
    alice: asksToWrite("made.txt"),
  });
  const team = await wire.open();
  const asked = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  id = await asked;
  const ended = endOfRun(team, "lead");
  await team.prompt("Alice waits. Let her go on.");
  await ended;

  const tried = resultsIn(wire.requestsOf("lead")[1]);
  expect(tried.map(({ isError }) => isError)).toEqual([true, false, true, false, true]);
  expect(tried[1]?.text).toBe('{"error":"not found"}');
  expect(await questionOnDisk(wire, id)).toMatchObject({ state: "pending", decision: null });
  expect(existsSync(join(wire.root, "made.txt"))).toBe(false);

  // The person's word is all it takes.
  await team.answer(id, { decision: "allow-once" });
  await team.quiet();
  expect(existsSync(join(wire.root, "made.txt"))).toBe(true);
});

test("P11 a question is answered from another shell by a signed message", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [writes("a.txt"), writes("b.txt"), says("Over.")],
  });
  const team = await wire.open();
  const first = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  const id = await first;
  const second = nextQuestion(team, "permission");
  const shell = viewTeam(wire.root);
  expect(await shell.requests({ state: "pending" })).toMatchObject([{ id, from: "alice" }]);
  await shell.answer(id, { decision: "allow-once" });
  const again = await second;
  await viewTeam(wire.root).answer(again, { decision: "deny", reason: "one is enough" });
  await team.quiet();

  expect(existsSync(join(wire.root, "a.txt"))).toBe(true);
  expect(existsSync(join(wire.root, "b.txt"))).toBe(false);
  expect(lastResult(wire.requestsOf("alice")[2])?.text).toBe("Error: Denied: one is enough");
  await expect(shell.answer(id, { decision: "deny" })).rejects.toMatchObject({
    code: "request-refused",
  });
});
