import { appendFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MailRecord } from "../../src/mailbox/mailbox.ts";
import { lead, newRequestId, user } from "../../src/protocol/ids.ts";
import type { MemberStore, TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { observe, openStore } from "../support/team.ts";

const ignored = { onSetAside: () => undefined };
const say = (store: TeamStore, content: string) =>
  store.send("lead", { type: "message", from: user, content });
const textsOf = (records: readonly MailRecord[]) =>
  records.map((record) => (record.state === "set aside" ? record.reason : record.message.content));

async function acknowledgeAll({ reader }: MemberStore): Promise<void> {
  for (let unread = await reader.unread(); unread.length > 0; unread = await reader.unread()) {
    const last = unread.at(-1);
    if (last) await reader.acknowledge(last.message.id);
  }
}

test("what comes is given once, and how much of all is unread", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const member = await store.openMember(lead, ignored);
  await say(store, "before");
  const tail = await (await observe(directory.path)).mailTail(lead);
  await tail.countUnread();

  await say(store, "one");
  const first = await tail.readNew();
  await say(store, "two");
  const second = await tail.readNew();
  const unread = tail.unread;
  await acknowledgeAll(member);
  const hasMoved = await tail.refresh();

  expect([textsOf(first), textsOf(second)]).toEqual([["one"], ["two"]]);
  expect(first).toMatchObject([{ state: "queued" }]);
  expect([unread, hasMoved, tail.unread, await tail.refresh()]).toEqual([3, true, 0, false]);
  expect(await tail.readNew()).toEqual([]);
});

test("what concerns the runtime alone waits for no member", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await store.openMember(lead, ignored);
  const ask = () =>
    store.send("lead", {
      ...{ type: "permission_request", from: user, request_id: newRequestId(new Date()) },
      ...{ tool: "bash", input: { command: "make" } },
    });
  await ask();
  const tail = await (await observe(directory.path)).mailTail(lead);
  await tail.countUnread();
  await ask();
  await say(store, "one");
  await tail.readNew();

  expect(tail.unread).toBe(1);
});

test("nothing is missed where logs are rotated, nor what a late sender adds to an old one", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const member = await store.openMember(lead, ignored);
  const tail = await (await observe(directory.path)).mailTail(lead);
  const inbox = join(directory.path, ".team/inbox");

  const found: string[] = [];
  const sent: string[] = [];
  for (let index = 0; index < 12; index++) {
    const content = `${index} `.padEnd(200_000, "x");
    sent.push(content);
    await say(store, content);
    await acknowledgeAll(member);
    await tail.refresh();
    if (index % 3 === 0) found.push(...textsOf(await tail.readNew()));
  }
  found.push(...textsOf(await tail.readNew()));
  const { generation } = tail.position;
  const newest = join(inbox, ".lead", `${String(generation - 1).padStart(6, "0")}.jsonl`);
  await appendFile(newest, "late\n");

  expect(generation).toBeGreaterThan(1);
  expect(found).toEqual(sent);
  expect(textsOf(await tail.readNew())).toEqual(["late"]);
});

test("a log that was deleted or replaced is read from its start", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await say(store, "gone");
  const tail = await (await observe(directory.path)).mailTail(lead);
  const live = join(directory.path, ".team/inbox/lead.jsonl");

  await rename(live, `${live}.aside`);
  await appendFile(live, "by hand\n");
  const replaced = await tail.readNew();
  await rm(live);

  expect(textsOf(replaced)).toEqual(["by hand"]);
  expect(await tail.readNew()).toEqual([]);
});

test("what was unread in a log that was replaced is not counted any more", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const tail = await (await observe(directory.path)).mailTail(lead);
  for (const content of ["one", "two"]) await say(store, content);
  await tail.readNew();
  const live = join(directory.path, ".team/inbox/lead.jsonl");
  const before = tail.unread;

  await rename(live, `${live}.aside`);
  await appendFile(live, "by hand\n");
  await tail.readNew();

  expect([before, tail.unread]).toEqual([2, 1]);
});

test("a mailbox that has no log yet is followed from the first byte of it", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);
  const live = join(directory.path, ".team/inbox/lead.jsonl");
  await rm(live, { force: true });
  const tail = await (await observe(directory.path)).mailTail(lead);

  await appendFile(live, "x\n");

  expect(textsOf(await tail.readNew())).toEqual(["x"]);
});
