import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, newMessageId } from "../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe, troupeIn } from "./troupe.ts";

const alice = MemberName.parse("alice");
const at = "2026-11-15T09:00:00.000Z";

test("log shows what a member saw, said and did", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await write(store, aRun);

  const { code, out, err } = await troupe(directory.path, "log", "alice");

  expect({ code, err }).toEqual({ code: 0, err: [] });
  expect(withoutTimes(out)).toEqual([
    "— <day> —",
    "<time>  ◇ model anthropic/scripted",
    "<time>  ▶ run starts",
    "<time>  ← lead:",
    "            First",
    "            Second",
    "<time>  ◇ note: You hold task 1.",
    "<time>  thinks: Hm.",
    "<time>  says: I look.",
    "<time>  ● bash npm test",
    "<time>  ● read_file notes.txt",
    "<time>  ✗ bash failed:",
    "            1 failing",
    "            (exit 1)",
    "<time>  ✓ read_file: hello",
    "<time>  ◇ earlier conversation summarized: All is well.",
    "<time>  ◇ images are left out: Too many pixels.",
    "<time>  ■ run ends: turn-limit: after 200 turns",
  ]);
});

test("output of the model, its tools and its mail is escaped, and keeps its lines", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const hostile = "a\u001b[2J\n\u202eb\rc\nd";
  await write(store, [
    mail(hostile),
    { type: "reply", at, stop: "end", blocks: [{ type: "text", text: hostile }] },
    { type: "tool-result", at, call_id: "1", output: hostile, is_error: true },
    { type: "note", at, text: hostile, wakes: false },
    { type: "run-end", at, outcome: "failed", reason: hostile },
  ]);

  const { out } = await troupe(directory.path, "log", "alice");

  expect(out.filter((line) => line.includes("a\\x1b[2J"))).toHaveLength(5);
  expect(out.filter((line) => line.endsWith("\\u{202e}b\\x0dc"))).toHaveLength(5);
  for (const line of out) expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
});

test("a long result is shortened, with the number of omitted lines", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const output = Array.from({ length: 100 }, (_, index) => `line ${index} ${"x".repeat(1000)}`);
  await write(store, [
    { type: "tool-result", at, call_id: "1", output: output.join("\n"), is_error: false },
  ]);

  const { out } = await troupe(directory.path, "log", "alice");

  expect(out).toHaveLength(1 + 1 + 8 + 2);
  expect(out.at(-2)).toContain("92 more lines");
  expect(out.at(-1)).toContain("(troupe show 1 prints all of it)");
  for (const line of out) expect(line.length).toBeLessThan(200);
});

test("only the end of a transcript is read", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path, { onWarning: () => undefined });
  await enlist(store, member("alice"));
  const path = join(directory.path, ".team", "transcripts", "alice.jsonl");
  await append(store, notes(1, 1));
  await appendFile(path, `{"type":"no such entry"}\n`);
  await append(store, notes(2, 60));

  const few = await troupe(directory.path, "log", "alice", "--lines", "2");
  const usual = await troupe(directory.path, "log", "alice");
  const all = await troupe(directory.path, "log", "alice", "-n", "1000");

  expect(few.out.slice(1).map(textOf)).toEqual(["note 59", "note 60"]);
  expect(few.err).toEqual([]);
  expect(usual.out.slice(1)).toHaveLength(50);
  expect(usual.err).toEqual([]);
  expect(all.out.slice(1)).toHaveLength(60);
  expect(all.err).toEqual([expect.stringContaining("alice.jsonl")]);
});

test("log --json prints one entry per line, as stored", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await write(store, aRun);

  const { out } = await troupe(directory.path, "log", "alice", "--json");

  expect(out.map((line) => JSON.parse(line))).toEqual(aRun);
});

test("the lead's log is the default, and an empty one says so", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);

  const nothing = await troupe(directory.path, "log");
  const nobody = await troupe(directory.path, "log", "carol");
  const wrong = await troupe(directory.path, "log", "--lines", "many");

  expect(nothing).toMatchObject({ code: 0, out: ["Nothing in lead's transcript."] });
  expect(nobody).toMatchObject({ code: 2, out: [] });
  expect(wrong).toMatchObject({
    code: 2,
    out: [],
    err: [
      expect.stringContaining('--lines is "many", but must be a whole number'),
      expect.stringContaining("Usage"),
    ],
  });
});

