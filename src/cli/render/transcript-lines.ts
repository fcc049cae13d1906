import { missingEntries } from "../../lib/missing-entries.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import type { Message } from "../../protocol/message.ts";
import type { Entry, ReplyBlock } from "../../protocol/transcript.ts";
import { indented, type LineLimits, shortened } from "./lines.ts";
import { localClock, localDay } from "./local-time.ts";
import { oneLine } from "./one-line.ts";
import { shown } from "./shown.ts";

const inputLength = 200;
const resultRoom: LineLimits = { lines: 8, width: 160 };
const thoughtRoom: LineLimits = { lines: 3, width: 160 };

/** False for entries that only the runtime needs. */
export function tellsPeople({ type }: Entry): boolean {
  return type !== "tool-start" && type !== "run-settled";
}

/** A member's transcript as lines for a person. */
export class TranscriptLines {
  #day = "";
  /** The tool of each open call, by the id of the call, for its result. */
  readonly #called = new Map<string, string>();

  lines(entry: Entry): string[] {
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
  #told(entry: Entry): string[][] {
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
        return [titled("◇ earlier conversation summarized", shownLines(entry.summary))];
      case "tool-start":
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
        return [
          [`● ${oneLine(`${block.name} ${summarizeCall(block.name, block.input)}`, inputLength)}`],
        ];
    }
  }

  #result({ call_id, output, is_error }: Extract<Entry, { type: "tool-result" }>): string[] {
    const name = oneLine(this.#called.get(call_id) ?? "an earlier call", inputLength);
    this.#called.delete(call_id);
    return titled(is_error ? `✗ ${name} failed` : `✓ ${name}`, shortened(output, resultRoom));
  }
}

/** The indentation of further lines: the width of the time. */
const moreIndent = 12;

function mailLines(message: Message): string[] {
  const { from, type, content } = message;
  const kind = type === "message" ? "" : ` [${type}]`;
  const others = Object.entries(message)
    .filter(([name]) => tellingFields.includes(name))
    .flatMap(([name, value]) => titled(name, shownLines(String(value))));
  return titled(`← ${from}${kind}`, [...shownLines(content), ...others]);
}

/** Fields that are shown beside the content of a message. */
const tellingFields = [
  "outcome",
  "approve",
  "plan",
  "feedback",
  "reason",
  "decision",
  "rule",
  "mode",
];

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
