import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import {
  type Line,
  occurrences,
  type Part,
  shownIn,
  TeamOnWire,
  Watched,
} from "../../support/team-on-wire.ts";
import { after, Latch, never, requestIdIn } from "./scenes.ts";

const alice = { name: "alice", role: "coder", prompt: "Begin." };
const asks: Line = () => calls("shutdown_request", { teammate: "alice" });

function answers(approve: boolean, reason?: string): Line {
  return (request) =>
    calls("shutdown_response", { request_id: requestIdIn(request), approve, reason });
}

/** A team in which alice has begun, and whose lead is about to be told to end her. */
async function teamOf(parts: { lead: Part; alice: Part }, shutdownGraceMs = 200) {
  const wire = await TeamOnWire.start(parts);
  const team = await wire.open({ mode: "bypassPermissions", shutdownGraceMs });
  const watched = new Watched(team);
  await team.spawn(alice);
  const gone = () =>
    watched.until(
      (event) => event.type === "message-sent" && event.message_type === "teammate_terminated",
    );
  return { wire, team, gone, [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose]() };
}

test("P07 a teammate that agrees is gone: no more calls, its tasks free, the lead notified, the roster true", async () => {
  const gate = new Latch();
  await using it = await teamOf(
    {
      lead: [asks, says("Asked."), says("Fine.")],
      alice: [
        calls("create_task", { subject: "Paint the fence" }),
        calls("claim_task", { task_id: "1" }),
        after(gate, calls("list_tasks", {})),
        answers(true),
      ],
    },
    30_000,
  );
  const { wire, team } = it;
  await wire.requested("alice", 3);
  expect((await team.tasks())[0]).toMatchObject({ owner: "alice", status: "in_progress" });

  await team.prompt("End alice.");
  await wire.requested("lead", 2);
  gate.open();
  await it.gone();
  await team.quiet();

  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect((await team.tasks())[0]).toMatchObject({ owner: null, status: "pending" });
  const told = wire.shownTo("lead");
  expect(told).toMatch(/type=\\"shutdown_response\\"[^>]*approve=\\"true\\"/);
  expect(told).toContain("alice is shut down: it agreed to shut down.");
  await expect(team.message("alice", "Still there?")).rejects.toMatchObject({
    code: "member-ended",
  });
  await team.prompt("Is she gone?");
  await team.quiet();
  expect(wire.requestsOf("alice")).toHaveLength(4);
});

test("P07 a refusal keeps the teammate alive, and wakes the lead with the reason", async () => {
  await using it = await teamOf(
    {
      lead: [says("Noted."), asks, says("Asked."), says("Then go on.")],
      alice: [says("Ready."), answers(false, "the tests are still red"), says("I go on.")],
    },
    30_000,
  );
  const { wire, team } = it;
  await team.quiet();

  await team.prompt("End alice.");
  await team.quiet();
  await team.message("alice", "Still there?");
  await team.quiet();

  expect(wire.shownTo("lead")).toMatch(
    /type=\\"shutdown_response\\"[^>]*approve=\\"false\\" reason=\\"the tests are still red\\"/,
  );
  expect(shownIn(wire.requestsOf("alice").at(-1))).toContain("Still there?");
  expect(await wire.statusOf("alice")).toBe("idle");
});

test("P07 a teammate that does not answer is gone after the grace time", async () => {
  await using it = await teamOf({
    lead: [says("Noted."), asks, says("Asked.")],
    alice: [says("Ready."), says("I would rather not say.")],
  });
  const { wire, team } = it;
  await team.quiet();

  await team.prompt("End alice.");
  await it.gone();
  await team.quiet();

  expect(await wire.statusOf("alice")).toBe("shutdown");
  const { length } = wire.requestsOf("alice");
  await team.prompt("What became of her?");
  await team.quiet();
  expect(wire.shownTo("lead")).toContain("alice is shut down: it did not answer within 0.2 s.");
  expect(wire.requestsOf("alice")).toHaveLength(length);
  expect(await team.openRequests()).toEqual([]);
});

test("P07 a teammate that runs a command is gone after the grace time, with its process", async () => {
  await using it = await teamOf({
    lead: [asks, says("Asked.")],
    alice: [calls("bash", { command: "echo $$ > pid; trap '' TERM; while :; do sleep 0.1; done" })],
  });
  const { wire, team } = it;
  const pid = Number(await wire.made("pid"));
  expect(await systemProcesses.startOf(pid)).toBeDefined();

  await team.prompt("End alice.");
  await it.gone();

  expect(await systemProcesses.startOf(pid)).toBeUndefined();
  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect(wire.requestsOf("alice")).toHaveLength(1);
});

