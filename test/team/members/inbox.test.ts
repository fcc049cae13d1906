import { expect, test } from "vitest";
import type { MailDelivery } from "../../../src/mailbox/mailbox.ts";
import { lead, user } from "../../../src/protocol/ids.ts";
import { Inbox } from "../../../src/team/members/inbox.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

test("mail is reported, and its orders are carried out, before anybody is given it", async () => {
  await using it = await openInbox();
  const { id } = await it.send("one");
  expect(it.inbox.lookedAt).toBeUndefined();

  const unread = await it.inbox.unread();

  expect(unread.map(({ message }) => message.content)).toEqual(["one"]);
  expect(it.calls).toEqual(["report one", "carry out one"]);
  expect(it.inbox.lookedAt).toBe(id);
  await it.inbox.takeIn(unread, async () => undefined);
  expect(await it.inbox.unread()).toEqual([]);
  expect(it.inbox.lookedAt).toBe(id);
});

test("a process that leaves takes nothing more", async () => {
  await using it = await openInbox();
  await it.send("one");
  it.isLeaving = true;

  expect(await it.inbox.unread()).toEqual([]);
});

test("new mail is a wake, until nobody listens", async () => {
  await using it = await openInbox();
  let wakes = 0;
  const stop = it.inbox.onWake(() => wakes++);

  await it.send("one");
  expect(wakes).toBe(1);
  stop();
  await it.send("two");
  expect(wakes).toBe(1);
});

test("P01 a message is recorded or withdrawn, whichever comes first, and never both", async () => {
  await using it = await openInbox();
  const one = await it.send("one");
  await it.send("two");
  const unread = await it.inbox.unread();

  expect(await it.inbox.withdraw(one.id, user)).toBe(true);
  const recorded: string[] = [];
  const record = async (mail: readonly MailDelivery[]) =>
    void recorded.push(...mail.map(({ message }) => message.content));
  // What was read before the withdrawal is taken without it.
  expect(await it.inbox.takeIn(unread, record)).toHaveLength(1);
  expect(recorded).toEqual(["two"]);
  expect(await it.inbox.unread()).toEqual([]);

  const three = await it.send("three");
  const order: string[] = [];
  const taking = it.inbox.takeIn(await it.inbox.unread(), async () => void order.push("recorded"));
  const late = it.inbox.withdraw(three.id, user);
  expect(await late).toBe(false);
  await taking;
  expect(order).toEqual(["recorded"]);
});

test("a message that could not be recorded can still be withdrawn", async () => {
  await using it = await openInbox();
  const { id } = await it.send("one");
  const failing = it.inbox.takeIn(await it.inbox.unread(), () => Promise.reject(new Error("full")));

  await expect(failing).rejects.toThrow("full");

  expect(await it.inbox.withdraw(id, user)).toBe(true);
});

test("mail that the result of a call shows is not withdrawn any more", async () => {
  await using it = await openInbox();
  const { id } = await it.send("one");
  const mail = await it.inbox.unread();

  expect(await it.inbox.hold(mail)).toEqual(mail);

  expect(await it.inbox.withdraw(id, user)).toBe(false);
  await it.inbox.takeIn(mail, async () => undefined);
  const two = await it.send("two");
  expect(await it.inbox.withdraw(two.id, user)).toBe(true);
  expect(await it.inbox.hold(mail.slice(1))).toEqual([]);
});

test("nobody withdraws what another has sent, or an order", async () => {
  await using it = await openInbox();
  const { id } = await it.send("one");
  const order = await it.store.send("lead", { type: "mode_set_request", from: user, mode: "plan" });

  expect(await it.inbox.withdraw(id, lead)).toBe(false);
  expect(await it.inbox.withdraw(order.id, user)).toBe(false);
  expect(await it.inbox.unread()).toHaveLength(2);
});

async function openInbox() {
  const store = new MemoryTeamStore({ clock: new ManualClock() });
  const { reader } = await store.openMember(lead, { onSetAside: () => undefined });
  const calls: string[] = [];
  const it = { isLeaving: false };
  return Object.assign(it, {
    ...{ store, calls },
    inbox: new Inbox(reader, {
      reportMail: async (unread) =>
        void calls.push(...unread.map(({ content }) => `report ${content}`)),
      carryOut: async (unread) =>
        void calls.push(...unread.map(({ content }) => `carry out ${content}`)),
      isLeaving: () => it.isLeaving,
    }),
    send: (content: string) => store.send("lead", { type: "message", from: user, content }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  });
}
