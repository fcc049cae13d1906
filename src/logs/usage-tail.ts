import type { FilePath } from "../lib/file-path.ts";
import { type Damage, parseLine } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath, sideDirectory } from "../lib/segments.ts";
import type { MemberName } from "../protocol/ids.ts";
import { UsageLine, type UsageTotal } from "../protocol/usage.ts";
import { LogTail } from "./log-tail.ts";
import { UsageSums } from "./usage-sums.ts";

export interface UsageTailOptions {
  path: FilePath;
  /** Told of each line that cannot be read, and so is in no total. */
  onDamage(damage: Damage): void;
}

/** The totals of a ledger that another process writes, kept up by what is new in it alone. */
export class UsageTail {
  readonly #options: UsageTailOptions;
  #sums = new UsageSums();
  #tail: LogTail | undefined;
  #restarts = 0;
  readonly #models = new Map<MemberName, string>();

  constructor(options: UsageTailOptions) {
    this.#options = options;
  }

  /** Reads what has come since. True when anything has. */
  async refresh(): Promise<boolean> {
    const { path, onDamage } = this.#options;
    this.#tail ??= new LogTail(path, await firstNeeded(path));
    let isChanged = false;
    for await (const line of this.#tail.readOn()) {
      if (this.#tail.restarts > this.#restarts) {
        this.#restarts = this.#tail.restarts;
        this.#sums = new UsageSums();
      }
      isChanged = true;
      this.#add(parseLine(line, UsageLine, onDamage));
    }
    return isChanged;
  }

  totals(): Map<MemberName, UsageTotal> {
    return this.#sums.totals();
  }

  /** The model that a member last called, as far as the newest calls tell. */
  modelOf(member: MemberName): string | undefined {
    return this.#models.get(member);
  }

  #add(line: UsageLine | undefined): void {
    if (line?.type === "carried") this.#sums.restart(line);
    if (line?.type === "call") {
      this.#sums.add(line);
      this.#models.set(line.member, line.model);
    }
  }
}

/** The newest generation that needs none before it: it begins with what they add up to. */
async function firstNeeded(path: FilePath): Promise<number> {
  const segments = await listSegments(sideDirectory(path));
  if (await beginsWithTotals(path)) return (segments.at(-1) ?? 0) + 1;
  for (const segment of [...segments].reverse()) {
    if (await beginsWithTotals(segmentPath(sideDirectory(path), segment))) return segment;
  }
  return 0;
}

async function beginsWithTotals(path: FilePath): Promise<boolean> {
  await using reader = await LineReader.open(path);
  for await (const line of reader?.forwards() ?? []) {
    return parseLine(line, UsageLine, () => {})?.type === "carried";
  }
  return false;
}
