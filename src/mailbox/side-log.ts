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
});
export type SideRecord = z.infer<typeof SideRecord>;

const maxBytes = 1024 * 1024;

/**
 * The lines of a mailbox that were set aside, or the messages that were given back: one record
 * each. Bounded: the older half is dropped; the lines themselves stay in the mailbox's history.
 */
export class SideLog {
  readonly #path: FilePath;
  #ids: Set<MessageId>;

  private constructor(path: FilePath, ids: Set<MessageId>) {
    this.#path = path;
    this.#ids = ids;
  }

  static async open(path: FilePath): Promise<SideLog> {
    return new SideLog(path, await readSideIds(path));
  }

  has(id: MessageId): boolean {
    return this.#ids.has(id);
  }

  async add(records: readonly SideRecord[]): Promise<void> {
    const unknown = records.filter(({ id }) => !this.#ids.has(id));
    if (unknown.length === 0) return;
    const isFull = sizeOf(this.#path) >= maxBytes;
    await appendAside(this.#path, toLines(unknown), maxBytes);
    if (isFull) this.#ids = await readSideIds(this.#path);
    for (const { id } of unknown) this.#ids.add(id);
  }
}

/** The ids of all records. What is no record is passed over: it is only a copy of history. */
export async function readSideIds(path: FilePath): Promise<Set<MessageId>> {
  const ids = new Set<MessageId>();
  for (const part of [olderPath(path), path]) {
    await using reader = await LineReader.open(part);
    for await (const line of reader?.forwards() ?? []) {
      const record = parseLine(line, SideRecord, () => undefined);
      if (record) ids.add(record.id);
    }
  }
  return ids;
}
