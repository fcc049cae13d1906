import { z } from "zod";
import { missingEntries, voidEntries } from "../../lib/missing-entries.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ReplyBlock, ToolResultEntry, TranscriptEntry } from "../../protocol/transcript.ts";
import { findMember } from "../../team/find-member.ts";
import type { PageCursor, TeamView } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { describeInput } from "../render/call.ts";
import { jsonText } from "../render/json-text.ts";
import { indented, type LineLimits, shortened } from "../render/lines.ts";
import { localClock, localDay } from "../render/local-time.ts";
import { contentOf, tellingFields } from "../render/mail.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import { shown } from "../render/shown.ts";

const count = "a whole number from 0 to 1000000";
const Flags = z.object({
  follow: z.boolean().default(false),
  lines: z.coerce.number(count).int(count).nonnegative(count).max(1_000_000, count).default(50),
});

export const log: Command = {
  name: "log",
  group: "look",
  summary: "Show what a member saw, said and did (default: the lead)",
  parameters: ["[<name>]"],
  options: {
    follow: {
      short: "f",
      summary: "keep printing new entries until Ctrl-C, a reply once it is whole",
    },
    lines: { short: "n", takes: "<n>", summary: "number of past entries to show (default: 50)" },
    ...lookOptions,
  },
  examples: [
    { call: "troupe log", does: "the last 50 entries of the lead's transcript" },
    { call: "troupe log alice -f", does: "watch alice work" },
    {
      call: "troupe log alice -n 999 --json | jq -r 'select(.type==\"run-end\").outcome'",
      does: "how alice's last runs ended; --json gives one entry a line, as it is stored",
    },
  ],
  notes: [
    "A transcript has whole entries, so -f prints a reply once it is complete. The screen and the dashboard show it as it is written.",
  ],

  async run({ positionals, json, teamDir, values }, io) {
    const flags = parseOptions(Flags, values, log);
    const view = await io.viewTeam(teamDir);
    const team = await view.team();
    const member = findMember(team, positionals[0] ?? team.lead);
    const rendered = new TranscriptLines();
    const counts = json ? () => true : tellsPeople;
    const show = (entry: TranscriptEntry) => {
      for (const line of json ? [jsonText(entry)] : rendered.lines(entry)) io.out(line);
    };

    const { entries, after } = await lastEntries(view, member, { last: flags.lines, counts });
    for (const entry of entries) show(entry);
    if (flags.follow) {
      for await (const { entry } of view.followTranscript(member, { after, signal: io.signal })) {
        if (entry && counts(entry)) show(entry);
      }
    } else if (entries.length === 0 && !json) io.out(`Nothing in ${member}'s transcript.`);
    return 0;
  },
};

interface LastEntriesOptions {
  last: number;
  counts(entry: TranscriptEntry): boolean;
}

/** The last entries, oldest first, and the cursor after them. */
async function lastEntries(
  view: TeamView,
  member: MemberName,
  { last, counts }: LastEntriesOptions,
): Promise<{ entries: TranscriptEntry[]; after: PageCursor }> {
  const newestFirst: TranscriptEntry[] = [];
  // Read even if no entry is wanted: the page has the cursor for following.
  let page = await view.transcript(member, { limit: clamp(last) });
  const { after } = page;
  for (;;) {
    for (const { entry } of page.entries.reverse()) {
      if (newestFirst.length < last && entry && counts(entry)) newestFirst.push(entry);
    }
    const missing = last - newestFirst.length;
    if (missing <= 0 || page.before === null) break;
    page = await view.transcript(member, { before: page.before, limit: clamp(missing) });
    if (page.isRestarted) break;
  }
  return { entries: newestFirst.reverse(), after };
}

function clamp(wanted: number): number {
  return Math.min(Math.max(wanted, 1), maxPage);
}

const maxPage = 500;

const inputLength = 200;
const resultRoom: LineLimits = { lines: 8, width: 160 };
const thoughtRoom: LineLimits = { lines: 3, width: 160 };

/** False for entries that only the runtime needs. */
function tellsPeople(entry: TranscriptEntry): boolean {
  if (entry.type === "tool-start") return entry.input !== undefined;
  return entry.type !== "run-settled";
}

/** A member's transcript as lines for a person. */
class TranscriptLines {
  #day = "";
  /** The tool of each open call, by the id of the call, for its result. */
  readonly #called = new Map<string, string>();

