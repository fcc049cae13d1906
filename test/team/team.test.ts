import { expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { never } from "../e2e/promises/scenes.ts";
import { shownIn, TeamOnWire, Watched } from "../support/team-on-wire.ts";

test("a lead spawns two teammates, waits, and answers after their results", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        calls("spawn_teammate", { name: "alice", role: "coder", prompt: "Say one." }),
        calls("spawn_teammate", { name: "bob", role: "tester", prompt: "Say two." }),
        calls("wait_for_teammates", {}),
      ]),
      says("Both answered."),
    ],
    alice: [says("One.")],
    bob: [says("Two.")],
  });
  const team = await wire.open();

  await team.prompt("Go.");
  const { result, members } = await team.quiet();

  expect(result).toBe("Both answered.");
  expect(members.map(({ name, status, outcome }) => [name, status, outcome])).toEqual([
    ["lead", "idle", "done"],
    ["alice", "idle", "done"],
    ["bob", "idle", "done"],
  ]);
  const [, answered] = wire.requestsOf("lead");
  expect(shownIn(answered)).toContain("alice, bob have ended their runs.");
  expect(shownIn(answered)).toContain(">One.</teammate-message>");
  expect(shownIn(answered)).toContain(">Two.</teammate-message>");
  expect(wire.requestsOf("lead")).toHaveLength(2);
  expect(wire.server.refusals).toEqual([]);
});

test("stopping an unknown member is an error that lists the members", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Ready.")] });
  const team = await wire.open();
  await expect(team.stop("alice")).rejects.toMatchObject({
    code: "member-unknown",
    hint: "There are no teammates.",
  });
  await team.spawn({ name: "alice", role: "coder", prompt: "Begin." });
  await team.quiet();

  await expect(team.stop("carol")).rejects.toMatchObject({
    code: "member-unknown",
    hint: "Teammates: alice.",
  });
});

test("a spawn is an event, with its prompt, and there are none after the close", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Ready.")] });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.spawn({ name: "alice", role: "coder", prompt: "Begin." });
  await team.quiet();

  await team.close();

  const statuses = watched.events.flatMap((event) =>
    event.type === "member-change" && event.member === "alice" ? [event.status] : [],
  );
  expect(statuses[0]).toBe("working");
  expect(statuses.at(-1)).toBe("idle");
  await expect(team.spawn({ name: "bob", role: "coder", prompt: "Begin." })).rejects.toMatchObject({
    code: "team-closed",
  });
});

test("an empty message is refused, and nothing is sent", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  const team = await wire.open();

  for (const send of [team.prompt(""), team.message("lead", " \n"), team.broadcast("\t")]) {
    await expect(send).rejects.toMatchObject({
      ...{ code: "message-invalid", message: "The message is empty" },
    });
  }

  await team.quiet();
  expect(wire.server.requests).toEqual([]);
});

test("a team that is closed refuses what acts on it or waits for it", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [never] });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt: "Begin." });

  await team.close();

  const late: [string, () => unknown][] = [
    ["prompt", () => team.prompt("Go.")],
    ["message", () => team.message("alice", "Go.")],
    ["broadcast", () => team.broadcast("Go.")],
    ["spawn", () => team.spawn({ name: "bob", role: "coder", prompt: "Go." })],
    ["quiet", () => team.quiet()],
    ["summary", () => team.summary()],
    ["answer", () => team.answer("019b78c9-0a80-7982-9914-3907359dc4e0", { decision: "deny" })],
    ["interrupt", async () => team.interrupt()],
    ["stop", () => team.stop()],
    ["setMode", () => team.setMode("lead", "plan")],
  ];
  for (const [name, act] of late) {
    await expect(act(), name).rejects.toMatchObject({ code: "team-closed" });
  }
  expect(await wire.stored("inbox", "lead.jsonl")).not.toContain("Go.");
  await team.close();
});