test("P07 a background command ends with its teammate", async () => {
  // Her report wakes the lead, which would end the command before it has begun.
  const running = new Latch();
  await using it = await teamOf({
    lead: [asks, says("Asked."), says("Noted.")],
    alice: [
      calls("background_run", { command: "echo $$ > pid; exec sleep 3600" }),
      after(running, says("It runs.")),
      answers(true),
    ],
  });
  const { wire, team } = it;
  const pid = Number(await wire.made("pid"));
  running.open();

  await team.prompt("End alice.");
  await it.gone();

  expect(await systemProcesses.startOf(pid)).toBeUndefined();
});

test("P07 a model call in progress at a teammate's end is aborted", async () => {
  const late = new Latch();
  await using it = await teamOf({
    lead: [asks, says("Asked.")],
    alice: [after(late, says("Too late."))],
  });
  const { wire, team } = it;
  await wire.requested("alice", 1);

  await team.prompt("End alice.");
  await it.gone();
  late.open();
  await team.quiet();

  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect(await wire.stored("transcripts", "alice.jsonl")).not.toContain("Too late.");
  expect(wire.requestsOf("alice")).toHaveLength(1);
});

test("P07 calls that a teammate makes together with its agreement are not carried out", async () => {
  await using it = await teamOf(
    {
      lead: [asks, says("Asked.")],
      alice: [
        says("Ready."),
        (request) =>
          reply([
            calls("shutdown_response", { request_id: requestIdIn(request), approve: true }),
            calls("write_file", { path: "late.txt", content: "late" }),
          ]),
      ],
    },
    30_000,
  );
  const { wire, team } = it;
  await wire.requested("alice", 1);

  await team.prompt("End alice.");
  await it.gone();

  expect(existsSync(join(wire.root, "late.txt"))).toBe(false);
  expect(await wire.statusOf("alice")).toBe("shutdown");
});

test("P07 force ends a teammate without asking", async () => {
  await using it = await teamOf(
    {
      lead: [calls("shutdown_request", { teammate: "alice", force: true }), says("Done.")],
      alice: [never],
    },
    3_600_000,
  );
  const { wire, team } = it;
  await wire.requested("alice", 1);

  await team.prompt("End alice at once.");
  const summary = await team.quiet();

  expect(wire.shownTo("lead")).toContain("'alice' was shut down");
  expect(summary.members.find(({ name }) => name === "alice")?.status).toBe("shutdown");
  expect(await wire.stored("inbox", "alice.jsonl")).not.toContain("shutdown_request");
});

test("P07 a teammate that was shut down stays so after a restart, and can be spawned again with its history", async () => {
  await using it = await teamOf({
    lead: [says("Noted.")],
    alice: [says("I know the secret word: xyzzy."), says("Back again.")],
  });
  const { wire, team } = it;
  await team.quiet();
  await team.stop("alice");
  await team.close();

  const again = await wire.open();
  await again.quiet();
  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(await wire.statusOf("alice")).toBe("shutdown");
  await again.spawn({ ...alice, prompt: "What is the word?" });
  await again.quiet();

  const shown = wire.shownTo("alice");
  expect(occurrences(shown, "xyzzy")).toBe(1);
  expect(occurrences(shown, "What is the word?")).toBe(1);
  expect(await wire.statusOf("alice")).toBe("idle");
  expect(occurrences(wire.shownTo("lead"), "Back again.")).toBe(1);
});

test("P07 nobody can agree for another: of two that are asked, only the one that agrees ends", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        calls("shutdown_request", { teammate: "alice" }),
        calls("shutdown_request", { teammate: "bob" }),
      ]),
      says("Asked."),
    ],
    alice: [says(""), answers(true)],
    bob: [
      says(""),
      async () => {
        const asked = await wire.requested("alice", 2);
        return calls("shutdown_response", {
          request_id: asked && requestIdIn(asked),
          approve: true,
        });
      },
      answers(false, "not yet"),
      says("I stay."),
    ],
  });
  const team = await wire.open({ shutdownGraceMs: 30_000 });
  await team.spawn(alice);
  await team.spawn({ ...alice, name: "bob" });
  await team.quiet();

  await team.prompt("End both.");
  await team.quiet();

  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect(await wire.statusOf("bob")).toBe("idle");
  expect(wire.shownTo("bob")).toMatch(/No shutdown request '[0-9a-f-]{36}' is open for you/);
});
