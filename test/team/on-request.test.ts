import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TeamRequest } from "../../src/protocol/request.ts";
import { exitCodeOf, unfinishedLines } from "../../src/team/exit-code.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { coder, lastResult, nextQuestion, resultsIn, spawns } from "../e2e/promises/scenes.ts";
import { shownIn, TeamOnWire, Watched } from "../support/team-on-wire.ts";

const write = calls("write_file", { path: "made.txt", content: "…" });

test("P11 with nobody to answer a call that asks is denied, and the member is told how to allow it", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: "npm test" }), says("I could not test it.")],
  });
  const team = await wire.open({ mode: "acceptEdits", approvals: "deny" });
  await team.prompt("Repair the build.");
  const summary = await team.quiet();

  expect(lastResult(wire.requestsOf("lead")[1])?.text).toBe(
    'Error: Denied: nobody answers requests in this program; its options can permit the call (allow: ["bash(npm test:*)"]) or answer it (onRequest)',
  );
  expect(summary).toMatchObject({ result: "I could not test it.", undecided: [] });
  expect(summary.denied).toHaveLength(1);
});

test("P11 the answer of onRequest is the decision, of calls and plans", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("alice"), calls("wait_for_teammates", {})]), says("Over.")],
    alice: [
      calls("plan_approval", { plan: "I write." }),
      (request) => {
        if (resultsIn(request).length > 1) return says("Done.");
        const isApproved = shownIn(request).includes("plan_approval_response");
        return isApproved ? write : says("I wait.");
      },
    ],
  });
  const given: string[] = [];
  const team = await wire.open({
    planApproval: "user",
    onRequest: ({ type, from }) => {
      given.push(`${type} of ${from}`);
      return { decision: "allow-once" };
    },
  });
  await team.prompt("Go.");
  await team.quiet();

  expect(given).toEqual(["plan of alice", "permission of alice"]);
  expect(existsSync(join(wire.root, "made.txt"))).toBe(true);
});

test("P08 P11 a request that was open before the start is given to onRequest again", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [write, says("Done.")],
  });
  const before = await wire.open();
  const asked = nextQuestion(before, "permission");
  await before.spawn(coder("alice"));
  const id = await asked;
  await before.close();

  const given: TeamRequest[] = [];
  const team = await wire.open({
    onRequest: (request) => {
      given.push(request);
      return { decision: "deny", reason: "not today" };
    },
  });
  await team.quiet();

  expect(given).toMatchObject([{ id, from: "alice", subject: { tool: "write_file" } }]);
  expect(lastResult(wire.requestsOf("alice")[1])?.text).toBe("Error: Denied: not today");
});

test("P11 what onRequest leaves open is denied by default, calls and plans", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [calls("plan_approval", { plan: "I write." }), says("I wait."), says("No, then.")],
    bob: [write, says("Done.")],
  });
  const team = await wire.open({
    ...{ planApproval: "user", approvals: "deny", onRequest: () => undefined },
  });
  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  const { undecided } = await team.quiet();

  expect(undecided).toEqual([]);
  expect(wire.shownTo("alice")).toContain("nobody answers requests");
  expect(lastResult(wire.requestsOf("bob")[1])?.text).toContain("nobody answers requests");
});

test("an answer of onRequest that is none denies the call, and everybody is told why", async () => {
  await using wire = await TeamOnWire.start({ lead: [write, says("No, then.")] });
  const team = await wire.open({ onRequest: () => ({ decision: "allow" }) as never });
  const watched = new Watched(team);
  await team.prompt("Go.");
  await team.quiet();
  await team.close();

  const problem = "decision must be allow-once, allow-always or deny";
  expect(lastResult(wire.requestsOf("lead")[1])?.text).toContain(problem);
  const warning = expect.stringContaining(problem);
  expect(wire.warnings).toEqual([warning]);
  expect(watched.events).toContainEqual(
    expect.objectContaining({ type: "warning", message: warning }),
  );
});

test("an unattended that fails denies the call, and the run goes on", async () => {
  await using wire = await TeamOnWire.start({ lead: [write, says("No, then.")] });
  const unattended = () => {
    throw new Error("no words");
  };
  const team = await wire.open({ approvals: { unattended } });
  await team.prompt("Go.");
  const { result, end } = await team.quiet();

  expect([result, end?.outcome]).toEqual(["No, then.", "done"]);
  expect(lastResult(wire.requestsOf("lead")[1])?.text).toContain("no words");
});

test("P08 a lead whose call waited for approval when the team was closed goes on once it is decided", async () => {
  await using wire = await TeamOnWire.start({ lead: [write, says("No, then.")] });
  const before = await wire.open();
  const asked = nextQuestion(before, "permission");
  await before.prompt("Go.");
  await asked;
  await before.close();

  const team = await wire.open({ onRequest: () => ({ decision: "deny", reason: "not today" }) });
  const summary = await team.quiet();

  expect(lastResult(wire.requestsOf("lead")[1])?.text).toBe("Error: Denied: not today");
  expect(summary).toMatchObject({ result: "No, then.", end: { outcome: "done" }, undecided: [] });
});

test("a lead that was cut short, with nobody to decide its call, waits for a prompt, and that is told", async () => {
  await using wire = await TeamOnWire.start({ lead: [write, says("No, then.")] });
  const before = await wire.open();
  const asked = nextQuestion(before, "permission");
  await before.prompt("Go.");
  const id = await asked;
  await before.close();

  const team = await wire.open({ approvals: "deny" });
  const summary = await team.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(exitCodeOf(summary)).toBe(3);
  expect(unfinishedLines(summary)).toEqual([
    "interrupted: the lead's run was cut short when the team was closed",
    "Prompt it to continue.",
    `a permission request of 'lead' is undecided: ${id}`,
  ]);
  await team.prompt("Go on.");
  expect(await team.quiet()).toMatchObject({ result: "No, then.", end: { outcome: "done" } });
});
