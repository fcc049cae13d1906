import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, observe, openStore } from "../support/team.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";

test("the newest events are given oldest first, and following goes on behind them", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const warn = (number: number) =>
    store.events.append({ type: "warning", at, message: `${number}` });
  for (let number = 1; number <= 10; number++) warn(number);
  const observer = await observe(directory.path);

  const recent = await observer.recentEvents(3);
  const leaving = new AbortController();
  const events = observer.follow({ after: 10, signal: leaving.signal, paceMs: 1 });
  const next = events.next();
  warn(11);

  expect(recent.map(({ seq }) => seq)).toEqual([8, 9, 10]);
  expect((await next).value).toMatchObject({ seq: 11 });
  leaving.abort();
  await events.return(undefined);
  expect(await (await observe(directory.path)).recentEvents(100)).toHaveLength(11);
});

test("a broadcast of the person reaches everybody who is alive", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob", "shutdown"));
  const { reader } = await store.openMember(alice, { onSetAside: () => undefined });

  const count = await (await observe(directory.path)).broadcast("Stop for a moment.");

  expect(count).toBe(2);
  expect(await reader.unread()).toMatchObject([{ message: { type: "broadcast", from: "user" } }]);
});

test("requests are seen by their ids, and answered with the hash of what was shown", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const { reader } = await store.openMember(alice, { onSetAside: () => undefined });
  const request = await store.requests.open({
    ...{ type: "plan", from: alice, to: user, subject: { plan: "1. Do it." } },
  });
  const observer = await observe(directory.path);

  expect(await observer.requestIds()).toEqual([request.id]);
  expect(await observer.request(request.id)).toMatchObject({ id: request.id, state: "pending" });
  await observer.answer(request.id, { decision: "allow-once", hash: "of something else" });
  expect(await reader.unread()).toMatchObject([{ message: { hash: "of something else" } }]);
});

test("mail is read back from any place, and only what has a text where that is wanted", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  for (const content of ["one", "two", "three"]) {
    await store.send("lead", { type: "message", from: user, content });
  }
  const observer = await observe(directory.path);
  const contents = async (options: Parameters<typeof observer.mailLines>[1]) => {
    const found = [];
    for await (const { records, start } of observer.mailLines(lead, options)) {
      for (const record of records) {
        if (record.state !== "set aside") found.push({ text: record.message.content, start });
      }
    }
    return found;
  };

  const all = await contents({});
  const before = all[0]?.start;

  expect(all.map(({ text }) => text)).toEqual(["three", "two", "one"]);
  expect((await contents({ before })).map(({ text }) => text)).toEqual(["two", "one"]);
  expect((await contents({ having: '"two"' })).map(({ text }) => text)).toEqual(["two"]);
});
