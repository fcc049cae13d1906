import type { Clock } from "../lib/clock.ts";
import type { FilePath } from "../lib/file-path.ts";
import { locationOf } from "../lib/file-path.ts";
import type { HeldFiles } from "../lib/held-files.ts";
import { type Damage, repairTail, toLines } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import type { LogHead } from "../lib/log-head.ts";
import { isAsMarked } from "../lib/log-head.ts";
import { segmentPath, sideDirectory } from "../lib/segments.ts";
import type { MemberName } from "../protocol/ids.ts";
import { UsageLine, type UsageRecord, type UsageTotal } from "../protocol/usage.ts";
import { FileUsageReader } from "./file-usage-reader.ts";
import { RotatingFile } from "./rotating-file.ts";
import type { UsageLedger } from "./usage-ledger.ts";
import type { UsageSums } from "./usage-sums.ts";

export interface FileUsageLedgerOptions {
  path: FilePath;
  clock: Clock;
  /** Called with each line that cannot be read, and so is in no total. */
  onDamage(damage: Damage): void;
  /** The recorded end of the bill. Without it, it is not noticed when lines are missing. */
  head?: LogHead | undefined;
  /** Throws when this process may no longer write. */
  check?: () => Promise<void>;
  /** Keeps the bill open from one call to the next. */
  files?: HeldFiles;
  maxBytes?: number;
  keptSegments?: number;
}

/**
 * The bill of a team in `usage.jsonl` and the segments in `.usage/`, as its only writer.
 *
 * A new file begins, in the same write as its first call, with what all files before it add up to.
 * So the totals need the live file alone, or, when a writer died right after a rotation, the
 * newest segment.
 */
export class FileUsageLedger implements UsageLedger {
  readonly #options: FileUsageLedgerOptions;
  readonly #file: RotatingFile;
  readonly #sums: UsageSums;

  private constructor(options: FileUsageLedgerOptions, file: RotatingFile, sums: UsageSums) {
    this.#options = options;
    this.#file = file;
    this.#sums = sums;
  }

  static async open(options: FileUsageLedgerOptions): Promise<FileUsageLedger> {
    const { path, clock, onDamage, maxBytes = 4 * 1024 * 1024, keptSegments = 8, files } = options;
    await repairTail(path, () => UsageLine, onDamage);
    const sums = await new FileUsageReader(path, { onDamage }).readSums();
    const header = () => (sums.isEmpty ? "" : toLines([sums.carried(clock.now())]));
    const file = await RotatingFile.open({ path, maxBytes, keptSegments, header, files });
    if (options.head)
      await checkBill(options.head, { path, generation: file.generation, onDamage });
    const ledger = new FileUsageLedger(options, file, sums);
    ledger.#mark();
    return ledger;
  }

  async record(usage: UsageRecord): Promise<void> {
    await this.#options.check?.();
    this.#file.append(toLines([usage]));
    this.#sums.add(usage);
    this.#mark();
  }

  #mark(): void {
    const { head, path } = this.#options;
    head?.advance([{ generation: this.#file.generation, path }]);
  }

  async totals(): Promise<Map<MemberName, UsageTotal>> {
    return this.#sums.totals();
  }
}

interface CheckBillOptions {
  path: FilePath;
  /** The generation of the live file. */
  generation: number;
  onDamage(damage: Damage): void;
}

/**
 * Reports a bill that differs from what was written: missing calls are in no total, and repeated
 * ones count twice.
 */
async function checkBill(
  head: LogHead,
  { path, generation, onDamage }: CheckBillOptions,
): Promise<void> {
  const mark = head.marks.at(-1);
  if (!mark) return;
  const isLive = mark.generation === generation;
  const marked = isLive ? path : segmentPath(sideDirectory(path), mark.generation);
  const rest = await linesAfter(path, isLive ? mark.bytes : 0);
  // A process that died right after a call had no time to mark it. A new file begins with totals.
  const isEnd = rest.length <= (isLive ? 1 : 2) && !(await hasTwice(path, rest.at(-1)));
  if (isEnd && isAsMarked(marked, mark)) return;
  for (const { generation: each } of [...head.marks]) head.drop(each);
  const reason = `${marked} was changed: calls are missing, altered or duplicated. The totals are of what it contains.`;
  onDamage({ path: locationOf(marked), offset: 0, reason });
}

async function linesAfter(path: FilePath, offset: number): Promise<string[]> {
  const lines: string[] = [];
  await using reader = await LineReader.open(path);
  for await (const line of reader?.forwards(offset) ?? []) {
    lines.push(line.bytes.toString());
    // Three lines are more than enough to decide.
    if (lines.length > 2) return lines;
  }
  return lines;
}

async function hasTwice(path: FilePath, line: string | undefined): Promise<boolean> {
  if (line === undefined) return false;
  let times = 0;
  await using reader = await LineReader.open(path);
  for await (const { bytes } of reader?.forwards() ?? []) if (bytes.toString() === line) times++;
  return times > 1;
}
