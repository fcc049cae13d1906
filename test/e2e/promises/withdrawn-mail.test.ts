import { expect, test } from "vitest";
import { newMessageId } from "../../../src/protocol/ids.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { viewTeam } from "../../support/team.ts";
import { occurrences, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch, never } from "./scenes.ts";
import { type Hold, type Said, startTeamProcess } from "./team-process.ts";

const alice = { name: "alice", role: "coder", prompt: "Begin." };
const look = reply([calls("list_teammates", {})]);

test("P01 a message that its sender withdraws in time is never seen; the others are, once", async () => {
  const latch = new Latch();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [after(latch, look), says("Done.")],
  });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.spawn(alice);
  await wire.requested("alice", 1);
  await team.message("alice", "First letter.");
  const second = await team.message("alice", "Second letter.");
  const third = await team.message("alice", "Third letter.");

  expect(await team.withdraw(second.id)).toBe(true);
  expect(await team.withdraw(second.id)).toBe(true);
  latch.open();
  await team.quiet();

  const shown = wire.shownTo("alice");
  expect(occurrences(shown, "First letter.")).toBe(1);
  expect(occurrences(shown, "Second letter.")).toBe(0);
  expect(occurrences(shown, "Third letter.")).toBe(1);
  // Too late: her model has seen it.
  expect(await team.withdraw(third.id)).toBe(false);
  const withdrawn = watched.events.filter(({ type }) => type === "message-withdrawn");
  expect(withdrawn).toMatchObject([{ member: "alice", id: second.id }]);
  const { records } = await viewTeam(wire.root).mail(second.to, { limit: 10 });
  const states = records.flatMap((record) =>
    record.state !== "set aside" && record.message.type === "message"
      ? [[record.message.content, record.state]]
      : [],
  );
  expect(states).toEqual([
    ["Third letter.", "delivered"],
    ["Second letter.", "withdrawn"],
    ["First letter.", "delivered"],
    ["Begin.", "delivered"],
  ]);
  expect(wire.warnings).toEqual([]);
});

const isWithdrawn = (line: Said) => line.type === "withdrawn" && line.inTime === true;
const isHolding = (line: Said) => line.type === "holding";

const deaths: [string, Hold | undefined, (line: Said) => boolean, number][] = [
  ["the order is in the mailbox", ["after", "user", "withdraw_request"], isHolding, 0],
  ["it is carried out", undefined, isWithdrawn, 0],
  ["control: before the order is sent", ["before", "user", "withdraw_request"], isHolding, 1],
];

test.each(deaths)(
  "P01 a withdrawn message is never seen after kill -9 when %s",
  async (_, hold, isDeath, times) => {
    let isKilled = false;
    const answer = () => (isKilled ? says("Fine.") : never());
    await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [answer] });
    await using running = startTeamProcess(wire, hold);
    running.order({ type: "spawn", ...alice });
    await wire.requested("alice", 1);
    running.order({ type: "message", to: "alice", content: "Taken back." });
    running.order({ type: "withdraw" });
    await running.said(isDeath);
    await running.kill();
    isKilled = true;

    const team = await wire.open();
    await team.quiet();
    await team.message("alice", "The last letter.");
    await team.quiet();

    expect(occurrences(wire.shownTo("alice"), "Taken back.")).toBe(times);
    expect(occurrences(wire.shownTo("alice"), "The last letter.")).toBe(1);
  },
);

test("what cannot be withdrawn is refused, and says why", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [never] });
  const team = await wire.open();
  await team.spawn(alice);
  await wire.requested("alice", 1);
  const { id } = await team.message("alice", "Too late.");
  await team.stop("alice");

  expect(await team.withdraw(id)).toBe(false);
  // @ts-expect-error A program in JavaScript may give anything.
  await expect(team.withdraw("nothing")).rejects.toMatchObject({ code: "message-unknown" });
  await expect(team.withdraw(newMessageId(new Date(0)))).rejects.toMatchObject({
    code: "message-unknown",
  });
});
