import { hasErrno } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import { wait } from "../lib/wait.ts";
import { cannotLook, listProcesses, listProcessesSince, type ProcessRow } from "./process-list.ts";

/** All that one command has started. */
export interface ProcessTree {
  /** A process group of it: the shell's, where that is known. */
  readonly group: number;
  /** What all its processes have inherited. */
  readonly marker: string;
}

/** One process to be ended. A negative pid means a group. */
type Target = Pick<ProcessRow, "pid" | "start">;

/** How long a process has between being asked to end and being made to. */
const graceMs = 500;
const pollMs = 20;
/** A process that forks faster than it can be killed is not waited for for ever. */
const killRounds = 5;

/**
 * True while there is a living process of `tree`. `isNew` says that it began a moment ago, so that
 * no pid has come again since: then only a few processes are looked at.
 */
export async function isRunning(
  tree: ProcessTree,
  { isNew }: { isNew: boolean },
): Promise<boolean> {
  const rows = isNew ? listProcessesSince(tree.group) : listProcesses();
  const isAny = rows.then((them) => selectTree(them, tree).length > 0);
  return await orAssumed(isAny, signalProcess(-tree.group, 0));
}

/**
 * Ends every process of `tree`, those that left its group too: first asked, then killed. Resolves
 * to how many there were, once they are gone, or cannot be ended.
 */
export async function endTree(tree: ProcessTree, clock: Clock): Promise<number> {
  const ended = new Set<number>();
  for (let round = 0; round <= killRounds; round++) {
    // The kernel kills a group at once: one by one, what forks fast enough is never caught up with.
    if (round > 0) signalProcess(-tree.group, "SIGKILL");
    const targets = await findTree(tree);
    if (targets.length === 0) break;
    for (const target of targets) {
      ended.add(target.pid);
      if (await isAlive(target)) signalProcess(target.pid, round === 0 ? "SIGTERM" : "SIGKILL");
    }
    await untilGone(targets, clock);
  }
  return ended.size;
}

async function untilGone(targets: readonly Target[], clock: Clock): Promise<void> {
  const deadlineMs = clock.monotonicMs() + graceMs;
  for (const target of targets) {
    while (await isAlive(target)) {
      if (clock.monotonicMs() >= deadlineMs) return;
      await wait(clock, pollMs);
    }
  }
}

/** Its processes; where they cannot be looked up, its group. */
function findTree(tree: ProcessTree): Promise<Target[]> {
  const select = (rows: ProcessRow[]): Target[] => selectTree(rows, tree);
  return orAssumed(listProcesses().then(select), [{ pid: -tree.group, start: undefined }]);
}

/** False also where its pid is another process's by now: that one must not be ended. */
async function isAlive({ pid, start }: Target): Promise<boolean> {
  if (pid < 0) return signalProcess(pid, 0);
  const isThisOne = (found: string | undefined) =>
    found !== undefined && found === (start ?? found);
  return await orAssumed(systemProcesses.startOf(pid).then(isThisOne), true);
}

/** What is `found`, or `assumed` where processes cannot be listed: commands must end then, too. */
async function orAssumed<T>(found: Promise<T>, assumed: T): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (cannotLook(error)) return assumed;
    throw error;
  }
}

/** A negative pid means a group. False where there is no such process, or it is another user's. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (hasErrno(error, "ESRCH", "EPERM")) return false;
    throw error;
  }
}

/**
 * Those of `rows` that carry the marker, or descend from such, and all that is in a group with one:
 * a command begins with a session of its own, and so no group of it has a stranger.
 */
export function selectTree(rows: readonly ProcessRow[], tree: ProcessTree): ProcessRow[] {
  const marked = rows.filter(({ marker }) => marker === tree.marker);
  const groups = new Set([tree.group, ...marked.map(({ group }) => group)]);
  const found = new Set(rows.filter(({ group }) => groups.has(group)));
  // The set grows while it is gone through, so that children of children are found.
  for (const { pid } of found) {
    for (const row of rows) if (row.parent === pid) found.add(row);
  }
  return [...found];
}
