import { chmod, cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileEventReader } from "../../src/logs/file-event-reader.ts";
import { lead, MemberName } from "../../src/protocol/ids.ts";
import type { TeamPlace } from "../../src/team/team-place.ts";
import { mailNewestFirst } from "../../src/team/view/read-pages.ts";
import type { ListedMail } from "../../src/team/view/team-view.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { makeStoreFormat1 } from "../fixtures/make-store-format-1.ts";
import { openStore, takeOverStore, viewTeam } from "../support/team.ts";

const fixture = join(import.meta.dirname, "..", "fixtures", "store-format-1");
const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const ignored = { onSetAside: () => undefined };

test("format 1: a view shows the roster, the tasks and the state of all mail", async () => {
  await using copy = await copyFixture();

  const view = viewTeam(copy.root, copy.place);

  expect(await view.lead()).toBeUndefined();
  expect(await view.team()).toMatchObject({ team_name: "default", lead: "lead", format: 1 });
  expect((await view.team()).members).toMatchObject([
    { name: "alice", role: "coder", status: "idle", model: "rehearsal", color: "cyan", cwd: "api" },
    { name: "bob", detail: "waiting for approval", permission_mode: "plan", plan_required: true },
  ]);
  expect((await view.tasks()).map(({ id, status }) => `${id} ${status}`)).toEqual([
    "1 completed",
    "2 in_progress",
    "3 cancelled",
  ]);
  expect(await shown(mailNewestFirst(view, alice))).toEqual([
    "queued from outside: also not read yet",
    "queued from bob: Not read yet.",
    "delivered from user: Lunch at noon.",
    'set aside: claims to be a "shutdown_request", but is not signed',
    "delivered from outside: a bare line, by hand",
    "delivered from lead: Write schema.sql.",
    "delivered from lead: Welcome, alice.",
  ]);
  expect(await shown(mailNewestFirst(view, bob))).toEqual(["undelivered from alice: Too late."]);
  expect(await shown(mailNewestFirst(view, lead))).toEqual([
    "queued from system: A background command has ended.",
    "queued from alice: Done.",
  ]);
});

test("format 1: a lead continues where the last one stopped", async () => {
  await using copy = await copyFixture();
  await using store = await openStore(copy.root, copy.place);
  const setAside: string[] = [];
  const onSetAside = ({ id }: { id: string }) => setAside.push(id);

  const ofAlice = await store.openMember(alice, { onSetAside });
  const ofBob = await store.openMember(bob, { onSetAside });
  const ofLead = await store.openMember(lead, { onSetAside });

  const unread = await Promise.all(
    [ofAlice, ofBob, ofLead].map(async ({ reader }) =>
      (await reader.unread()).map(({ message }) => message.content),
    ),
  );
  expect(unread).toEqual([
    ["Not read yet.", "also not read yet"],
    [],
    ["Done.", "A background command has ended."],
  ]);
  expect(setAside).toEqual([]);
  expect((await ofAlice.transcript.tail()).map(({ type }) => type)).toEqual([
    "compaction",
    "delivery",
  ]);
  expect(await typesIn(ofAlice.transcript.entries())).toEqual([
    "profile",
    "delivery",
    "delivery",
    "delivery",
    "run-start",
    "reply",
    "tool-start",
    "tool-result",
    "run-end",
    "compaction",
    "delivery",
  ]);
  expect(await typesIn(ofBob.transcript.entries())).toEqual(["run-start"]);
  expect((await readdir(join(copy.root, ".team", "fence", ".versions", "lead"))).sort()).toEqual(
    ["1", "2", "3", "4", "5"].map((version) => `${version}.json`),
  );
});

test("format 1: tasks, requests, events and the bill are unchanged", async () => {
  await using copy = await copyFixture();
  await using store = await openStore(copy.root, copy.place);

  expect(await store.tasks.list()).toMatchObject([
    { result: "schema.sql", owner: "alice", lease: null, version: 3 },
    { description: "All columns.", blocked_by: ["1"], lease: { holder: "bob" }, releases: 0 },
    { subject: "Paint it", created_by: "user", version: 2 },
  ]);
  expect(await store.requests.list()).toMatchObject([
    { type: "plan", state: "approved", decision: { by: "lead", reason: "Go on." } },
    { type: "permission", state: "pending", subject: { tool: "bash" }, decision: null },
    { type: "shutdown", state: "expired", decision: { by: "system" } },
  ]);
  expect(await eventsIn(join(copy.root, ".team"))).toEqual([
    "1 line-set-aside",
    "2 run-start",
    "3 text-delta",
    "4 run-end",
  ]);
  const totals = await store.usage.totals();
  expect(totals.get(alice)).toMatchObject({ calls: 2, input_tokens: 1_200, cost_usd: 0.75 });
  expect(totals.get(bob)).toMatchObject({ calls: 1, output_tokens: 40, unpriced_calls: 1 });
});

