import { basename } from "node:path";
import type { Damage } from "./spoil.ts";

/** A file before and after the damage; empty if it is gone. */
export interface Texts {
  before: string;
  after: string;
}

/** Files whose damage never needs a report. */
const harmlessFiles: readonly { why: string; pattern: RegExp }[] = [
  { why: "it decides nothing, and is left as it is", pattern: /\/\.gitignore$/ },
  { why: "nothing reads what was torn off or set aside", pattern: /\/(torn|damaged)\.jsonl$/ },
  {
    why: "it is no part of a record: whoever reads it reads what is there",
    pattern: /\/outputs\//,
  },
  { why: "events may be lost, as docs/events.md says", pattern: /\/\.?events[./]/ },
  { why: "nobody led: the start has written the next record of it", pattern: /\/fence\// },
];

/** Why the damage of a file needs no report; undefined if it does. */
export function whyHarmless(
  path: string,
  { before, after }: Texts,
  damaged: readonly string[],
): string | undefined {
  const known = harmlessFiles.find(({ pattern }) => pattern.test(path));
  if (known) return known.why;
  if (meaningOf(path, before) === meaningOf(path, after)) return "it says the same as before";
  // One of several damages may be to the record that would reveal another.
  const isAlone = (part: string) =>
    !damaged.some((other) => other !== path && other.includes(part));
  const [, folder, id] = /\.team\/(tasks|requests)\/\.versions\/([^/]+)\//.exec(path) ?? [];
  if (folder && isAlone(`${folder}/${id}.json`)) return "it is history: the copy of it counts";
  const [, kept, name] = /\.team\/(tasks|requests)\/([^/]+)\.json$/.exec(path) ?? [];
  if (kept && after === "" && isAlone(`${kept}/.versions/${name}/`)) {
    return "it is a copy, and is written again from the newest version";
  }
  if (path.endsWith("/config.json") && after === "" && isAlone("/config.last-good.json")) {
    return "the last good roster says the same, and is written in its place";
  }
  if (path.endsWith("/config.last-good.json") && isAlone("/config.json")) {
    return "it is written anew from the roster, which is good";
  }
  if (path.endsWith("/cursor") && saysNothingWasRead(after)) {
    return "the mail is read again, and the transcript knows what was shown";
  }
  if (path.includes("/heads/") && after === "" && isAlone(witnessed(path))) {
    return "what it would tell of is as it was";
  }
  return undefined;
}

/** True for a missing cursor, and for one of a mailbox that was never read. */
function saysNothingWasRead(cursor: string): boolean {
  return cursor === "" || /"anchor":\{"length":0,/.test(cursor);
}

/** True if the records that would reveal a damaged file were damaged as well. */
export function isUnwitnessed(path: string, damaged: readonly string[]): boolean {
  return damaged.some((other) => other.includes("/heads/") && path.includes(witnessed(other)));
}

/** A part of the paths that a head or a list describes. */
function witnessed(head: string): string {
  const [name = "", kind] = basename(head).split(".");
  if (kind === undefined) return `transcripts/${name}`;
  if (kind === "mail") return name;
  return { bill: "usage", jobs: "background/", crons: "crons/" }[name] ?? name;
}

/** The meaning of a text, without irrelevant details. */
function meaningOf(path: string, text: string): string {
  if (/\/inbox\/.*\.jsonl$/.test(path)) return distinctLines(text);
  try {
    return JSON.stringify(JSON.parse(text), (key, value) =>
      isIdle(path, key) ? undefined : value,
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .join("\n");
  }
}

/** A duplicated message is delivered once; text without a newline is not a line yet. */
function distinctLines(text: string): string {
  const lines = text.split("\n").slice(0, -1);
  return [...new Set(lines)].filter((line) => line.trim() !== "").join("\n");
}

/** The version of a task or request is taken from the file name. */
function isIdle(path: string, key: string): boolean {
  return key === "version" && /\/(tasks|requests)\//.test(path);
}

/** The files that a damage has changed. */
export function filesOf({ path, detail }: Damage): string[] {
  const other = /^with (.*)$/.exec(detail)?.[1];
  return other === undefined ? [path] : [path, other];
}

/** True if a warning names the file, or the thing that it belongs to. */
export function isTold(path: string, said: string): boolean {
  return namesOf(path).some((name) => said.includes(name));
}

function namesOf(path: string): string[] {
  const [, mailbox] = /inbox\/\.?([a-z]+)/.exec(path) ?? [];
  if (mailbox)
    return [`inbox/${mailbox}.jsonl`, `inbox/.${mailbox}/`, `line-set-aside of ${mailbox}`];
  const [, transcript] = /transcripts\/\.?([a-z]+)/.exec(path) ?? [];
  if (transcript) return [`transcripts/${transcript}.jsonl`];
  const [, request] = /requests\/(?:\.versions\/)?([0-9a-f-]{36})/.exec(path) ?? [];
  if (request) return [request];
  const [, task] = /tasks\/(?:\.versions\/)?(\d+)/.exec(path) ?? [];
  if (task) return [`tasks/${task}.json`, `tasks/.versions/${task}/`];
  if (path.endsWith("/config.json")) return [basename(path), "The roster's record of"];
  if (path.includes("/heads/")) return [path, witnessed(path)];
  return [basename(path)];
}
