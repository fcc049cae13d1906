import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "../lib/bundle.ts";
import { Child } from "../lib/child.ts";

const programs = {
  sender: "bench/mailbox/programs/sender.ts",
  receiver: "bench/mailbox/programs/receiver.ts",
  "unread-sender": "bench/mailbox/programs/unread-sender.ts",
  ticker: "bench/mailbox/programs/ticker.ts",
  listener: "bench/mailbox/programs/listener.ts",
  idler: "bench/mailbox/programs/idler.ts",
  "life-maker": "bench/mailbox/programs/life-maker.ts",
  reopener: "bench/mailbox/programs/reopener.ts",
};

/** Where the measurements find their child programs, and room for their files. */
export class Workbench {
  readonly #directory: string;
  readonly #pathOf: (program: keyof typeof programs) => string;

  private constructor(directory: string, pathOf: (program: keyof typeof programs) => string) {
    this.#directory = directory;
    this.#pathOf = pathOf;
  }

  static async open(directory: string): Promise<Workbench> {
    return new Workbench(directory, await bundle(programs, join(directory, "programs")));
  }

  /** A new directory of that name. */
  async directory(name: string): Promise<string> {
    const path = join(this.#directory, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  start(program: keyof typeof programs, options: object): Promise<Child> {
    return Child.start(this.#pathOf(program), options);
  }
}
