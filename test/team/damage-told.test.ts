import { appendFile, cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CronEntry } from "../../src/protocol/cron.ts";
import { lead, MemberName, newMessageId, newRequestId, user } from "../../src/protocol/ids.ts";
import type { MessageDraft } from "../../src/protocol/message.ts";
import type { MemberStore } from "../../src/team/team-store.ts";
import { entriesNewestFirst } from "../../src/team/view/read-pages.ts";
import { call } from "../../src/testing/conformance/usage-ledger.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore, viewTeam } from "../support/team.ts";

const alice = MemberName.parse("alice");
const ignored = { onSetAside: () => undefined };
const at = new Date().toISOString();

const job = {
  id: "0a1b2c3d",
  member: alice,
  command: "npm test",
  started_at: at,
  message_id: newMessageId(new Date()),
};
const cron = CronEntry.parse({
  id: "0badcafe",
  cron: "0 9 * * 1-5",
  prompt: "Look at the build.",
  member: "alice",
  once: false,
  created_by: "lead",
  created_at: at,
  next_at: at,
});

const mailbox = ".team/inbox/alice.jsonl";

describe("damage while no process runs the team is reported at the next start", () => {
  test.each<[string, string, (text: string) => string | undefined]>([
    ["an unread message is missing", mailbox, (text) => `${lines(text).slice(0, -1).join("\n")}\n`],
    ["mail that was read is missing", mailbox, (text) => `${lines(text).slice(1).join("\n")}\n`],
    ["mail is in another order", mailbox, (text) => `${lines(text).reverse().join("\n")}\n`],
    ["mail that was read is changed", mailbox, (text) => text.replace("read 0", "read 9")],
    ["the end of a mailbox is torn off", mailbox, (text) => text.slice(0, -20)],
    ["the end of a mailbox is zeroed", mailbox, (text) => text.slice(0, -9) + "\0".repeat(9)],
    ["a mailbox is missing", mailbox, () => undefined],
    ["a cursor is missing", ".team/inbox/.alice/cursor", () => undefined],
    [
      "a cursor is changed",
      ".team/inbox/.alice/cursor",
      (text) => text.replace('"ino":"', '"ino":"1'),
    ],
    ["a call is missing from the bill", ".team/usage.jsonl", (text) => `${lines(text)[0]}\n`],
    ["a call is there twice", ".team/usage.jsonl", (text) => `${text}${lines(text)[0]}\n`],
    ["a call has other tokens", ".team/usage.jsonl", (text) => text.replace("1000", "1001")],
    ["the bill is missing", ".team/usage.jsonl", () => undefined],
    ["a job is missing", ".team/background/alice-0a1b2c3d.json", () => undefined],
    ["a cron is missing", ".team/crons/0badcafe.json", () => undefined],
    ["a cron is changed", ".team/crons/0badcafe.json", (text) => text.replace("build", "guild")],
    ["a task is changed", ".team/tasks/1.json", (text) => text.replace("paint", "faint")],
    ["the roster is changed", ".team/config.json", (text) => text.replace("default", "defeult")],
  ])("%s", async (_, path, change) => {
    await using directory = await liveTeam();
    const file = join(directory.path, path);
    const changed = change(await readFile(file, "utf8"));
    if (changed === undefined) await rm(file);
    else await writeFile(file, changed);

    const warnings = await warningsOfStart(directory.path);

    expect(warnings.join("\n")).toContain(path);
  });

  test("a segment of a mailbox is missing", async () => {
    await using directory = await liveTeam({ segments: true });
    const segment = ".team/inbox/.alice/000001.jsonl";
    await rm(join(directory.path, segment));

    const warnings = await warningsOfStart(directory.path);

    expect(warnings).toEqual([expect.stringContaining(segment)]);
  });

  test("and intact files, and mail or files that were written in the meantime, are not reported", async () => {
    await using directory = await liveTeam({ segments: true });
    await viewTeam(directory.path).send("alice", "from a shell");
    await appendFile(join(directory.path, mailbox), "by hand\n");

    expect(await warningsOfStart(directory.path)).toEqual([]);
    expect(await warningsOfStart(directory.path)).toEqual([]);
  });

  test("nor is a crash before the last call could be recorded", async () => {
    await using directory = await liveTeam();
    const heads = join(directory.path, "state", "troupe", "heads");
    await cp(heads, join(directory.path, "before"), { recursive: true });
    const store = await openStore(directory.path);
    await store.usage.record(call("alice", { input_tokens: 7 }));
    await store[Symbol.asyncDispose]();
    await cp(join(directory.path, "before"), heads, { recursive: true, force: true });

    expect(await warningsOfStart(directory.path)).toEqual([]);
  });
});

test("P08 the end of a background job is reported to its owner from the copy of a lost record", async () => {
  await using directory = await liveTeam();
  await rm(join(directory.path, ".team", "background", "alice-0a1b2c3d.json"));

  const store = await openStore(directory.path, { onWarning: () => undefined });
  const found = await store.jobs.list();
  await store.jobs.remove(job.id);
  await store[Symbol.asyncDispose]();
  await using next = await openStore(directory.path);

  expect(found).toEqual([job]);
  expect(await next.jobs.list()).toEqual([]);
});

