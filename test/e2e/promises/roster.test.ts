import { expect, test } from "vitest";
import { status } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { occurrences, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch } from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

const alice = { name: "alice", role: "coder", prompt: "Begin." };

test("P09 config.json follows a teammate: working, idle, failed, idle again, shut down", async () => {
  const gate = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(gate, says("Done.")), status(403), says("Recovered.")],
  });
  const team = await wire.open();
  const becomes = (expected: string) => expect.poll(() => wire.statusOf("alice")).toBe(expected);

  await team.spawn(alice);
  await wire.requested("alice", 1);
  await becomes("working");
  gate.open();
  await team.quiet();
  await becomes("idle");
  await team.message("alice", "Fail.");
  await team.quiet();
  await becomes("failed");
  expect((await wire.recordOf("alice"))?.detail).toMatch(/permission/);
  await team.message("alice", "Try again.");
  await team.quiet();
  await becomes("idle");
  expect((await wire.recordOf("alice"))?.detail).toBeUndefined();
  await team.stop("alice");
  expect(await wire.statusOf("alice")).toBe("shutdown");
});

test("P09 a working member is not spawned twice, and keeps its one loop", async () => {
  const gate = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [
      reply([calls("spawn_teammate", alice), calls("spawn_teammate", { ...alice, name: "Alice" })]),
      says("One of them."),
    ],
    alice: [after(gate, says("Done."))],
  });
  const team = await wire.open();
  const watched = new Watched(team);

  await team.prompt("Spawn alice twice.");
  await wire.requested("lead", 2);
  await wire.requested("alice", 1);
  await expect(team.spawn(alice)).rejects.toMatchObject({ code: "spawn-refused" });
  gate.open();
  await team.quiet();

  expect(wire.shownTo("lead")).toMatch(/Error: 'alice' is currently working[^}]*"is_error":true/);
  const runs = watched.events.filter(
    ({ type, member }) => type === "run-start" && member === "alice",
  );
  expect(runs).toHaveLength(1);
  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(occurrences(wire.shownTo("alice"), "Begin.")).toBe(1);
  expect((await team.roster()).members.map(({ name }) => name)).toEqual(["alice"]);
});

test("P09 a second start is refused while a lead is alive, and takes over once it is killed", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  await using running = startTeamProcess(wire);
  running.order({ type: "spawn", ...alice });
  await running.said(({ type, member }) => type === "run-end" && member === "alice");

  await expect(wire.open()).rejects.toMatchObject({ code: "lead-alive" });
  await running.kill();
  const team = await wire.open();
  await team.message("alice", "Still there?");
  await team.quiet();

  expect(occurrences(wire.shownTo("alice"), "Begin.")).toBe(1);
  expect(occurrences(wire.shownTo("alice"), "Still there?")).toBe(1);
});

test("P09 a teammate that was killed while it worked is recognized, and continues at the next start", async () => {
  const gate = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(gate, says("Too late.")), says("Done after all.")],
  });
  {
    await using running = startTeamProcess(wire);
    running.order({ type: "spawn", ...alice });
    await wire.requested("alice", 1);
  }
  gate.open();
  expect(await wire.statusOf("alice")).toBe("working");

  const team = await wire.open();
  await team.quiet();

  await expect.poll(() => wire.statusOf("alice")).toBe("idle");
  expect(occurrences(wire.shownTo("lead"), "Done after all.")).toBe(1);
});
