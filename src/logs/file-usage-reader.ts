import type { FilePath } from "../lib/file-path.ts";
import { type Damage, parseLine } from "../lib/json-lines.ts";
import type { LineReader } from "../lib/line-reader.ts";
import { type LogPlace, PagedLog } from "../lib/paged-log.ts";
import { Serial } from "../lib/serial.ts";
import type { MemberName } from "../protocol/ids.ts";
import { UsageLine, type UsageTotal } from "../protocol/usage.ts";
import type { UsageReader } from "./usage-ledger.ts";
import { UsageSums } from "./usage-sums.ts";

export interface FileUsageReaderOptions {
  /** Called with each line that cannot be read, and so is in no total. */
  onDamage(damage: Damage): void;
}

/** Some lines of a ledger, oldest first. */
export interface UsageLines {
  lines: UsageLine[];
  /** Where to continue. */
  after: LogPlace;
  /** True if the ledger was replaced, so that these are its first lines. */
  isRestarted: boolean;
}

/**
 * Reads a ledger that another process may be writing, and never changes it. The totals are kept up
 * to date by reading only new lines.
 */
export class FileUsageReader implements UsageReader {
  readonly #log: PagedLog;
  readonly #onDamage: (damage: Damage) => void;
  readonly #serial = new Serial();
  #sums = new UsageSums();
  #place: LogPlace | undefined;

  constructor(path: FilePath, { onDamage }: FileUsageReaderOptions) {
    this.#log = new PagedLog(path);
    this.#onDamage = onDamage;
  }

  async totals(): Promise<Map<MemberName, UsageTotal>> {
    return (await this.readSums()).totals();
  }

  readSums(): Promise<UsageSums> {
    return this.#serial.run(async () => {
      this.#place ??= { generation: await this.#firstNeeded(), offset: 0, file: undefined };
      const restart = () => {
        this.#sums = new UsageSums();
      };
      for await (const line of this.#log.readOn(this.#place, restart)) {
        this.#add(parseLine(line, UsageLine, this.#onDamage));
      }
      return this.#sums;
    });
  }

  /** At most `limit` of the kept lines after `after` (default: from the oldest on). */
  async lines(limit: number, after?: LogPlace): Promise<UsageLines> {
    const place: LogPlace = after ? { ...after } : { generation: 0, offset: 0, file: undefined };
    let lines: UsageLine[] = [];
    let isRestarted = false;
    const restart = () => {
      lines = [];
      isRestarted = true;
    };
    for await (const line of this.#log.readOn(place, restart)) {
      const record = parseLine(line, UsageLine, this.#onDamage);
      if (record && lines.push(record) >= limit) break;
    }
    return { lines, after: place, isRestarted };
  }

  #add(line: UsageLine | undefined): void {
    if (line?.type === "carried") this.#sums.restart(line);
    if (line?.type === "call") this.#sums.add(line);
  }

  /** The newest generation that needs none before it: it begins with what they add up to. */
  async #firstNeeded(): Promise<number> {
    for await (const { generation, reader } of this.#log.newestFirst()) {
      if (await beginsWithTotals(reader)) return generation;
    }
    return 0;
  }
}

/** A damaged first line is reported when it is added up. */
async function beginsWithTotals(file: LineReader): Promise<boolean> {
  for await (const line of file.forwards()) {
    return parseLine(line, UsageLine, () => {})?.type === "carried";
  }
  return false;
}
