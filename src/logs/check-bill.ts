import { type FilePath, locationOf } from "../lib/file-path.ts";
import type { Damage } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import { isAsMarked, type LogHead } from "../lib/log-head.ts";
import { segmentPath, sideDirectory } from "../lib/segments.ts";

export interface CheckBillOptions {
  path: FilePath;
  /** The generation of the live file. */
  generation: number;
  onDamage(damage: Damage): void;
}

/**
 * Reports a bill that differs from what was written: missing calls are in no total, and repeated
 * ones count twice.
 */
export async function checkBill(
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
