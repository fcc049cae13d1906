import { hasErrno, TeamError } from "../../errors.ts";
import type { FilePath } from "../../lib/file-path.ts";
import { parseLine } from "../../lib/json-lines.ts";
import { type FileLine, LineReader } from "../../lib/line-reader.ts";
import type { MessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { TranscriptEntry } from "../../protocol/transcript.ts";

/** How much of a transcript is read: for each message, and in all. */
const [linesEach, linesInAll] = [500, 10_000];

/**
 * The time at which each of `messages` came into the transcript at `path`. Entries are in order of
 * time, so each is searched from the time of its sending on, in a bounded number of lines; a
 * message that is not found there is left out.
 */
export async function findDeliveryTimes(
  path: FilePath,
  messages: readonly Message[],
): Promise<Map<MessageId, string>> {
  try {
    return await findIn(path, messages);
  } catch (error) {
    // Messages are shown even if the transcript cannot be read.
    if (isUnreadable(error)) return new Map();
    throw error;
  }
}

function isUnreadable(error: unknown): boolean {
  // Links, pipes and files of another user are refused with a `TeamError`.
  return error instanceof TeamError || hasErrno(error, "EACCES", "EPERM", "EISDIR", "EIO");
}

async function findIn(
  path: FilePath,
  messages: readonly Message[],
): Promise<Map<MessageId, string>> {
  const found = new Map<MessageId, string>();
  await using reader = await LineReader.open(path);
  if (!reader) return found;
  const missing = new Set(messages.map(({ id }) => id));
  let budget = linesInAll;
  for (const { id, timestamp } of [...messages].sort((a, b) => a.timestamp - b.timestamp)) {
    if (!missing.has(id) || budget <= 0) continue;
    let left = linesEach;
    for await (const line of reader.forwards(await seek(reader, timestamp * 1000))) {
      for (const [seen, at] of deliveriesIn(line)) if (missing.delete(seen)) found.set(seen, at);
      budget -= 1;
      if (!missing.has(id) || left-- <= 0) break;
    }
  }
  return found;
}

/** The start of a line shortly before the first entry at or after `timeMs`. */
async function seek(reader: LineReader, timeMs: number): Promise<number> {
  let [low, high] = [0, Number((await reader.stat()).size)];
  while (high - low > nearBytes) {
    const middle = Math.floor((low + high) / 2);
    const line = await firstDatedAfter(reader, middle);
    if (line && line.offset < high && line.at < timeMs) low = line.offset;
    else high = middle;
  }
  return low;
}

/** A part of this size is read, not searched by halves. */
const nearBytes = 128 * 1024;

async function firstDatedAfter(
  reader: LineReader,
  place: number,
): Promise<{ offset: number; at: number } | undefined> {
  let isPart = true;
  for await (const line of reader.forwards(place)) {
    const at = isPart ? Number.NaN : timeOf(line);
    isPart = false;
    if (!Number.isNaN(at)) return { offset: line.offset, at };
  }
  return undefined;
}

/** How an entry begins that troupe has written. */
const dated = /^\{"type":"[a-z-]+","at":"([^"]+)"/;

function timeOf({ bytes }: FileLine): number {
  const [, at = ""] = dated.exec(bytes.toString("latin1", 0, 100)) ?? [];
  return Date.parse(at);
}

/** The messages that came with one line. Most lines need no parsing to see that they have none. */
function deliveriesIn(line: FileLine): [MessageId, string][] {
  const { bytes } = line;
  const mayHave = bytes.indexOf('"delivery"') === 8 || bytes.includes('"mail":[');
  const entry = mayHave ? parseLine(line, TranscriptEntry, () => {}) : undefined;
  if (entry?.type === "delivery") return [[entry.message.id, entry.at]];
  if (entry?.type !== "tool-result") return [];
  return (entry.mail ?? []).map(({ message }) => [message.id, entry.at]);
}
