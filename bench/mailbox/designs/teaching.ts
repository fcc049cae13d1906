import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DirectoryWatch } from "../../../src/lib/directory-watch.ts";
import {
  fileName,
  fillBySending,
  type Receiver,
  type Sender,
  type SenderPlace,
  type Taken,
} from "./design.ts";
import { openWatch } from "./troupe.ts";

/** One file of lines, as in tutorials: append to send; read all and truncate to receive. */
export class TeachingSender implements Sender {
  readonly #path: string;
  readonly #from: string;

  constructor({ directory, from }: SenderPlace) {
    this.#path = join(directory, fileName);
    this.#from = from;
    appendFileSync(this.#path, "");
  }

  async send(content: string): Promise<void> {
    const message = { type: "message", from: this.#from, content, timestamp: Date.now() / 1000 };
    appendFileSync(this.#path, `${JSON.stringify(message)}\n`);
  }

  fill(content: string, count: number): Promise<void> {
    return fillBySending(this, content, count);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export class TeachingReceiver implements Receiver {
  readonly #path: string;
  readonly #watch: DirectoryWatch;

  private constructor(path: string, watch: DirectoryWatch) {
    this.#path = path;
    this.#watch = watch;
    appendFileSync(this.#path, "");
  }

  static async open(directory: string): Promise<TeachingReceiver> {
    return new TeachingReceiver(join(directory, fileName), await openWatch(directory));
  }

  async take(): Promise<Taken> {
    const text = readFileSync(this.#path, "utf8");
    if (text !== "") writeFileSync(this.#path, "");
    const lines = text.split("\n").filter((line) => line !== "");
    const contents = lines.flatMap((line) => contentOf(line) ?? []);
    return { contents, torn: lines.length - contents.length };
  }

  onWake(wake: () => void): void {
    this.#watch.subscribe(fileName, wake);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
  }
}

/** No schema is checked, because this design has none. */
function contentOf(line: string): string | undefined {
  try {
    const { content }: { content: unknown } = JSON.parse(line);
    return typeof content === "string" ? content : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
