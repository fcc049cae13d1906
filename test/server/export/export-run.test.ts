import { expect, test } from "vitest";
import type {
  EntryView,
  MemberView,
  MessageView,
  RecordedRun,
} from "../../../src/protocol/dashboard.ts";
import type { RunSource } from "../../../src/server/export/export-run.ts";
import { RunExport } from "../../../src/server/export/export-run.ts";
import { SecretMask } from "../../../src/server/export/mask-secrets.ts";

const at = "2026-01-05T12:00:00.000Z";
const now = new Date("2026-01-06T00:00:00.000Z");

function note(index: number, text = `note ${index}`): EntryView {
  return { cursor: `c${index}`, at, type: "note", text };
}

function message(index: number, rest: Partial<MessageView> = {}): MessageView {
  return {
    ...{ id: `m${index}`, type: "message", from: "lead", to: "ada", sent_at: at, seen_at: null },
    ...{ state: "delivered", text: `text ${index}`, is_cut: false, facts: {}, ...rest },
  };
}

const range = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

interface Team {
  entries: readonly EntryView[];
  messages?: readonly MessageView[];
  /** What is asked for one by one. */
  whole?: (id: string) => MessageView;
}

/** A team of one member that is in memory. `lookups` are the messages that were asked for one by one. */
function sourceOf({ entries, messages = [], whole }: Team): RunSource & { lookups: string[] } {
  const lookups: string[] = [];
  const ada: MemberView = {
    ...{ name: "ada", role: "coder", is_lead: false, status: "idle", model: null, color: null },
    ...{
      permission_mode: null,
      follows_lead: false,
      plan_required: false,
      cwd: "/home/ada/shop",
      doing: null,
    },
    ...{ waits_for: null, tokens: 0, cost_usd: 0, unpriced_calls: 0, context: null },
    ...{ last_activity: null, unread: 0 },
  };
  const part = <T>(items: readonly T[], { before, limit }: { before?: string; limit: number }) => {
    const to = before === undefined ? items.length : Number(before);
    const from = Math.max(0, to - limit);
    return { items: items.slice(from, to), before: from > 0 ? String(from) : null };
  };
  return {
    lookups,
    state: async () => ({
      ...{ version: "1", directory: "/home/ada/shop/.team", team: { id: "t", name: "team" } },
      ...{
        obstacle: null,
        running: { pid: 1, host: "h" },
        members: [ada],
        tasks: [],
        requests: [],
        rules: [],
        landings: [],
      },
      ...{ messages: [], problems: [] },
    }),
    async messages({ before, limit }) {
      const found = part(messages, { limit, ...(before !== undefined && { before }) });
      return { messages: found.items, before: found.before };
    },
    async message(_, id) {
      lookups.push(id);
      return whole?.(id) ?? message(0);
    },
    async transcript(member, { before, limit }) {
      const found = part(entries, { limit, ...(before !== undefined && { before }) });
      return { member, entries: found.items, before: found.before, after: "", is_restarted: false };
    },
    cost: async () => ({ times: [], members: [] }),
  };
}

async function exported(source: RunSource, most = { entries: 1_000, messages: 1_000 }) {
  const mask = new SecretMask({ known: ["a-known-key"], home: "/home/ada" });
  const page = { before: "<data>", after: "</data>" };
  const pieces = new RunExport({ source, page, mask, most, now }).pieces();
  const written: string[] = [];
  let next = await pieces.next();
  while (!next.done) {
    written.push(next.value);
    next = await pieces.next();
  }
  const document = written.join("\n");
  const run: RecordedRun = JSON.parse(document.replace(/^<data>|<\/data>$/g, ""));
  return { document, run, summary: next.value };
}

test("the file has all records of a team, oldest first", async () => {
  const source = sourceOf({ entries: range(1_234, note), messages: range(789, message) });

  const { run, summary } = await exported(source, { entries: 5_000, messages: 5_000 });

  expect(run).toMatchObject({ exported_at: now.toISOString(), left_out: [], masked: 0 });
  expect(run.state.team).toEqual({ id: "t", name: "team" });
  expect(run.transcripts).toEqual([{ member: "ada", entries: range(1_234, note) }]);
  expect(run.messages.map(({ id }) => id)).toEqual(range(789, (index) => `m${index}`));
  expect(summary).toEqual({ members: 1, messages: 789, entries: 1_234, masked: 0, leftOut: [] });
});

test("an empty team is a complete file, too", async () => {
  const { run } = await exported(sourceOf({ entries: [] }));

  expect(run).toMatchObject({ messages: [], transcripts: [{ member: "ada", entries: [] }] });
});

test("only the newest records are exported, and the file lists what is missing", async () => {
  const source = sourceOf({ entries: range(1_234, note), messages: range(789, message) });

  const { run, summary } = await exported(source, { entries: 700, messages: 5 });

  expect(run.transcripts[0]?.entries).toEqual(range(1_234, note).slice(-700));
  expect(run.messages.map(({ id }) => id)).toEqual(["m784", "m785", "m786", "m787", "m788"]);
  expect(run.left_out).toEqual([
    "Of ada's transcript all but the newest 700 entries.",
    "All but the newest 5 messages.",
  ]);
  expect(summary.leftOut).toEqual(run.left_out);
});

test("a limit equal to the number of records leaves nothing out", async () => {
  const source = sourceOf({ entries: range(700, note), messages: range(5, message) });

  const { run } = await exported(source, { entries: 700, messages: 5 });

  expect(run.left_out).toEqual([]);
});

test("long messages are complete: from the transcript if possible, otherwise one by one", async () => {
  const long = "long ".repeat(1_000);
  const seen: EntryView = { cursor: "c", at, type: "mail", message: message(1, { text: long }) };
  const source = sourceOf({
    entries: [seen],
    messages: [message(0), ...[1, 2].map((each) => message(each, { text: "long", is_cut: true }))],
    whole: () => message(2, { text: long, state: "queued" }),
  });

  const { run } = await exported(source);

  expect(run.messages.map(({ text }) => text)).toEqual(["text 0", long, long]);
  expect(run.messages.some(({ is_cut }) => is_cut)).toBe(false);
  expect(source.lookups).toEqual(["m2"]);
});

test("secrets and the home directory are masked everywhere, and counted", async () => {
  const entries = [note(0, "the key a-known-key in /home/ada/x"), note(1, "PASSWORD=hunter2")];
  const messages = [message(0, { text: "also a-known-key", facts: { reason: "a-known-key" } })];

  const { document, run, summary } = await exported(sourceOf({ entries, messages }));

  expect(document).not.toMatch(/a-known-key|hunter2|home\/ada/);
  expect(run.transcripts[0]?.entries).toEqual([
    note(0, "the key [key] in ~/x"),
    note(1, "PASSWORD=[secret]"),
  ]);
  expect(run.state.directory).toBe("~/shop/.team");
  expect([run.masked, summary.masked]).toEqual([4, 4]);
});

test("an exported team is not running", async () => {
  const { run } = await exported(sourceOf({ entries: [] }));

  expect(run.state.running).toBeNull();
});
