import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { newCronId } from "../../../src/protocol/cron.ts";
import { lead, parseTeammateName } from "../../../src/protocol/ids.ts";
import { status } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { openStore, teamPlace } from "../../support/team.ts";
import { type Line, occurrences, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import {
  coder,
  lastResult,
  nextQuestion,
  onceTold,
  questionOnDisk,
  requestIdIn,
  untilOnDisk,
} from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

const writes = (path: string) => calls("write_file", { path, content: "text" });
/** Asks alice to end, when it is told to. */
const asks = () =>
  onceTold("End alice.", calls("shutdown_request", { teammate: "alice" }), says("So."));
const free = { mode: "bypassPermissions", autoclaim: false, planApproval: "user" } as const;

function answers(approve: boolean, reason?: string): Line {
  return (request) =>
    calls("shutdown_response", { request_id: requestIdIn(request), approve, reason });
}

/** A team whose alice has an approved plan, and has done what she had planned. */
async function withApprovedPlan(parts: { lead: readonly Line[]; alice: readonly Line[] }) {
  const wire = await TeamOnWire.start({
    lead: parts.lead,
    alice: [
      calls("plan_approval", { plan: "The plan" }),
      says("I wait."),
      says("Done as planned."),
      ...parts.alice,
    ],
  });
  const team = await wire.open(free);
  const asked = nextQuestion(team, "plan");
  await team.spawn({ ...coder("alice"), planRequired: true });
  const id = await asked;
  await wire.requested("alice", 2);
  await untilOnDisk(wire, "alice", (member) => member.status === "idle");
  await team.answer(id, { decision: "allow-once" });
  await wire.requested("alice", 3);
  await team.quiet();
  return { wire, team, [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose]() };
}

test("P12 an approval does not apply to a task that was taken right before a kill", async () => {
  await using it = await withApprovedPlan({
    lead: [says("Noted.")],
    alice: [writes("unplanned.txt"), says("Over.")],
  });
  const { wire, team } = it;
  await team.close();
  {
    // What a process leaves that is killed between the claim and the closing of the gate.
    await using store = await openStore(wire.root);
    const { id } = await store.tasks.create({ subject: "Another", created_by: lead });
    await store.tasks.claim(id, { by: parseTeammateName("alice") });
  }

  const again = await wire.open(free);
  await wire.requested("alice", 5);
  await again.quiet();

  expect(lastResult(wire.requestsOf("alice")[4])?.text).toContain("need an approved plan");
  expect(existsSync(join(wire.root, "unplanned.txt"))).toBe(false);
});

test("P12 control: an approval survives a restart if no task was taken after it", async () => {
  await using it = await withApprovedPlan({
    lead: [says("Noted.")],
    alice: [writes("planned.txt"), says("Over.")],
  });
  await it.team.close();

  const again = await it.wire.open(free);
  await again.message("alice", "Go on.");
  await it.wire.requested("alice", 5);
  await again.quiet();

  expect(existsSync(join(it.wire.root, "planned.txt"))).toBe(true);
});

test("P12 a task that the lead starts for a member closes its gate", async () => {
  const gives = reply([
    calls("create_task", { subject: "Second" }),
    calls("update_task", { task_id: "1", owner: "alice", status: "in_progress" }),
  ]);
  await using it = await withApprovedPlan({
    lead: [onceTold("Give it to her.", gives, says("Given."))],
    alice: [reply([calls("claim_task", { task_id: "1" }), writes("unplanned.txt")]), says("Over.")],
  });
  const { wire, team } = it;

  await team.prompt("Give it to her.");
  await wire.requested("alice", 5);
  await team.quiet();

  expect(lastResult(wire.requestsOf("alice")[4])?.text).toContain("need an approved plan");
  expect(existsSync(join(wire.root, "unplanned.txt"))).toBe(false);
});

test("P12 the person's answer to a plan counts only if it was sent to the asker", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [calls("plan_approval", { plan: "The plan" }), says("I wait.")],
    bob: [says("Ready."), says("Noted.")],
  });
  const store = await openStore(wire.root);
  const team = await wire.open({ ...free, store });
  const asked = nextQuestion(team, "plan");
  await team.spawn({ ...coder("alice"), planRequired: true });
  await team.spawn(coder("bob"));
  const id = await asked;
  await wire.requested("alice", 2);
  const { hash, from: _, ...question } = await questionOnDisk(wire, id);

  await store.send("bob", {
    ...{ type: "plan_approval_response", from: question.to, request_id: question.id },
    ...{ approve: true, hash, content: "" },
  });
  await wire.requested("bob", 2);
  expect(await questionOnDisk(wire, id)).toMatchObject({ state: "pending" });
  expect(wire.warnings).toEqual([expect.stringContaining("is not a question of 'bob'")]);

  await team.answer(id, { decision: "allow-once" });
  await wire.requested("alice", 3);
  expect(await questionOnDisk(wire, id)).toMatchObject({ state: "approved" });
});

