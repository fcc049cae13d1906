import { hasErrno } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import { wait } from "../lib/wait.ts";
import { cannotLook, listProcesses, listProcessesSince, type ProcessRow } from "./process-list.ts";

/** All that one command has started. */
export interface ProcessTree {
  /** Its process group: the shell's, if it is known. */
  readonly group: number;
  /** The marker that all its processes have inherited. */
  readonly marker: string;
  /** When its first process started, if that is known: all others are younger. */
  readonly start?: string | undefined;
}

/** One process to be ended. A negative pid means a group. */
type Target = Pick<ProcessRow, "pid" | "start">;

/** The time between asking a process to end and killing it. */
const graceMs = 500;
const pollMs = 20;
/** The limit of attempts for a process that forks faster than it can be killed. */
const killRounds = 5;

/**
 * True while a process of `tree` is running. `isNew` means that it started a moment ago, so that no
 * pid has been used again: then only a few processes are checked.
 */
export async function isRunning(
  tree: ProcessTree,
  { isNew }: { isNew: boolean },
): Promise<boolean> {
  const rows = isNew ? listProcessesSince(tree.group) : listProcesses(tree.start);
  const isAny = rows.then((them) => selectTree(them, tree).length > 0);
  return await orAssumed(isAny, signalProcess(-tree.group, 0));
}

/** How many processes of `tree` are running; 0 where they cannot be listed. */
export async function countRunning(tree: ProcessTree): Promise<number> {
  const count = listProcesses(tree.start).then((rows) => selectTree(rows, tree).length);
  return await orAssumed(count, 0);
}

/**
 * Ends every process of `tree`, also those that left its group: they are first asked to end, then
 * killed. Resolves to their number, once they are gone or cannot be ended.
 */
export async function endTree(tree: ProcessTree, clock: Clock): Promise<number> {
  const ended = new Set<number>();
  for (let round = 0; round <= killRounds; round++) {
    // The kernel kills a group at once: one by one, a process that forks fast enough would escape.
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

/** Its processes; if they cannot be listed, its group. */
function findTree(tree: ProcessTree): Promise<Target[]> {
  const select = (rows: ProcessRow[]): Target[] => selectTree(rows, tree);
  return orAssumed(listProcesses(tree.start).then(select), [
    { pid: -tree.group, start: undefined },
  ]);
}

/** False also if its pid now belongs to another process, which must not be ended. */
async function isAlive({ pid, start }: Target): Promise<boolean> {
  if (pid < 0) return signalProcess(pid, 0);
  const isThisOne = (found: string | undefined) =>
    found !== undefined && found === (start ?? found);
  return await orAssumed(systemProcesses.startOf(pid).then(isThisOne), true);
}

/**
 * The result of `found`, or `assumed` if processes cannot be listed: commands must end then, too.
 */
async function orAssumed<T>(found: Promise<T>, assumed: T): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (cannotLook(error)) return assumed;
    throw error;
  }
}

/**
 * A negative pid means a group. False if there is no such process, or it belongs to another user.
 */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (hasErrno(error, "ESRCH", "EPERM")) return false;
    throw error;
  }
}

/**
 * The processes of `rows` that carry the marker or descend from one that does, and all in the same
 * groups: a command starts with its own session, so its groups contain no other process.
 */
export function selectTree(rows: readonly ProcessRow[], tree: ProcessTree): ProcessRow[] {
  const marked = rows.filter(({ marker }) => marker === tree.marker);
  const groups = new Set([tree.group, ...marked.map(({ group }) => group)]);
  const found = new Set(rows.filter(({ group }) => groups.has(group)));
  // The set grows during the iteration, so that children of children are found.
  for (const { pid } of found) {
    for (const row of rows) if (row.parent === pid) found.add(row);
  }
  return [...found];
}