  lines(entry: TranscriptEntry): string[] {
    const at = new Date(entry.at);
    const told = this.#told(entry);
    const day = localDay(at);
    const heading = day === this.#day ? [] : [`— ${day} —`];
    this.#day = day;
    return [
      ...heading,
      ...told.flatMap(([first = "", ...rest]) => [
        `${localClock(at)}  ${first}`,
        ...indented(rest, moreIndent),
      ]),
    ];
  }

  /** The lines of an entry, in groups. */
  #told(entry: TranscriptEntry): string[][] {
    switch (entry.type) {
      case "profile":
        return [[`◇ model ${oneLine(entry.model, inputLength)}`]];
      case "delivery":
        return [mailLines(entry.message)];
      case "note":
        return [titled("◇ note", shownLines(entry.text))];
      case "gap":
        return [[`✗ ${missingEntries(entry.lost)}`]];
      case "run-start":
        return [["▶ run starts"]];
      case "reply":
        return entry.blocks.flatMap((block) => this.#said(block));
      case "tool-result":
        return [this.#result(entry)];
      case "run-end":
        return [titled(`■ run ends: ${entry.outcome}`, shownLines(entry.reason ?? ""))];
      case "compaction":
        return entry.cleared
          ? [["◇ conversation cleared"]]
          : [titled("◇ earlier conversation summarized", shownLines(entry.summary))];
      case "rewind":
        return [[`↩ ${voidEntries(entry.voids)}`]];
      case "images-refused":
        return [titled("◇ images are left out", shownLines(entry.reason))];
      case "tool-start":
        return entry.input === undefined ? [] : [[this.#changed(entry.call_id, entry.input)]];
      case "run-settled":
        return [];
    }
  }

  #said(block: ReplyBlock): string[][] {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? [] : [titled("says", shownLines(block.text))];
      case "thinking":
        return block.text.trim() === ""
          ? []
          : [titled("thinks", shortened(block.text.trim(), thoughtRoom))];
      case "tool-call":
        this.#called.set(block.call_id, block.name);
        return [[`● ${callLine(block)}`]];
    }
  }

  #changed(callId: string, input: unknown): string {
    const name = this.#called.get(callId) ?? "an earlier call";
    return `◇ ${oneLine(`changed by the program: ${name} ${summarizeCall(name, input)}`, inputLength)}`;
  }

  #result({ call_id, output, is_error }: ToolResultEntry): string[] {
    const name = oneLine(this.#called.get(call_id) ?? "an earlier call", inputLength);
    this.#called.delete(call_id);
    const lines = shortened(output, resultRoom);
    const isWhole = lines.join("\n") === shown(output.trimEnd());
    const opener = isWhole ? [] : [`(${showCall(call_id)} prints all of it)`];
    return titled(is_error ? `✗ ${name} failed` : `✓ ${name}`, [...lines, ...opener]);
  }
}

/** A call by its main argument, and how to see the rest of its input. */
function callLine({ name, input, call_id }: Extract<ReplyBlock, { type: "tool-call" }>): string {
  const whole = `${name} ${summarizeCall(name, input)}`;
  const line = oneLine(whole, inputLength);
  const hasMore = describeInput(name, input, unbroken).length > 1 || line.length < whole.length;
  return hasMore ? `${line}  (${showCall(call_id)})` : line;
}

const unbroken = { width: 1_000_000, paint: paintFor(false) };

function showCall(callId: string): string {
  return `troupe show ${oneLine(callId, inputLength)}`;
}

/** The indentation of further lines: the width of the time. */
const moreIndent = 12;

function mailLines(message: Message): string[] {
  const { from, type } = message;
  const kind = type === "message" ? "" : ` [${type}]`;
  const others = Object.entries(message)
    .filter(([name]) => tellingFields.includes(name))
    .flatMap(([name, value]) => titled(name, shownLines(String(value))));
  return titled(`← ${from}${kind}`, [...shownLines(contentOf(message)), ...others]);
}

/** A single line follows its title; several lines go below it. */
function titled(title: string, lines: readonly string[]): string[] {
  const [only = ""] = lines;
  if (lines.length > 1) return [`${title}:`, ...lines];
  return only === "" ? [title] : [`${title}: ${only}`];
}

function shownLines(text: string): string[] {
  const lines = shown(text.trimEnd()).split("\n");
  return lines.length === 1 && lines[0] === "" ? [] : lines;
}