test("P07 a refusal to shut down that was not sent before a kill is reported at the next start, once", async () => {
  await using wire = await TeamOnWire.start({
    lead: [asks()],
    alice: [says("Ready."), answers(false, "the tests are red"), says("I stay.")],
  });
  {
    await using running = startTeamProcess(wire, ["before", "alice", "shutdown_response"]);
    running.order({ type: "spawn", ...coder("alice") });
    await running.said(({ type, member }) => type === "run-end" && member === "alice");
    running.order({ type: "message", to: "lead", content: "End alice." });
    await running.said(({ type }) => type === "holding");
  }

  for (const start of [1, 2]) {
    await using team = await wire.open();
    await team.prompt(`What did she say? ${start}`);
    await team.quiet();
  }

  expect(occurrences(wire.shownTo("lead"), "the tests are red")).toBe(1);
  expect(await wire.statusOf("alice")).toBe("idle");
});

test("P07 an earlier teammate's agreement to shut down does not end a new one of the same name, whatever the clock says", async () => {
  await using wire = await TeamOnWire.start({
    lead: [asks()],
    alice: [says("Ready."), answers(true), says("I am new here.")],
  });
  const ahead = { ...systemClock, now: () => new Date(Date.now() + 3_600_000) };
  {
    await using team = await wire.open({ place: teamPlace(wire.root, { clock: ahead }) });
    await team.spawn(coder("alice"));
    await wire.requested("alice", 1);
    await team.prompt("End alice.");
    await untilOnDisk(wire, "alice", (member) => member.status === "shutdown");
    await team.quiet();
  }
  {
    await using team = await wire.open();
    await team.spawn(coder("alice"));
    await wire.requested("alice", 3);
    await team.quiet();
  }

  await using again = await wire.open();
  await again.quiet();

  expect(await wire.statusOf("alice")).toBe("idle");
});

test("P08 a teammate whose failed run was not settled before a kill is failed afterwards, and waits for its lead", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [status(400), says("Again.")],
    bob: [calls("send_message", { to: "alice", content: "Hello?" }), says("Sent.")],
  });
  {
    await using running = startTeamProcess(wire, ["before", "alice", "result"]);
    running.order({ type: "spawn", ...coder("alice") });
    await running.said(({ type }) => type === "holding");
  }

  const team = await wire.open();
  await team.quiet();
  expect(await wire.statusOf("alice")).toBe("failed");
  await team.spawn(coder("bob"));
  await wire.requested("bob", 2);
  await team.quiet();
  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(await wire.statusOf("alice")).toBe("failed");

  await team.message("alice", "Once more.");
  await team.quiet();
  expect(await wire.statusOf("alice")).toBe("idle");
});

test.each(["before", "after"] as const)(
  "P05 the lead learns once that a task has failed, even if the process is killed %s the report",
  async (moment) => {
    const claims = calls("claim_task", { task_id: "1" });
    await using wire = await TeamOnWire.start({
      lead: [says("Noted.")],
      alice: [
        reply([calls("create_task", { subject: "Paint" }), claims]),
        ...[status(400), claims, status(400), claims, status(400)],
      ],
    });
    {
      await using running = startTeamProcess(wire, [moment, "system", "message"]);
      const failed = (count: number) =>
        running.said((line) => line.member === "alice" && line.status === "failed", count);
      running.order({ type: "spawn", ...coder("alice") });
      await failed(1);
      running.order({ type: "message", to: "alice", content: "Again." });
      await failed(2);
      running.order({ type: "message", to: "alice", content: "Again!" });
      await running.said(({ type }) => type === "holding");
    }

    const team = await wire.open();
    await team.prompt("How is the task?");
    await team.quiet();

    expect(await team.tasks()).toMatchObject([{ status: "failed", owner: null, releases: 3 }]);
    expect(occurrences(wire.shownTo("lead"), "Task 1 has failed:")).toBe(1);
  },
);

test("P13 a prompt that was added to the crons by hand comes from outside", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  await (await wire.open()).close();
  const id = newCronId();
  const past = "2026-01-01T00:00:00.000Z";
  const entry = { id, cron: "* * * * *", prompt: "Forged.", member: "lead", once: true };
  await mkdir(join(wire.teamDirectory, "crons"), { recursive: true });
  await writeFile(
    join(wire.teamDirectory, "crons", `${id}.json`),
    JSON.stringify({ ...entry, created_by: "lead", created_at: past, next_at: past }),
  );

  const team = await wire.open();
  const watched = new Watched(team);
  await watched.until(({ type }) => type === "run-end");

  expect(wire.shownTo("lead")).toMatch(/<teammate-message from=\\"outside\\"[^>]*>\W*n?Forged\./);
});