test("--follow continues with new entries, whole ones only, also when the transcript is restarted", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await write(store, notes(1, 3));
  const following = follow(directory.path, "log", "alice", "--follow", "--lines", "1");
  await following.until("note 3");

  await append(store, notes(4, 5));
  await following.until("note 5");
  // The line of an entry in two parts, as a look at the wrong moment finds it.
  const path = join(directory.path, ".team", "transcripts", "alice.jsonl");
  const before = await readFile(path);
  await append(store, notes(6, 6));
  const line = (await readFile(path)).subarray(before.length);
  await writeFile(path, before);
  await appendFile(path, line.subarray(0, 20));
  await appendFile(path, line.subarray(20));
  await following.until("note 6");
  // Entries that come right before the end of the old transcript are not lost with it.
  await append(store, notes(7, 7));
  await store.forget(alice);
  await append(store, notes(8, 9));
  await following.until("note 9");
  following.stop();

  const { code, out, err } = await following.ended;
  expect({ code, err }).toEqual({ code: 0, err: [] });
  expect(out.slice(1).map(textOf)).toEqual([3, 4, 5, 6, 7, 8, 9].map((n) => `note ${n}`));
});

test("--follow continues after a writer that died in the middle of a line", async () => {
  await using directory = await temporaryDirectory();
  const first = await openStore(directory.path);
  await write(first, notes(1, 1));
  const following = follow(directory.path, "log", "alice", "--follow");
  await following.until("note 1");

  const path = join(directory.path, ".team", "transcripts", "alice.jsonl");
  await appendFile(path, '{"type":"note","text":"never whole');
  await first[Symbol.asyncDispose]();
  await using second = await openStore(directory.path, { onWarning: () => undefined });
  await append(second, notes(2, 2));
  await following.until("note 2");
  following.stop();

  const { out, err } = await following.ended;
  expect(out.slice(1).map(textOf)).toEqual(["note 1", "note 2"]);
  expect(err).toEqual([]);
});

test("--follow waits for a transcript that does not exist yet", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const following = follow(directory.path, "log", "--follow", "--json");

  const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
  await transcript.append(notes(1, 1));
  await following.until("note 1");
  following.stop();

  expect((await following.ended).out).toHaveLength(1);
});

/** A command that goes on until it is told to stop. */
function follow(root: string, ...argv: string[]) {
  const stopping = new AbortController();
  const seen: string[] = [];
  const looks = new Set<() => void>();
  const onOut = (line: string) => {
    seen.push(line);
    for (const look of [...looks]) look();
  };
  return {
    ended: troupeIn({ root, env: {}, signal: stopping.signal, onOut }, ...argv),
    stop: () => stopping.abort(),
    until: (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!seen.some((line) => line.includes(text))) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      }),
  };
}

function mail(content: string): TranscriptEntry {
  return {
    type: "delivery",
    at,
    message: {
      id: newMessageId(new Date(at)),
      type: "message",
      from: lead,
      to: alice,
      content,
      timestamp: 1,
    },
    position: { generation: 1, offset: 100 },
  };
}

const aRun: TranscriptEntry[] = [
  { type: "profile", at, system: "You are 'alice'.", model: "anthropic/scripted" },
  { type: "run-start", at },
  mail("First\nSecond"),
  { type: "note", at, text: "You hold task 1.", wakes: false },
  {
    type: "reply",
    at,
    stop: "tool-calls",
    blocks: [
      { type: "thinking", text: "Hm." },
      { type: "text", text: "I look." },
      { type: "tool-call", call_id: "1", name: "bash", input: { command: "npm test" } },
      { type: "tool-call", call_id: "2", name: "read_file", input: { path: "notes.txt" } },
    ],
  },
  { type: "tool-start", at, call_id: "1" },
  { type: "tool-result", at, call_id: "1", output: "1 failing\n(exit 1)", is_error: true },
  { type: "tool-result", at, call_id: "2", output: "hello", is_error: false },
  { type: "compaction", at, summary: "All is well.", kept: [], wakes: true, delivered: [] },
  { type: "images-refused", at, reason: "Too many pixels." },
  { type: "run-end", at, outcome: "turn-limit", reason: "after 200 turns" },
  { type: "run-settled", at },
];

function notes(from: number, to: number): TranscriptEntry[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    type: "note" as const,
    at,
    text: `note ${from + index}`,
    wakes: false,
  }));
}

/** Makes alice, and writes her transcript. */
async function write(store: TeamStore, entries: readonly TranscriptEntry[]): Promise<void> {
  await enlist(store, member("alice"));
  await append(store, entries);
}

async function append(store: TeamStore, entries: readonly TranscriptEntry[]): Promise<void> {
  const { transcript } = await store.openMember(alice, { onSetAside: () => undefined });
  await transcript.append(entries);
}

function textOf(line: string): string {
  return line.split(": ").at(-1) ?? "";
}

function withoutTimes(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.replace(/^\d\d:\d\d:\d\d/, "<time>").replace(/\d{4}-\d\d-\d\d/, "<day>"),
  );
}
