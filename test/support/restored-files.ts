import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hmacSignature } from "../../src/keys/signature.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead } from "../../src/protocol/ids.ts";
import { FileRestore } from "../../src/team/rewind/file-restore.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import type { HistoryLimits } from "../../src/workspace/change-history.ts";
import { ChangeKeepers } from "../../src/workspace/change-keepers.ts";
import { FileChangeHistory } from "../../src/workspace/file-change-history.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";

/** A workspace in `root/work`, whose files are changed as tools do it, and restored. */
export class RestoredFiles {
  readonly root: string;
  readonly clock: ManualClock;
  readonly #directory: string;
  readonly #limits: HistoryLimits | undefined;

  constructor(directory: string, clock: ManualClock, limits?: HistoryLimits) {
    this.root = join(directory, "work");
    this.#directory = directory;
    this.clock = clock;
    this.#limits = limits;
  }

  /** A time that is after all that was done before. */
  moment(): Date {
    this.clock.advance(1_000);
    return this.clock.now();
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** As a tool changes a file, in a process of its own. */
  async write(name: string, text: string): Promise<void> {
    const path = this.path(name);
    const before = existsSync(path) ? await readFile(path) : undefined;
    const after = Buffer.from(text);
    await this.#keepers().of(lead).keep({ root: this.root, path, before, after });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, after);
  }

  async read(name: string): Promise<string | undefined> {
    const path = this.path(name);
    return existsSync(path) ? readFile(path, "utf8") : undefined;
  }

  preview(since: Date) {
    return this.#files().preview(since);
  }

  isIncomplete(since: Date): Promise<boolean> {
    return this.#files().isIncomplete(since);
  }

  restore(since: Date, overwrites: (path: string) => boolean = () => false): Promise<string[]> {
    return this.#files().restore(since, overwrites);
  }

  #files(): FileRestore {
    const teamDirectory = join(this.#directory, ".team");
    const roots = async () => [this.root];
    return new FileRestore({
      ...{ history: this.#history(), keeper: this.#keepers().ofRewind() },
      ...{ locks: new FileLocks(), teamDirectory, roots },
    });
  }

  #keepers(): ChangeKeepers {
    return new ChangeKeepers(this.#history(), new Secrets([]));
  }

  #history(): FileChangeHistory {
    return new FileChangeHistory({
      directory: join(this.#directory, ".team", "checkpoints"),
      signer: hmacSignature(Buffer.alloc(32, 1)),
      clock: this.clock,
      onWarning: () => undefined,
      ...(this.#limits && { limits: this.#limits }),
    });
  }
}

export async function openRestoredFiles(limits?: HistoryLimits) {
  const directory = await temporaryDirectory();
  const files = new RestoredFiles(directory.path, new ManualClock(), limits);
  await mkdir(files.root);
  return Object.assign(files, {
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  });
}
