import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileName, fillBySending, type Sender, type SenderPlace } from "./design.ts";

/** Only the write itself, of one prepared line: the best that Node can do. */
export class BareSender implements Sender {
  readonly #descriptor: number;
  #line: Buffer | undefined;

  constructor({ directory }: Pick<SenderPlace, "directory">) {
    this.#descriptor = openSync(join(directory, fileName), "a");
  }

  async send(content: string): Promise<void> {
    this.#line ??= Buffer.from(`${JSON.stringify({ type: "message", content })}\n`);
    writeSync(this.#descriptor, this.#line);
  }

  fill(content: string, count: number): Promise<void> {
    return fillBySending(this, content, count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    closeSync(this.#descriptor);
  }
}
