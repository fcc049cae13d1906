import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
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
  await enlist(store, member("alice", "idle"));
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
    version: "1",
    team: { name: "default" },
    obstacle: null,
    running: { pid: process.pid },
    members: [
      { name: "lead", is_lead: true, status: "idle" },
      { name: "alice", role: "coder", status: "idle", waits_for: "the person" },
    ],
    tasks: [{ id: "1", subject: "a task", status: "pending" }],
    requests: [{ from: "alice", is_open: true, shown: "rm<U+202E> -r x", rule: "bash(rm:*)" }],
    messages: [{ from: "user", to: "alice", state: "queued", text: "hello", seen_at: null }],
    problems: [],
  });
  expect(page.came).toEqual(["state"]);
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

test("mail that comes without an event is shown, and a line that is none as set aside", async () => {
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

test("a team that is not there yet is waited for", async () => {
  await using directory = await temporaryDirectory();
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  const before = await page.shows(() => true);

  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  expect(before).toMatchObject({ team: null, obstacle: null, members: [], running: null });
  await page.shows(({ team, members }) => team?.name === "default" && members.length === 2);
});

test("a team of a newer version is not looked at, and is once it is another one", async () => {
  await using directory = await temporaryDirectory();
  const team = join(directory.path, ".team");
  const store = await openStore(directory.path);
  await store[Symbol.asyncDispose]();
  const roster = await readFile(join(team, "config.json"), "utf8");
  await writeFile(join(team, "config.json"), roster.replace('"format": 1', '"format": 99'));
  await using room = openRoom(directory.path);
  await using page = new Page(room);

  const before = await page.shows(() => true);
  await writeFile(join(team, "config.json"), roster);

  expect(before).toMatchObject({ team: null, obstacle: { code: "format-newer" } });
  await page.shows(({ team, obstacle }) => team !== null && obstacle === null);
});

test("another team in the same directory is shown anew", async () => {
  await using directory = await temporaryDirectory();
  const team = join(directory.path, ".team");
  const first = await openStore(directory.path);
  await enlist(first, member("alice"));
  await first.send("alice", { type: "message", from: user, content: "old" });
  await first[Symbol.asyncDispose]();
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  await page.shows(({ messages }) => messages.length === 1);

  await rm(team, { recursive: true });
  await page.shows(({ team }) => team === null);
  await mkdir(team);
  await using second = await openStore(directory.path);
  await second.send("lead", { type: "message", from: user, content: "new" });

  const shown = await page.shows(({ messages }) => messages.some(({ text }) => text === "new"));
  expect(shown.messages).toHaveLength(1);
  expect(shown.members).toMatchObject([{ name: "lead" }]);
});

test("damaged records are told and do not hide the others", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await store.tasks.create({ subject: "good", created_by: lead });
  await store.tasks.create({ subject: "bad", created_by: lead });
  await writeFile(join(directory.path, ".team/tasks/2.json"), "{");
  await writeFile(join(directory.path, ".team/tasks/.versions/2/1.json"), "{");
  await writeFile(join(directory.path, ".team/usage.jsonl"), "nonsense\n");
  await using room = openRoom(directory.path);
  await using page = new Page(room);

  const shown = await page.shows(() => true);

  expect(shown.tasks).toMatchObject([{ subject: "good" }]);
  expect(shown.problems).toEqual(
    expect.arrayContaining([
      expect.stringContaining("2.json"),
      expect.stringContaining("usage.jsonl"),
    ]),
  );
});

test("when nobody runs the team any more, nobody does anything", async () => {
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

test("a task that is deleted is gone for everybody", async () => {
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

test("a pipe in a transcript's place holds nothing up, and is told", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob"));
  await store.send("bob", { type: "message", from: user, content: "hello" });
  await mkdir(join(directory.path, ".team/transcripts"), { recursive: true });
  execFileSync("mkfifo", [join(directory.path, ".team/transcripts/alice.jsonl")]);
  await using room = openRoom(directory.path);

  const { members, problems } = await room.state();

  expect(members.map(({ name, unread }) => [name, unread])).toEqual([
    ["lead", 0],
    ["alice", 0],
    ["bob", 1],
  ]);
  expect(problems).toEqual([expect.stringMatching(/alice\.jsonl is a pipe or a device/)]);
  await expect(room.transcript("alice", { limit: 1 })).rejects.toThrow("is a pipe or a device");
});

test("a roster that somebody has made nonsense of is told to the first page, too", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await writeFile(join(directory.path, ".team/config.json"), "nonsense");
  await using room = openRoom(directory.path);

  const { members, problems } = await room.state();

  expect(members.map(({ name }) => name)).toEqual(["lead", "alice"]);
  expect(problems).toEqual([expect.stringMatching(/The last good roster is shown/)]);
});

test("without the team's key it is told that no question is shown; with it they are", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const { team_id } = await store.roster.read();
  const key = join(directory.path, "state/troupe/keys", team_id);
  await rename(key, `${key}.away`);
  const ask = (command: string) =>
    store.requests.open({
      ...{
        type: "permission",
        from: alice,
        to: user,
        subject: { tool: "bash", input: { command } },
      },
    });
  await ask("first");
  await using room = openRoom(directory.path);
  await using page = new Page(room);

  const without = await page.shows(() => true);
  await rename(`${key}.away`, key);
  await ask("second");

  expect(without.requests).toEqual([]);
  expect(without.problems).toContain("Without the team's key no question can be shown.");
  const { requests } = await page.shows((shown) => shown.requests.length > 0);
  expect(requests.map(({ shown }) => shown)).toEqual(["first", "second"]);
});

test("what is told of a problem is cut, however long it is", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice", "working"));
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  await page.shows(() => true);

  store.events.append({ type: "warning", at, message: "x".repeat(100_000) });

  const { problems } = await page.shows((shown) => shown.problems.length > 0);
  expect(problems[0]).toHaveLength(2_000);
});

test("the team is followed while somebody reads and a while longer, and not otherwise", async () => {
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
