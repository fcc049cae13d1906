import { appendFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { lead, MemberName, MessageId, outside, user } from "../../../src/protocol/ids.ts";
import { signPermissions } from "../../../src/team/members/signed-permissions.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { openRoom, Page } from "./page.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const ignored = { onSetAside: () => undefined };

test("a page first gets the whole team", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const agent = { name: "tester", sha256: "0" };
  await enlist(store, { ...member("alice", "idle"), agent });
  await store.send("alice", { type: "message", from: user, content: "hello" });
  await store.tasks.create({ subject: "a task", created_by: lead });
  await store.requests.open({
    type: "permission",
    from: alice,
    to: user,
    subject: { tool: "bash", input: { command: "rm\u202e -r x" }, rule: "bash(rm:*)", reason: "r" },
  });
  await using room = openRoom(directory.path);
  await using page = new Page(room);

  const shown = await page.shows(() => true);

  expect(shown).toMatchObject({
    version: packageJson.version,
    team: { name: "default" },
    obstacle: null,
    running: { pid: process.pid },
    members: [
      { name: "lead", is_lead: true, status: "idle" },
      { name: "alice", role: "coder, by tester", status: "idle", waits_for: "the person" },
    ],
    tasks: [{ id: "1", subject: "a task", status: "pending" }],
    requests: [{ from: "alice", is_open: true, shown: "rm<U+202E> -r x", rule: "bash(rm:*)" }],
    messages: [{ from: "user", to: "alice", state: "queued", text: "hello", seen_at: null }],
    problems: [],
  });
  expect(page.came).toEqual(["state"]);
});

test("the context window is the one that the person has set", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, { ...member("alice"), model: "anthropic/claude-sonnet-5" });
  const { transcript } = await store.openMember(alice, ignored);
  const usage = {
    input_tokens: 1_000,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
  };
  await transcript.append([{ type: "reply", at, blocks: [], stop: "end", usage }]);
  const models = { "anthropic/*": { contextWindow: 50_000 } };
  await using room = openRoom(directory.path, { own: { models } });

  const { members } = await room.state();

  expect(members[1]).toMatchObject({ name: "alice", context: { tokens: 1_000, window: 50_000 } });
});

test("every kind of change arrives", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice", "working"));
  const { transcript, reader } = await store.openMember(alice, ignored);
  await using room = openRoom(directory.path);
  await using page = new Page(room, { watch: "alice" });
  await page.shows(() => true);
  const aliceIn = (shown: { members: readonly { name: string }[] }) =>
    page.shown?.members.find(({ name }) => name === "alice") ?? shown.members[0];

  store.events.append({ type: "run-start", member: alice, at });
  store.events.append({
    ...{ type: "tool-call", member: alice, at, call_id: "1", name: "bash" },
    input: { command: "npm test" },
  });
  const called = await page.shows(
    () => page.shown?.members.some(({ doing }) => doing?.tool === "bash") ?? false,
  );
  expect(aliceIn(called)).toMatchObject({ doing: { text: "npm test", tool: "bash", since: at } });
  expect(page.grown).toContain("alice");

  await enlist(store, member("bob"));
  await page.shows(({ members }) => members.length === 3);

  const task = await store.tasks.create({ subject: "a task", created_by: lead });
  await page.shows(({ tasks }) => tasks.length === 1);
  await store.tasks.claim(task.id, { by: alice });
  await page.shows(({ tasks }) => tasks[0]?.owner === "alice");

  const asked = await store.requests.open({
    ...{ type: "plan", from: alice, to: lead, subject: { plan: "1. Do it." } },
  });
  await page.shows(({ members }) => members[1]?.waits_for === "the lead");
  await store.requests.decide(asked.id, { by: lead, state: "approved", hash: asked.hash });
  await page.shows(({ requests }) => requests[0]?.state === "approved");

  const sent = await store.send("alice", { type: "message", from: user, content: "hi" });
  await page.shows(({ messages, members }) => messages.length === 1 && members[1]?.unread === 1);
  const [delivery] = await reader.unread();
  if (!delivery) throw new Error("Nothing is unread");
  await transcript.append([{ type: "delivery", at, ...delivery }]);
  await reader.acknowledge(sent.id);
  await page.shows(({ messages, members }) => {
    return messages[0]?.seen_at === at && members[1]?.unread === 0;
  });

  await store.usage.record({
    ...{ type: "call", at, member: alice, model: "rehearsal", cost_usd: 0.25 },
    ...{ input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 },
  });
  await page.shows(({ members }) => members[1]?.cost_usd === 0.25 && members[1].tokens === 10);

  store.events.append({ type: "text-delta", member: alice, at, text: "I think" });
  await page.shows((_, { live }) => live.some(({ text }) => text === "I think"));
  store.events.append({ type: "turn-end", member: alice, at, turn: 1, usage });
  await page.shows(({ members }) => members[1]?.context?.tokens === 10);

  store.events.append({ type: "warning", at, message: "Something is odd" });
  await page.shows(({ problems }) => problems.includes("Something is odd"));
  expect(page.came.filter((event) => event === "state")).toHaveLength(1);
});

