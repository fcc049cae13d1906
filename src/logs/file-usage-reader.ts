import type { FilePath } from "../lib/file-path.ts";
import { type Damage, parseLine } from "../lib/json-lines.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath, sideDirectory } from "../lib/segments.ts";
import type { MemberName } from "../protocol/ids.ts";
import { UsageLine, type UsageTotal } from "../protocol/usage.ts";
import type { UsageReader } from "./usage-ledger.ts";
import { UsageSums } from "./usage-sums.ts";

export interface FileUsageReaderOptions {
  /** Told of each line that cannot be read, and so is in no total. */
  onDamage(damage: Damage): void;
}

/** Looks at a ledger that another process may be writing, and never touches it. */
export class FileUsageReader implements UsageReader {
  readonly #path: FilePath;
  readonly #directory: FilePath;
  readonly #onDamage: (damage: Damage) => void;

  constructor(path: FilePath, { onDamage }: FileUsageReaderOptions) {
    this.#path = path;
    this.#directory = sideDirectory(path);
    this.#onDamage = onDamage;
  }

  async totals(): Promise<Map<MemberName, UsageTotal>> {
    return (await this.readSums()).totals();
  }

  async readSums(): Promise<UsageSums> {
    for (;;) {
      const before = await listSegments(this.#directory);
      await using live = await LineReader.open(this.#path);
      const older = await listSegments(this.#directory);
      // Otherwise `live` may be one of `older` under its new name, and be counted twice.
      if (older.at(-1) === before.at(-1)) return await this.#sumUpTo(live, older);
    }
  }

  /** The sums at the end of `file`: its own lines, on top of the segments before it if need be. */
  async #sumUpTo(file: LineReader | undefined, older: readonly number[]): Promise<UsageSums> {
    const isComplete = await beginsWithTotals(file);
    const sums = isComplete ? new UsageSums() : await this.#sumUpToNewest(older);
    for await (const line of file?.forwards() ?? []) this.#add(line, sums);
    return sums;
  }

  async #sumUpToNewest(segments: readonly number[]): Promise<UsageSums> {
    const newest = segments.at(-1);
    if (newest === undefined) return new UsageSums();
    await using file = await LineReader.open(segmentPath(this.#directory, newest));
    return await this.#sumUpTo(file, segments.slice(0, -1));
  }

  #add(line: Line, sums: UsageSums): void {
    const record = parseLine(line, UsageLine, this.#onDamage);
    if (record?.type === "carried") sums.restart(record);
    if (record?.type === "call") sums.add(record);
  }
}

/** True when nothing older is needed. A damaged first line is told of when it is added up. */
async function beginsWithTotals(file: LineReader | undefined): Promise<boolean> {
  for await (const line of file?.forwards() ?? []) {
    return parseLine(line, UsageLine, () => {})?.type === "carried";
  }
  return false;
}
