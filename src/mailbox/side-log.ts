import { z } from "zod";
import { type FilePath, sizeOf } from "../lib/file-path.ts";
import { appendAside, olderPath, parseLine, toLines } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import { MessageId } from "../protocol/ids.ts";
import { MailPosition } from "../protocol/message.ts";

/** Why one line of a mailbox was not delivered. */
export const SideRecord = z.object({
  id: MessageId,
  ...MailPosition.shape,
  reason: z.string(),
  text: z.string(),
  at: z.iso.datetime(),
  /** True for a message that its sender took back. */
  withdrawn: z.boolean().optional(),
});
export type SideRecord = z.infer<typeof SideRecord>;

/** Why a message was never seen. Lines that were set aside have none of their own. */
export type SideFate = "undelivered" | "withdrawn";

const maxBytes = 1024 * 1024;

/**
 * The lines of a mailbox that were set aside, or the messages that were given back or withdrawn: one
 * record each. Bounded: the older half is dropped; the lines themselves stay in the mailbox's history.
 */
export class SideLog {
  readonly #path: FilePath;
  #fates: Map<MessageId, SideFate>;

  private constructor(path: FilePath, fates: Map<MessageId, SideFate>) {
    this.#path = path;
    this.#fates = fates;
  }

  static async open(path: FilePath): Promise<SideLog> {
    return new SideLog(path, await readSideFates(path));
  }

  has(id: MessageId): boolean {
    return this.#fates.has(id);
  }

  async add(records: readonly SideRecord[]): Promise<void> {
    const unknown = records.filter(({ id }) => !this.#fates.has(id));
    if (unknown.length === 0) return;
    const isFull = sizeOf(this.#path) >= maxBytes;
    await appendAside(this.#path, toLines(unknown), maxBytes);
    if (isFull) this.#fates = await readSideFates(this.#path);
    for (const record of unknown) this.#fates.set(record.id, fateOf(record));
  }
}

/** What became of each message. What is no record is passed over: it is only a copy of history. */
export async function readSideFates(path: FilePath): Promise<Map<MessageId, SideFate>> {
  const fates = new Map<MessageId, SideFate>();
  for (const part of [olderPath(path), path]) {
    await using reader = await LineReader.open(part);
    for await (const line of reader?.forwards() ?? []) {
      const record = parseLine(line, SideRecord, () => undefined);
      if (record) fates.set(record.id, fateOf(record));
    }
  }
  return fates;
}

function fateOf({ withdrawn }: SideRecord): SideFate {
  return withdrawn ? "withdrawn" : "undelivered";
}
