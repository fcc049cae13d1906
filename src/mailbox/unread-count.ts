import { identityOf } from "../lib/appearance.ts";
import type { FileLine, LineReader } from "../lib/line-reader.ts";
import { Serial } from "../lib/serial.ts";
import { isShown } from "../protocol/message-types.ts";
import { isSettled, readCursor } from "./mail-cursor.ts";
import { mailLog } from "./mail-history.ts";
import type { MailLayout } from "./mail-layout.ts";

/**
 * How much mail waits to be seen by a member's model, for somebody who only looks. Only what is new
 * since the last look is read.
 */
export class UnreadCount {
  readonly #layout: MailLayout;
  readonly #serial = new Serial();
  #file: string | undefined;
  #readTo = 0;
  /** Where the lines end that were read here and are not acknowledged. */
  #ends: number[] = [];

  constructor(layout: MailLayout) {
    this.#layout = layout;
  }

  read(): Promise<number> {
    return this.#serial.run(() => this.#read());
  }

  async #read(): Promise<number> {
    const cursor = await readCursor(this.#layout.cursor);
    const files = mailLog(this.#layout).newestFirst(cursor?.generation);
    for await (const { generation, reader } of files) {
      const settled = cursor?.generation === generation ? cursor.offset : 0;
      await this.#readOn(reader, settled);
      const isWaiting = (offset: number) => !isSettled(cursor, { generation, offset });
      const first = this.#ends.findIndex(isWaiting);
      this.#ends.splice(0, first === -1 ? this.#ends.length : first);
      // A log becomes a segment only when all of it is acknowledged.
      return this.#ends.length;
    }
    return 0;
  }

  async #readOn(reader: LineReader, settled: number): Promise<void> {
    const stats = await reader.stat();
    const file = identityOf(stats);
    if (file !== this.#file || stats.size < this.#readTo) {
      [this.#file, this.#readTo, this.#ends] = [file, settled, []];
    }
    for await (const line of reader.forwards(this.#readTo)) {
      this.#readTo = line.end;
      if (isForMember(line)) this.#ends.push(line.end);
    }
  }
}

/** False for what concerns the runtime alone. Troupe writes the type second, so a line's beginning tells it. */
function isForMember({ bytes }: FileLine): boolean {
  if (bytes.length === 0) return false;
  const [, type] = /^\{"id":"[^"]*","type":"(\w+)"/.exec(bytes.toString("utf8", 0, 120)) ?? [];
  return type === undefined || isShown({ type });
}
