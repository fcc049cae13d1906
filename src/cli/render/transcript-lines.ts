import { missingEntries, voidEntries } from "../../lib/missing-entries.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import type { Message } from "../../protocol/message.ts";
import type { ReplyBlock, ToolResultEntry, TranscriptEntry } from "../../protocol/transcript.ts";
import { describeInput } from "./call.ts";
import { indented, type LineLimits, shortened } from "./lines.ts";
import { localClock, localDay } from "./local-time.ts";
import { contentOf, tellingFields } from "./mail.ts";
import { oneLine } from "./one-line.ts";
import { paintFor } from "./paint.ts";
import { shown } from "./shown.ts";

const inputLength = 200;
const resultRoom: LineLimits = { lines: 8, width: 160 };
const thoughtRoom: LineLimits = { lines: 3, width: 160 };

/** False for entries that only the runtime needs. */
export function tellsPeople(entry: TranscriptEntry): boolean {
  if (entry.type === "tool-start") return entry.input !== undefined;
  return entry.type !== "run-settled";
}

/** A member's transcript as lines for a person. */
export class TranscriptLines {
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
