import { expect, test } from "vitest";
import { type CronEntry, newCronId } from "../../src/protocol/cron.ts";
import { lead, MemberName, outside, system } from "../../src/protocol/ids.ts";
import { LateTable, openCrons } from "../../src/team/team-crons.ts";
import { openTestProtocols } from "../support/protocols.ts";
import { enlist, member, teamPlace } from "../support/team.ts";

const alice = MemberName.parse("alice");

const firings: [string, Partial<CronEntry>, { to?: MemberName; from?: MemberName }][] = [
  ["a member", { member: alice }, { to: alice, from: system }],
  ["the lead, for a member that is not there", { member: MemberName.parse("bob") }, { to: lead }],
  ["a member, from outside where somebody edited it", { created_by: outside }, { from: outside }],
];

test.each(firings)(
  "what is due reaches %s, and once although it is fired again",
  async (_, entry, { to = alice, from = system }) => {
    const it = openTestProtocols();
    await enlist(it.store, member("alice"), member("bob", "shutdown"));
    const place = teamPlace("/nowhere", { clock: it.clock });
    const due: CronEntry = {
      ...{ id: newCronId(), cron: "* * * * *", prompt: "Look.", member: alice, once: true },
      ...{ created_by: lead, created_at: it.clock.now().toISOString() },
      ...{ next_at: it.clock.now().toISOString(), ...entry },
    };

    // As after a crash before it was removed.
    for (const _ of [1, 2]) {
      await it.store.crons.put(due);
      const table = await openCrons({ store: it.store, place }, it);
      await table[Symbol.asyncDispose]();
      expect(await it.store.crons.list()).toEqual([]);
    }

    const told = await it.store.unreadOf(to);
    expect(told).toMatchObject([{ from, type: "message", content: "Look." }]);
  },
);

test("a prompt that cannot be sent is warned of", async () => {
  const it = openTestProtocols();
  const warnings: string[] = [];
  const place = teamPlace("/nowhere", {
    clock: it.clock,
    onWarning: (text) => warnings.push(text),
  });
  await using table = await openCrons({ store: it.store, place }, it);
  it.store.beforeSend = () => Promise.reject(new Error("no space left"));
  await table.schedule({ cron: "* * * * *", prompt: "Look.", member: undefined, once: false });

  it.clock.advance(60_000);
  await it.clock.advanceUntil(() => warnings.length > 0);

  expect(warnings).toEqual([expect.stringContaining("no space left")]);
});

test("a member that is not there gets no prompts, and nothing is scheduled before the crons are open", async () => {
  const it = openTestProtocols();
  const late = new LateTable();
  const draft = { cron: "* * * * *", prompt: "Look.", once: false, member: undefined };
  expect(() => late.schedule(draft)).toThrow("not open yet");
  expect(() => late.list()).toThrow("not open yet");
  expect(() => late.cancel("1")).toThrow("not open yet");

  const place = teamPlace("/nowhere", { clock: it.clock });
  await using table = await openCrons({ store: it.store, place }, it);
  late.table = table;

  await expect(late.schedule({ ...draft, member: "bob" })).rejects.toMatchObject({
    code: "member-unknown",
  });
  const { id } = await late.schedule(draft);
  expect(await late.list()).toMatchObject([{ id, member: "lead" }]);
  await late.cancel(id);
  expect(await late.list()).toEqual([]);
});