describe("P01 mail whose delivery is missing from the transcript", () => {
  const gone = (text: string) => text.includes("read 1");

  test("is delivered again, once, and other mail is not", async () => {
    await using directory = await liveTeam();
    await loseEntries(directory.path, gone);

    const first = await unreadAfterStart(directory.path);
    const second = await unreadAfterStart(directory.path);

    expect(first).toEqual(["read 1", "unread 0", "unread 1"]);
    expect(second).toEqual([]);
  });

  test("is not delivered again if it is an order, which was carried out", async () => {
    await using directory = await liveTeam({
      order: { type: "shutdown_request", from: user, request_id: newRequestId(new Date()) },
    });
    await loseEntries(directory.path, (text) => text.includes("shutdown_request"));

    expect(await unreadAfterStart(directory.path)).toEqual(["unread 0", "unread 1"]);
  });

  test("is not delivered again if the whole transcript is gone: its member has forgotten everything", async () => {
    await using directory = await liveTeam();
    await rm(join(directory.path, ".team", "transcripts", "alice.jsonl"));

    expect(await unreadAfterStart(directory.path)).toEqual(["unread 0", "unread 1"]);
  });

  test("is not delivered again if it was for an earlier member of that name", async () => {
    await using directory = await liveTeam({ spawnedAt: new Date(Date.now() + 3_600_000) });
    await loseEntries(directory.path, gone);

    expect(await unreadAfterStart(directory.path)).toEqual(["unread 0", "unread 1"]);
  });
});

test("P01 a message that has lost only its newline is delivered", async () => {
  await using directory = await liveTeam();
  const path = join(directory.path, mailbox);
  await writeFile(path, (await readFile(path, "utf8")).trimEnd());

  expect(await unreadAfterStart(directory.path)).toEqual(["unread 0", "unread 1"]);
});

test("a reader of a whole transcript sees where entries are missing", async () => {
  await using directory = await liveTeam();
  const store = await openStore(directory.path);
  const { transcript } = await store.openMember(alice, ignored);
  const summary = { summary: "all", kept: [], wakes: false, delivered: [] };
  await transcript.append([{ type: "compaction", at, ...summary }]);
  await store[Symbol.asyncDispose]();
  await loseEntries(directory.path, (text) => text.includes("read 1"));
  const warnings: string[] = [];
  const view = viewTeam(directory.path, { onWarning: (text) => warnings.push(text) });

  for await (const _ of entriesNewestFirst(view, alice));

  expect(warnings).toEqual([expect.stringContaining("entries are missing")]);
});

interface LifeOptions {
  /** Sent and taken in before all other mail that is read. */
  order?: MessageDraft;
  spawnedAt?: Date;
  /** Whether there is so much mail that a log of it is history. */
  segments?: boolean;
}

/** A team that has something of everything, and that nobody runs. */
async function liveTeam({ order, spawnedAt, segments }: LifeOptions = {}) {
  const directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const spawned_at = spawnedAt?.toISOString();
  await enlist(store, { ...member("alice"), ...(spawned_at && { spawned_at }) });
  const box = await store.openMember(alice, ignored);
  const read = [0, 1, 2].map((n) => text(`read ${n}`));
  const long = segments ? Array.from({ length: 5 }, () => text("x".repeat(250_000))) : [];
  for (const draft of [...long, ...(order ? [order] : []), ...read]) {
    await store.send("alice", draft);
    await takeIn(box);
  }
  for (const n of [0, 1]) await store.send("alice", text(`unread ${n}`));
  await box.reader.unread();
  await store.tasks.create({ subject: "paint", created_by: lead });
  await store.crons.put(cron);
  await store.jobs.add(job);
  for (const tokens of [1000, 2000])
    await store.usage.record(call("alice", { input_tokens: tokens }));
  return directory;
}

function text(content: string): MessageDraft {
  return { type: "message", from: user, content };
}

async function takeIn({ reader, transcript }: MemberStore): Promise<string[]> {
  const unread = await reader.unread();
  const newest = unread.at(-1);
  if (!newest) return [];
  await transcript.append(unread.map((mail) => ({ type: "delivery", at, ...mail })));
  await reader.acknowledge(newest.message.id);
  return unread.map(({ message }) => message.content);
}

async function warningsOfStart(root: string): Promise<string[]> {
  const warnings: string[] = [];
  await using store = await openStore(root, { onWarning: (message) => warnings.push(message) });
  const { reader } = await store.openMember(alice, ignored);
  await reader.unread();
  await store.tasks.list();
  await store.jobs.list();
  await store.crons.list();
  return warnings;
}

/** What alice is given after a start. She takes it in. */
async function unreadAfterStart(root: string): Promise<string[]> {
  await using store = await openStore(root, { onWarning: () => undefined });
  return takeIn(await store.openMember(alice, ignored));
}

async function loseEntries(root: string, isLost: (line: string) => boolean): Promise<void> {
  const path = join(root, ".team", "transcripts", "alice.jsonl");
  const kept = lines(await readFile(path, "utf8")).filter((line) => !isLost(line));
  await writeFile(path, `${kept.join("\n")}\n`);
}

function lines(of: string): string[] {
  return of.split("\n").filter((line) => line !== "");
}
