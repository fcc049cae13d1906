import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lock } from "proper-lockfile";
import type { Sender, SenderPlace } from "./design.ts";

/** One JSON array in one file, read and written whole under a lock. */
export class ArraySender implements Sender {
  readonly #path: string;
  readonly #from: string;

  constructor({ directory, from }: SenderPlace) {
    this.#path = join(directory, "ada.json");
    this.#from = from;
    if (!existsSync(this.#path)) this.#write([]);
  }

  async send(content: string): Promise<void> {
    const release = await lock(this.#path, { retries: 10 });
    try {
      this.#write([...this.#read(), this.#message(content)]);
    } finally {
      await release();
    }
  }

  async fill(content: string, count: number): Promise<void> {
    this.#write(Array.from({ length: count }, () => this.#message(content)));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #message(content: string) {
    return { type: "message", from: this.#from, content, timestamp: Date.now() / 1000 };
  }

  #read(): unknown[] {
    const messages: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
    if (!Array.isArray(messages)) throw new Error(`${this.#path} is not an array`);
    return messages;
  }

  #write(messages: readonly unknown[]): void {
    writeFileSync(this.#path, JSON.stringify(messages));
  }
}
