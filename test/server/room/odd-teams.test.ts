import { execFileSync } from "node:child_process";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { openRoom, Page } from "./page.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const ignored = { onSetAside: () => undefined };

test("a team that does not exist yet is waited for", async () => {
  await using directory = await temporaryDirectory();
  await using room = openRoom(directory.path);
  await using page = new Page(room);
  const before = await page.shows(() => true);

  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  expect(before).toMatchObject({ team: null, obstacle: null, members: [], running: null });
  await page.shows(({ team, members }) => team?.name === "default" && members.length === 2);
});

test("a team of a newer version is not read, until it is replaced by another one", async () => {
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

test("another team in the same directory is shown from scratch", async () => {
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

test("damaged records are reported and do not hide the others", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path, { onWarning: () => undefined });
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

test("a pipe in place of a transcript blocks nothing, and is reported", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob"));
  await store.send("bob", { type: "message", from: user, content: "hello" });
  const { reader } = await store.openMember(alice, ignored);
  const seen = await store.send("alice", { type: "message", from: user, content: "seen" });
  await reader.unread();
  await reader.acknowledge(seen.id);
  const transcript = join(directory.path, ".team/transcripts/alice.jsonl");
  await rm(transcript, { force: true });
  execFileSync("mkfifo", [transcript]);
  await using room = openRoom(directory.path);

  const { members, problems } = await room.state();

  expect(members.map(({ name, unread }) => [name, unread])).toEqual([
    ["lead", 0],
    ["alice", 0],
    ["bob", 1],
  ]);
  expect(problems).toEqual([expect.stringMatching(/alice\.jsonl is a pipe or a device/)]);
  await expect(room.transcript("alice", { limit: 1 })).rejects.toThrow("is a pipe or a device");
  expect((await room.messages({ limit: 10, member: "alice" })).messages).toMatchObject([
    { text: "seen", state: "delivered", seen_at: null },
  ]);
});

test("an invalid roster is reported to the first page, too", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await writeFile(join(directory.path, ".team/config.json"), "nonsense");
  await using room = openRoom(directory.path);

  const { members, problems } = await room.state();

  expect(members.map(({ name }) => name)).toEqual(["lead", "alice"]);
  expect(problems).toEqual([expect.stringMatching(/The last good roster is shown/)]);
});

test("a missing key is reported since questions cannot be shown; with the key they are", async () => {
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

test("the description of a problem is cut to a limit", async () => {
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