test("format 1: the last good roster replaces a damaged one", async () => {
  await using copy = await copyFixture();
  const warnings: string[] = [];
  await writeFile(join(copy.root, ".team", "config.json"), "oops");

  await using store = await openStore(copy.root, {
    ...copy.place,
    onWarning: (message) => warnings.push(message),
  });

  expect((await store.roster.read()).members.map(({ name }) => name)).toEqual(["alice", "bob"]);
  expect(warnings).toHaveLength(1);
});

test("P37 control: with another key nothing in it is signed", async () => {
  await using copy = await copyFixture();
  await writeFile(join(copy.root, "key"), `${"08".repeat(32)}\n`);
  const forgeries: string[] = [];

  await using store = await takeOverStore(copy.root, {
    ...copy.place,
    onWarning: (message) => forgeries.push(message),
  });
  const { reader } = await store.openMember(alice, ignored);

  expect(await reader.unread()).toMatchObject([
    { message: { from: "outside", content: "Not read yet." } },
    { message: { from: "outside", content: "also not read yet" } },
  ]);
  expect((await store.requests.list()).map(({ state }) => state)).toEqual([
    "expired",
    "cancelled",
    "expired",
  ]);
  expect(forgeries).toHaveLength(3);
});

test("files written today have every file and every field of format 1", async () => {
  await using directory = await temporaryDirectory();
  await makeStoreFormat1(directory.path);

  const written = await fieldsIn(directory.path);

  expect(written).toEqual(expect.arrayContaining(await fieldsIn(fixture)));
});

async function copyFixture() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  await cp(join(fixture, "team"), join(root, ".team"), { recursive: true });
  await cp(join(fixture, "key"), join(root, "key"));
  await chmod(join(root, "key"), 0o600);
  const keyPlace = { keyFile: join(root, "key"), stateHome: undefined, home: root };
  const place: Partial<TeamPlace> = { keyPlace };
  return { root, place, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

async function shown(records: AsyncIterable<ListedMail>): Promise<string[]> {
  const lines: string[] = [];
  for await (const record of records) {
    if (record.state === "set aside") lines.push(`set aside: ${record.reason}`);
    else lines.push(`${record.state} from ${record.message.from}: ${record.message.content}`);
  }
  return lines;
}

async function typesIn(entries: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of entries) types.push(type);
  return types;
}

async function eventsIn(directory: string): Promise<string[]> {
  const wakes = { subscribe: () => () => undefined };
  const reader = new FileEventReader({ path: join(directory, "events.jsonl"), wakes });
  const last = await reader.lastSeq();
  const events: string[] = [];
  for await (const { seq, event } of reader.follow({ signal: new AbortController().signal })) {
    events.push(`${seq} ${event.type}`);
    if (seq === last) break;
  }
  return events;
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Each file and the fields of its records, such as `tasks/1.json lease.holder`. */
async function fieldsIn(root: string): Promise<string[]> {
  const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const found = new Set<string>();
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const file = path.slice(root.length + 1).replaceAll(uuid, "<uuid>");
    const text = await readFile(path, "utf8");
    found.add(file);
    for (const record of recordsIn(text, name)) {
      for (const field of fieldsOf(record)) found.add(`${file} ${field}`);
    }
  }
  return [...found].sort();
}

function recordsIn(text: string, name: string): unknown[] {
  if (/^(\.gitignore|key|torn\.jsonl)$|damaged/.test(name)) return [];
  if (!name.endsWith(".jsonl")) return [JSON.parse(text)];
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line));
}

/** The paths of everything in `value`; entries of an array have the same. */
function fieldsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  return Object.entries(value).flatMap(([key, inner]) => {
    return [key, ...fieldsOf(inner).map((field) => `${key}.${field}`)];
  });
}
