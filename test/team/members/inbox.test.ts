import { expect, test } from "vitest";
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
  await it.inbox.acknowledge(id);
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

async function openInbox() {
  const store = new MemoryTeamStore({ clock: new ManualClock() });
  const { reader } = await store.openMember(lead, { onSetAside: () => undefined });
  const calls: string[] = [];
  const it = { isLeaving: false };
  return Object.assign(it, {
    calls,
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
