import { rename, stat } from "node:fs/promises";
import { z } from "zod";
import { hasErrno } from "../errors.ts";
import { readTextIfExists } from "../lib/files.ts";
import { appendLines, toLines } from "../lib/json-lines.ts";
import { MessageId } from "../protocol/ids.ts";
import { Position } from "../protocol/message.ts";

/** Why one line of a mailbox was not delivered. */
export const SideRecord = z.object({
  id: MessageId,
  ...Position.shape,
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
  readonly #path: string;
  readonly #ids: Set<MessageId>;

  private constructor(path: string, records: readonly SideRecord[]) {
    this.#path = path;
    this.#ids = new Set(records.map(({ id }) => id));
  }

  static async open(path: string): Promise<SideLog> {
    return new SideLog(path, await readSideLog(path));
  }

  has(id: MessageId): boolean {
    return this.#ids.has(id);
  }

  async add(records: readonly SideRecord[]): Promise<void> {
    const unknown = records.filter(({ id }) => !this.#ids.has(id));
    if (unknown.length === 0) return;
    await this.#makeRoom();
    appendLines(this.#path, toLines(unknown));
    for (const { id } of unknown) this.#ids.add(id);
  }

  async #makeRoom(): Promise<void> {
    try {
      if ((await stat(this.#path)).size > maxBytes) await rename(this.#path, olderPath(this.#path));
    } catch (error) {
      if (!hasErrno(error, "ENOENT")) throw error;
    }
  }
}

/** All records, oldest first. What is no record is passed over: it is only a copy of history. */
export async function readSideLog(path: string): Promise<SideRecord[]> {
  const older = (await readTextIfExists(olderPath(path))) ?? "";
  const newer = (await readTextIfExists(path)) ?? "";
  return `${older}\n${newer}`.split("\n").flatMap((line) => {
    try {
      return SideRecord.safeParse(JSON.parse(line)).data ?? [];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

function olderPath(path: string): string {
  return path.replace(/\.jsonl$/, ".older.jsonl");
}
