import { expect, test } from "vitest";
import { MessagesQuery } from "../../../src/protocol/dashboard-requests.ts";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
import type { Room } from "../../../src/server/room/room.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { openRoom } from "./page.ts";

const names = Array.from({ length: 20 }, (_, index) => `m${index}`);

test("paging back over 5,000 messages in 20 mailboxes returns each once while new ones arrive", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, ...names.map((name) => member(name)));
  for (let index = 0; index < 5_000; index++) {
    const to = names[(index * 7) % names.length] ?? "";
    const timestamp = 1_000_000 + index;
    await store.send(to, { type: "message", from: user, content: `old ${index}`, timestamp });
  }
  await using room = openRoom(directory.path);

  const found: string[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await room.messages(MessagesQuery.parse({ limit: 300, before }));
    found.unshift(...page.messages.map(({ text }) => text));
    before = page.before;
    await store.send("m3", { type: "message", from: user, content: "new" });
  }

  expect(found).toEqual(Array.from({ length: 5_000 }, (_, index) => `old ${index}`));
});

test("messages are found by member, type and text, at any distance", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const alice = MemberName.parse("alice");
  await enlist(store, member("alice"), member("bob"));
  for (let index = 0; index < 3_500; index++) {
    await store.send("bob", { type: "message", from: user, content: `noise ${index}` });
    if (index === 0) {
      await store.send("lead", { type: "result", from: alice, content: "Needle", outcome: "done" });
      await store.send("alice", { type: "message", from: lead, content: "to alice" });
    }
  }
  await using room = openRoom(directory.path);

  expect(await allMessages(room, { search: "nEEdle" })).toMatchObject([
    { from: "alice", to: "lead", type: "result", facts: { outcome: "done" } },
  ]);
  expect(await allMessages(room, { types: "result,broadcast" })).toHaveLength(1);
  const ofAlice = await allMessages(room, { member: "alice" });
  // Sent within one millisecond, they may come in either order.
  expect(ofAlice.map(({ text }) => text).sort()).toEqual(["Needle", "to alice"]);
});

async function allMessages(room: Room, wish: object) {
  const found = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await room.messages(MessagesQuery.parse({ ...wish, before }));
    found.unshift(...page.messages);
    before = page.before;
  }
  return found;
}

test("one message is returned whole, with the time it was seen from the transcript", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const content = "long ".repeat(10_000);
  const timestamp = Date.parse("2026-01-01T08:00:00.000Z") / 1000;
  const sent = await store.send("lead", { type: "message", from: user, content, timestamp });
  const { transcript, reader } = await store.openMember(lead, { onSetAside: () => undefined });
  const at = "2026-01-01T09:00:00.000Z";
  const [delivery] = await reader.unread();
  if (!delivery) throw new Error("Nothing is unread");
  await transcript.append([
    ...Array.from({ length: 3_000 }, (_, index) => ({
      type: "note" as const,
      at: new Date(Date.parse("2026-01-01T07:00:00.000Z") + index).toISOString(),
      text: "before ".repeat(100),
      wakes: false,
    })),
    { type: "delivery", at, ...delivery },
  ]);
  await reader.acknowledge(sent.id);
  await using room = openRoom(directory.path);

  const [brief] = (await room.messages(MessagesQuery.parse({}))).messages;
  const whole = await room.message("lead", sent.id);

  expect(brief).toMatchObject({ is_cut: true, state: "delivered", seen_at: at });
  expect(whole).toMatchObject({ is_cut: false, text: content, seen_at: at });
  await expect(room.message("lead", "019b78c9-0e68-7e41-9e5f-c7bf12af5b3f")).rejects.toThrow(
    "no such message",
  );
});

test("an invalid cursor is refused", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);
  await using room = openRoom(directory.path);

  await expect(room.messages(MessagesQuery.parse({ before: "../x" }))).rejects.toThrow("`before`");
});
