import { expect, test } from "vitest";
import { Secrets } from "../../../src/lib/secrets.ts";
import { parseRule } from "../../../src/permissions/rule.ts";
import { lead, MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import type { MessageOf } from "../../../src/protocol/message-types.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { RosterKeeper } from "../../../src/team/members/roster-keeper.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { Post } from "../../../src/team/post.ts";
import { PermissionOrders } from "../../../src/team/protocols/permission-orders.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { SetMember } from "../../support/set-member.ts";
import { enlist, member } from "../../support/team.ts";

const alice = MemberName.parse("alice");
const started = parseRule("deny", "bash(rm:*)");
const always = { decision: "allow", text: "bash(npm test:*)" } as const;

test.each([
  ["allow-once", "approved", null, undefined],
  ["allow-always", "approved", null, always.text],
  ["deny", "rejected", "the person said no", undefined],
] as const)("P11 the answer %s decides the question", async (decision, state, reason, rule) => {
  await using it = await openTeam();
  const asked = await it.ask();

  await it.orders.answer(alice, it.answerTo(asked, { decision }));

  expect(await it.store.requests.get(asked.id)).toMatchObject({
    state,
    decision: { by: user, ...(reason && { reason }), ...(rule && { rule }) },
  });
  const updates = rule ? [expect.objectContaining({ rule, decision: "allow", from: user })] : [];
  for (const name of ["lead", "alice"]) expect(await it.updatesOf(name)).toEqual(updates);
  const rules = rule ? [started, expect.objectContaining(always)] : [started];
  expect(it.orders.rules.inForce).toEqual(rules);
});

test("the person's own reason for a refusal is kept", async () => {
  await using it = await openTeam();
  const asked = await it.ask();

  await it.orders.answer(alice, it.answerTo(asked, { decision: "deny", reason: "not here" }));

  const { decision } = await it.store.requests.get(asked.id);
  expect(decision?.reason).toBe("not here");
});

test("P11 an answer counts only for the member that asked, and for what the person was shown", async () => {
  await using it = await openTeam();
  const asked = await it.ask();
  const plan = await it.store.requests.open({
    ...{ type: "plan", from: alice, to: lead },
    subject: { plan: "1. …" },
  });

  for (const [who, order] of [
    [lead, it.answerTo(asked)],
    [alice, it.answerTo(plan)],
    [alice, it.answerTo(asked, { hash: "0".repeat(64) })],
  ] as const) {
    await expect(it.orders.answer(who, order)).rejects.toMatchObject({ code: "request-refused" });
  }

  expect(await it.store.requests.list({ state: "pending" })).toHaveLength(2);
});

test("an answer that is met again does nothing, and another one is refused", async () => {
  await using it = await openTeam();
  const asked = await it.ask();
  const order = it.answerTo(asked, { decision: "allow-always" });
  await it.orders.answer(alice, order);

  await it.orders.answer(alice, order);

  expect(await it.updatesOf("alice")).toHaveLength(1);
  await expect(it.orders.answer(alice, it.answerTo(asked))).rejects.toMatchObject({
    code: "request-refused",
  });
});

test("a rule that the person added goes to all members once, and is there after a restart", async () => {
  await using it = await openTeam();
  const asked = await it.ask();
  await it.orders.answer(alice, it.answerTo(asked, { decision: "allow-always" }));

  const given = { type: "set-rules", rules: [started, expect.objectContaining(always)] };
  for (const { orders } of it.members) expect(orders).toEqual([given]);
  const [update] = await it.updatesOf("alice");
  if (update) await it.orders.rules.takeFromMail(update);
  for (const { orders } of it.members) expect(orders).toEqual([given]);

  const restarted = it.open();
  await restarted.rules.restore();
  expect(restarted.rules.inForce).toEqual([started, expect.objectContaining(always)]);
  const newcomer = new SetMember(MemberName.parse("carol"));
  await restarted.rules.giveTo(newcomer);
  expect(newcomer.orders).toEqual([{ type: "set-rules", rules: restarted.rules.inForce }]);
});

test('P13 an "always" that was taken back stays so after a restart, though the clock was set back', async () => {
  await using it = await openTeam();
  const rule = { decision: "allow", rule: always.text } as const;
  await it.orders.answer(alice, it.answerTo(await it.ask(), { decision: "allow-always" }));
  it.clock.jump(-3_600_000);

  await it.orders.rules.remove(rule);

  expect(await it.rulesAfterRestart()).toEqual([started]);
  await it.orders.answer(alice, it.answerTo(await it.ask(), { decision: "allow-always" }));
  expect(await it.rulesAfterRestart()).toEqual([started, expect.objectContaining(always)]);
});

test("P13 however many rules were added, each rule can be taken back", async () => {
  await using it = await openTeam();
  await it.orders.answer(alice, it.answerTo(await it.ask(), { decision: "allow-always" }));
  const rules = Array.from({ length: 1_000 }, (_, number) => ({
    ...({ decision: "deny", rule: `bash(${number}:*)`, change: "added" } as const),
    at: it.clock.now().toISOString(),
  }));
  await it.keeper.changePermissions((known) => ({ ...known, rules }));
  const full = it.open();
  await full.rules.restore();
  const added = full.rules.add({ decision: "deny", rule: "bash(one-more:*)" });
  await expect(added).rejects.toMatchObject({ code: "config-invalid" });

  await full.rules.remove({ decision: "allow", rule: always.text });

  expect(await it.rulesAfterRestart()).not.toContainEqual(expect.objectContaining(always));
});

test("a rule with the same text and another decision is another rule", async () => {
  await using it = await openTeam();

  for (const decision of ["ask", "deny", "ask"] as const) {
    await it.orders.rules.takeFromMail({
      ...it.mail(),
      type: "team_permission_update",
      rule: "bash(ls:*)",
      decision,
    });
  }

  expect(it.orders.rules.inForce.map(({ decision, text }) => `${decision} ${text}`)).toEqual([
    "deny bash(rm:*)",
    "ask bash(ls:*)",
    "deny bash(ls:*)",
  ]);
});

test("a member gets another mode, but none that is wider than the lead's", async () => {
  await using it = await openTeam();
  const [, ofAlice] = it.members;

  await it.orders.setMode(ofAlice, "plan", "default");
  await expect(it.orders.setMode(ofAlice, "acceptEdits", "default")).rejects.toMatchObject({
    code: "config-invalid",
  });

  expect(ofAlice.orders).toEqual([{ type: "set-mode", mode: "plan" }]);
  expect((await it.store.roster.read()).members).toMatchObject([{ permission_mode: "plan" }]);
});

test("records show the lead's new mode where they inherit it, and a mode of one's own is inherited no longer", async () => {
  await using it = await openTeam();
  const [ofLead, ofAlice] = it.members;
  const [record] = (await it.store.roster.read()).members;
  const inheriting = { ...record, permission_mode: "default", inherits: ["permission_mode"] };
  await it.store.roster.update((team) => ({ ...team, members: [inheriting as MemberRecord] }));
  const recorded = async () => (await it.store.roster.read()).members;

  await it.orders.setMode(ofLead, "acceptEdits", "bypassPermissions");
  expect(await recorded()).toMatchObject([{ permission_mode: "acceptEdits" }]);
  expect(ofAlice.orders).toEqual([]);

  await it.orders.setMode(ofAlice, "plan", "acceptEdits");
  await it.orders.setMode(ofLead, "default", "bypassPermissions");
  expect(await recorded()).toMatchObject([{ permission_mode: "plan", inherits: [] }]);
});

test("the person's own orders by mail add and remove a rule once, and an older one than the last has no effect", async () => {
  await using it = await openTeam();
  const { rules } = it.orders;
  const rule = "bash(ls:*)";
  const earlier = { ...it.mail(), type: "team_permission_update", rule, decision: "deny" } as const;
  it.clock.advance(1_000);
  const order = () => ({ ...earlier, ...it.mail() });
  const texts = () => rules.inForce.map(({ text }) => text);

  await rules.takeFromMail({ ...order(), removed: true });
  expect(it.events).toEqual([]);
  await rules.takeFromMail(order());
  await rules.takeFromMail(order());
  expect(texts()).toEqual([started.text, rule]);
  for (const late of [earlier, order()]) await rules.takeFromMail({ ...late, removed: true });
  expect(texts()).toEqual([started.text, rule]);
  it.clock.advance(1_000);
  const removal = { ...order(), removed: true };
  await rules.takeFromMail(removal);

  expect(texts()).toEqual([started.text]);
  const shown = { type: "rule-change", decision: "deny", rule };
  expect(it.events).toEqual([
    { ...shown, change: "added" },
    { ...shown, change: "removed" },
  ]);
  const at = new Date(removal.timestamp * 1_000).toISOString();
  expect((await it.keeper.permissions()).rules).toEqual([
    { decision: "deny", rule, change: "removed", at },
  ]);
  expect(await it.rulesAfterRestart()).toEqual([started]);
});

test("P13 no mail removes a rule of the start, and who did that is told where it comes from", async () => {
  await using it = await openTeam();
  const order = { type: "team_permission_update", rule: started.text, decision: "deny" } as const;
  const removed = it.orders.rules.takeFromMail({ ...it.mail(), ...order, removed: true });

  await expect(removed).rejects.toMatchObject({
    ...{ code: "config-invalid" },
    message: 'The rule "deny bash(rm:*)" comes from the options that the team was opened with',
  });
  expect(it.orders.rules.inForce).toEqual([started]);
});

test("a rule that is added is sent once, and is an event once; what is no rule changes nothing", async () => {
  await using it = await openTeam();
  const { rules } = it.orders;
  const draft = { decision: "deny", rule: "bash(mv:*)" } as const;
  await expect(rules.add({ ...draft, rule: "bash(" })).rejects.toMatchObject({
    code: "config-invalid",
  });

  const added = await rules.add(draft);
  const again = await rules.add(draft);
  const given = await rules.add({ decision: "deny", rule: started.text });

  expect(added).toEqual({ ...draft, from: "person", since: it.clock.now().toISOString() });
  expect(again).toEqual(added);
  expect(given).toMatchObject({ from: "start" });
  expect(it.events).toEqual([{ type: "rule-change", ...draft, change: "added" }]);
  const [update, ...others] = await it.updatesOf("alice");
  expect(others).toEqual([]);
  expect(update).toMatchObject({ ...draft, timestamp: it.clock.now().getTime() / 1_000 });
  expect(update).not.toHaveProperty("removed");
});

test("a removal is sent as one, and a rule that is added again is the last one", async () => {
  await using it = await openTeam();
  const { rules } = it.orders;
  const [one, two] = [
    { decision: "deny", rule: "bash(one:*)" },
    { decision: "deny", rule: "bash(two:*)" },
  ] as const;
  for (const rule of [one, two]) await rules.add(rule);

  await rules.remove(one);
  await rules.add(one);

  expect((await it.updatesOf("alice")).map(({ rule, removed }) => [rule, removed])).toEqual([
    [one.rule, undefined],
    [two.rule, undefined],
    [one.rule, true],
    [one.rule, undefined],
  ]);
  const expected = [started.text, two.rule, one.rule];
  expect(rules.inForce.map(({ text }) => text)).toEqual(expected);
  expect((await it.rulesAfterRestart()).map(({ text }) => text)).toEqual(expected);
});

test("a rule that cannot be removed is answered with those that can", async () => {
  await using it = await openTeam();
  await it.orders.rules.add({ decision: "deny", rule: "bash(mv:*)" });

  await expect(
    it.orders.rules.remove({ decision: "allow", rule: "bash(mv:*)" }),
  ).rejects.toMatchObject({ hint: "It can remove: deny bash(mv:*)." });
});

test("a mode for all is the lead's and that of everybody, also in the records", async () => {
  await using it = await openTeam();
  const [ofLead, ofAlice] = it.members;
  await it.orders.setMode(ofAlice, "plan", "default");

  await it.orders.setModeOfAll("acceptEdits");

  expect(ofLead.orders).toEqual([{ type: "set-mode", mode: "acceptEdits" }]);
  // Nothing but the lead's mode limits hers.
  expect(ofAlice.orders.at(-1)).toEqual({ type: "set-mode", mode: "bypassPermissions" });
  expect((await it.store.roster.read()).members).toMatchObject([
    { permission_mode: "acceptEdits", inherits: ["permission_mode"] },
  ]);
  expect(await it.keeper.permissions()).toMatchObject({
    ...{ mode: "acceptEdits", mode_in_force: "acceptEdits" },
  });
});

test("the mode without questions is shown as the one in force, and not kept for the next start", async () => {
  await using it = await openTeam();
  const [ofLead] = it.members;
  await it.orders.setMode(ofLead, "acceptEdits", "bypassPermissions");

  await it.orders.setMode(ofLead, "bypassPermissions", "bypassPermissions");

  const permissions = await it.keeper.permissions();
  expect(permissions.mode_in_force).toBe("bypassPermissions");
  expect(permissions).not.toHaveProperty("mode");
});

test("a mode at the start is written down only where other processes would take it for another one", async () => {
  await using it = await openTeam();
  const inForce = async () => (await it.keeper.permissions()).mode_in_force;

  await it.orders.noteMode("default");
  expect(await inForce()).toBeUndefined();
  await it.orders.noteMode("plan");
  expect(await inForce()).toBe("plan");
  await it.orders.noteMode("default");
  expect(await inForce()).toBe("default");
});

test("each member whose mode has changed is an event, whoever was meant", async () => {
  await using it = await openTeam();
  const [ofLead, ofAlice] = it.members;
  ofLead.order = async () => ofLead.set({ mode: "plan" });
  ofAlice.order = async () => ofAlice.set({ mode: "default" });

  await it.orders.setModeOfAll("plan");

  expect(it.events).toEqual([{ type: "mode-change", member: lead, mode: "plan" }]);
});

/** The permissions of a team of the lead and alice, who asks to run a command. */
async function openTeam() {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  await enlist(store, member("alice"));
  const members = [new SetMember(lead), new SetMember(alice)] as const;
  const events: unknown[] = [];
  const keeper = new RosterKeeper(store.roster, store.signature);
  const open = () =>
    new PermissionOrders({
      requests: store.requests,
      keeper,
      post: new Post({ store, secrets: new Secrets([]), clock }),
      hub: { say: (event) => void events.push(event) },
      clock,
      members: () => members,
      rules: [started],
    });
  const mail = () => ({
    ...{ id: newMessageId(clock.now()), from: user, to: alice, content: "" },
    timestamp: clock.now().getTime() / 1000,
  });
  return {
    ...{ store, clock, keeper, members, events },
    open,
    orders: open(),
    async rulesAfterRestart() {
      const { rules } = open();
      await rules.restore();
      return rules.inForce;
    },
    mail,
    ask: () =>
      store.requests.open({
        ...{ type: "permission", from: alice, to: user },
        subject: { tool: "bash", input: { command: "npm test" }, rule: always.text },
      }),
    answerTo: (
      { id }: TeamRequest,
      fields: Partial<MessageOf<"permission_response">> = {},
    ): MessageOf<"permission_response"> => ({
      ...{ ...mail(), type: "permission_response", request_id: id, decision: "allow-once" },
      ...fields,
    }),
    async updatesOf(name: string) {
      const { reader } = await store.openMember(MemberName.parse(name), {
        onSetAside: () => undefined,
      });
      const mails = await reader.unread();
      return mails.flatMap(({ message }) =>
        message.type === "team_permission_update" ? [message] : [],
      );
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
