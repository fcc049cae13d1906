import { type FilePath, locationOf, sizeOf } from "../lib/file-path.ts";
import { isAsMarked, type LogHead, type LogMark } from "../lib/log-head.ts";
import { segmentPath } from "../lib/segments.ts";
import type { MailLayout } from "./mail-layout.ts";
import type { MailSource } from "./mail-source.ts";

export interface CheckOptions {
  head: LogHead;
  layout: MailLayout;
  sources: readonly MailSource[];
  onWarning(message: string): void;
}

/**
 * Reports each log of a mailbox that differs from its state when it was last read. Nothing else
 * follows from that, because every remaining line is judged separately.
 */
export async function checkMarks({
  head,
  layout,
  sources,
  onWarning,
}: CheckOptions): Promise<void> {
  for (const mark of [...head.marks]) {
    const path = pathOf(mark, sources, layout);
    const isTold = !path || sources.some((source) => source.isAnother && isSame(source.path, path));
    if (path && !isTold && isAsMarked(path, mark)) continue;
    head.drop(mark.generation);
    if (isTold) continue;
    const problem = sizeOf(path) === 0 ? "is missing or empty" : "was changed";
    onWarning(
      `${path} ${problem}: mail in it was lost, changed or moved since the last check. The rest of it is used.`,
    );
  }
}

/** The path of a marked log; undefined for a live log that another one has replaced. */
function pathOf(
  { generation }: LogMark,
  sources: readonly MailSource[],
  layout: MailLayout,
): FilePath | undefined {
  const live = sources.at(-1);
  if (!live || generation >= live.generation) return layout.live;
  const isReplaced = live.isAnother && generation === live.generation - 1;
  const segment = segmentPath(layout.directory, generation);
  return isReplaced && !sources.some((source) => source.generation === generation)
    ? undefined
    : segment;
}

function isSame(one: FilePath, other: FilePath): boolean {
  return locationOf(one) === locationOf(other);
}