const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };

test("P40 rules that were added, and the mode of each member, are shown as they are by now", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob", "shutdown"));
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  const before = await page.shows(() => true);
  const rule = "bash(touch:*)";

  const { id, hash } = await store.requests.open({
    ...{ type: "permission", from: alice, to: user },
    subject: { tool: "bash", input: { command: "touch a" }, rule },
  });
  await store.requests.decide(id, { by: user, state: "approved", hash, rule });
  store.events.append({ type: "rule-change", change: "added", decision: "allow", rule, at });
  const withRule = await page.shows(({ rules }) => rules.length === 1);
  await store.roster.update((team) => ({
    ...team,
    permissions: signPermissions(
      {
        mode_in_force: "plan",
        rules: [
          { decision: "allow", rule, change: "removed", at: "2126-01-01T09:00:00.000Z" },
          { decision: "deny", rule: "read_file(a\u202eb)", change: "added", at },
        ],
      },
      team,
      store.signature,
    ),
  }));
  store.events.append({ type: "rule-change", change: "removed", decision: "allow", rule, at });
  const after = await page.shows(
    ({ rules, members }) => rules[0]?.decision === "deny" && members[0]?.permission_mode === "plan",
  );

  expect(before.rules).toEqual([]);
  expect(before.members.map(({ permission_mode }) => permission_mode)).toEqual([
    ...["default", "default", null],
  ]);
  expect(withRule.rules).toEqual([
    { decision: "allow", rule, shown: rule, from: "answer", since: expect.any(String) },
  ]);
  expect(after.rules).toEqual([
    {
      ...{ decision: "deny", rule: "read_file(a\u202eb)", shown: "read_file(a<U+202E>b)" },
      ...{ from: "person", since: at },
    },
  ]);
  expect(page.came.filter((event) => event === "state")).toHaveLength(1);
});

test("mail without an event is shown, and an invalid line as set aside", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await store.openMember(alice, ignored);
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  await page.shows(() => true);

  await appendFile(join(directory.path, ".team/inbox/alice.jsonl"), 'by hand\n{"type":"resu\n');

  const shown = await page.shows(({ messages }) => messages.length === 2);
  expect(shown.messages).toMatchObject([
    { from: "outside", to: "alice", text: "by hand", type: "message" },
    { type: "set-aside", to: "alice", text: '{"type":"resu', sent_at: null },
  ]);
  expect(shown.problems).toMatchObject([expect.stringContaining("alice")]);
});

test("when the team is no longer running, no member is active", async () => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice", "working"));
  store.events.append({ type: "run-start", member: alice, at });
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  await page.shows(({ members }) => members[1]?.doing?.text === "starts");

  await store[Symbol.asyncDispose]();
  await page.shows(({ running, members }) => running === null && members[1]?.doing === null);
  await using again = await openStore(directory.path);
  again.events.append({ type: "run-start", member: alice, at });

  await page.shows(({ running, members }) => running !== null && members[1]?.doing !== null);
});

test("a deleted task disappears from all pages", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await store.tasks.create({ subject: "first", created_by: lead });
  await store.tasks.create({ subject: "second", created_by: lead });
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  await page.shows(({ tasks }) => tasks.length === 2);

  await rm(join(directory.path, ".team/tasks/.versions/1"), { recursive: true });
  await rm(join(directory.path, ".team/tasks/1.json"));

  await page.shows(({ tasks }) => tasks.length === 1);
});

test("the team is followed only while a page is connected, and a short time longer", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  await using room = openRoom(directory.path, { place: { clock }, lingerMs: 5_000 });
  const before = room.isOpen;
  const page = new Page(room);
  await page.shows(() => true);

  const during = room.isOpen;
  await page.cut();
  clock.advance(4_999);
  const shortlyAfter = room.isOpen;
  clock.advance(1);

  expect([before, during, shortlyAfter, room.isOpen]).toEqual([false, true, true, false]);
});

test("mail that a late sender adds to an old log is shown when the team reads it", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { reader } = await store.openMember(lead, ignored);
  for (let number = 0; number < 7; number++) {
    const content = `${number} `.padEnd(200_000, "x");
    const sent = await store.send("lead", { type: "message", from: user, content });
    await reader.unread();
    await reader.acknowledge(sent.id);
  }
  const segment = join(directory.path, ".team/inbox/.lead/000001.jsonl");
  const { size } = await stat(segment);
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  await page.shows(({ messages }) => messages.length === 7);

  await appendFile(segment, "late\n");
  const id = MessageId.parse(`hand-1-${size}`);
  const mail = { member: outside, to: lead, id, message_type: "message" };
  store.events.append({ type: "message-sent", at, ...mail });

  const shown = await page.shows(({ messages }) => messages.length === 8);
  expect(shown.messages.map(({ text }) => text)).toContain("late");
});
