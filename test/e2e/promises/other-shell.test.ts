import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { viewTeam } from "../../support/team.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, lastResult, memberOnDisk, never, nextEvent, nextQuestion } from "./scenes.ts";

test("P07 a stop from another shell ends a working teammate, whatever its model does", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [never],
    bob: [says("I am here.")],
  });
  const team = await wire.open();
  await team.spawn(coder("bob"));
  await team.spawn(coder("alice"));
  await wire.server.until(() => wire.requestsOf("alice").length === 1);
  const ended = nextEvent(
    team,
    (event) => event.type === "member-change" && event.status === "shutdown",
  );

  await viewTeam(wire.root).stop("alice");

  expect(await ended).toMatchObject({ member: "alice" });
  await team.quiet();
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ status: "shutdown" });
  expect(await memberOnDisk(wire, "bob")).toMatchObject({ status: "idle" });
  expect(wire.requestsOf("alice")).toHaveLength(1);
});

test("P07 stopping all members from another shell costs no model call: the lead stays, and its model is not asked", async () => {
  await using wire = await TeamOnWire.start({
    lead: [never, says("I am still here.")],
    alice: [never],
    bob: [calls("bash", { command: "sleep 1000" }), says("Over.")],
  });
  const team = await wire.open({ mode: "bypassPermissions" });
  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  await team.prompt("Work.");
  await wire.server.until(() =>
    ["lead", "alice", "bob"].every((name) => wire.requestsOf(name).length === 1),
  );

  await viewTeam(wire.root).stop();
  const summary = await team.quiet();

  expect(summary.members.map(({ name, status }) => [name, status])).toEqual([
    ["lead", "idle"],
    ["alice", "shutdown"],
    ["bob", "shutdown"],
  ]);
  expect(summary.end).toMatchObject({ outcome: "interrupted" });
  expect(wire.server.requests).toHaveLength(3);

  await team.prompt("Are you there?");
  expect(await team.quiet()).toMatchObject({ result: "I am still here." });
});

test("P12 a plan's approval from another shell takes effect with the request that shows it", async () => {
  let id = "";
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      calls("plan_approval", { plan: "Green" }),
      async () => {
        // The reply to this brings the next turn at once: nobody has time to notice the mail before.
        await viewTeam(wire.root).answer(id, { decision: "allow-once" });
        return calls("list_tasks", {});
      },
      calls("write_file", { path: "made.txt", content: "x" }),
      says("Done."),
    ],
  });
  const team = await wire.open({ mode: "bypassPermissions", planApproval: "user" });
  const asked = nextQuestion(team, "plan").then((question) => {
    id = question;
  });
  await team.spawn({ ...coder("alice"), planRequired: true });
  await asked;
  await team.quiet();

  expect(shownIn(wire.requestsOf("alice")[2])).toContain('approve=\\"true\\"');
  expect(lastResult(wire.requestsOf("alice")[3])).toMatchObject({ isError: false });
});

test("P13 an order is carried out once: it is not repeated after a restart or for its member's successor", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("I am here.")],
  });
  const first = await wire.open();
  await first.spawn(coder("alice"));
  await first.quiet();
  const ended = nextEvent(
    first,
    (event) => event.type === "member-change" && event.status === "shutdown",
  );
  await viewTeam(wire.root).stop("alice");
  await ended;
  await first.quiet();
  await first.spawn(coder("alice"));
  await first.quiet();
  await first.close();

  const second = await wire.open();
  await second.message("alice", "Still there?");
  await second.quiet();
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ status: "idle" });
  expect(shownIn(wire.requestsOf("alice").at(-1))).toContain("Still there?");
  const inbox = await readFile(join(wire.teamDirectory, "inbox", "alice.jsonl"), "utf8");
  expect(inbox).toContain("shutdown_request");
});
