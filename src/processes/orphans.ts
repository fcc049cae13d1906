import type { Clock } from "../lib/clock.ts";
import { listProcesses } from "./process-list.ts";
import { endTree, type ProcessTree, selectTree } from "./process-tree.ts";
import type { RunningCommands } from "./running-commands.ts";

export interface OrphanOptions {
  /** True for the markers of commands whose process is gone. */
  isOrphan(marker: string): boolean;
  /** The commands of this process, which are not orphans. */
  running: RunningCommands;
  clock: Clock;
}

/**
 * Ends the remaining commands of a process that was killed, with all they have started. Resolves to
 * the number of processes, once they are gone or cannot be ended.
 */
export async function endOrphans(options: OrphanOptions): Promise<number> {
  const trees = await findOrphans(options);
  const counts = await Promise.all(trees.map((tree) => endTree(tree, options.clock)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function findOrphans(options: OrphanOptions): Promise<ProcessTree[]> {
  const rows = await listProcesses();
  const found = new Map<string, ProcessTree>();
  for (const { marker, group } of rows) {
    if (marker === undefined || options.running.has(marker)) continue;
    if (options.isOrphan(marker)) found.set(marker, { marker, group });
  }
  // This process may have been started by such a command itself.
  const isOwn = (tree: ProcessTree) =>
    selectTree(rows, tree).some(({ pid }) => pid === process.pid);
  return [...found.values()].filter((tree) => !isOwn(tree));
}
