import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasErrno } from "../errors.ts";
import { mapInBatches } from "../lib/batches.ts";
import type { Clock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import { wait } from "../lib/wait.ts";
import { markerName } from "./marker.ts";

/** All that one command has started. */
export interface ProcessTree {
  /** A process group of it: the shell's, where that is known. */
  readonly group: number;
  /** The value of the marker variable in its environment. */
  readonly marker: string;
}

/** A living process, as much of it as says whose it is. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The value of its marker variable; undefined where it has none, or is another user's. */
  readonly marker: string | undefined;
}

/** How long a process has between being asked to end and being made to. */
const graceMs = 500;
const pollMs = 20;
/** A process that forks faster than it can be killed is not waited for for ever. */
const killRounds = 5;

/** True while there is a living process in the group. Costs nothing where there is none at all. */
export async function hasGroup(tree: ProcessTree): Promise<boolean> {
  if (!signalProcess(-tree.group, 0)) return false;
  // It may have zombies only: not every init of a container takes them away at once.
  const isAnyInIt = (rows: ProcessRow[]) => rows.some(({ group }) => group === tree.group);
  return await ifExhausted(true, listProcesses().then(isAnyInIt));
}

/**
 * Ends every process of `tree`, those that left its group too: first asked, then killed. Resolves
 * to how many there were, once they are gone, or cannot be ended.
 */
export async function endTree(tree: ProcessTree, clock: Clock): Promise<number> {
  const ended = new Set<number>();
  for (let round = 0; round <= killRounds; round++) {
    const pids = await findTree(tree);
    if (pids.length === 0) break;
    for (const pid of pids) {
      ended.add(pid);
      signalProcess(pid, round === 0 ? "SIGTERM" : "SIGKILL");
    }
    await untilGone(pids, clock);
  }
  return ended.size;
}

async function untilGone(pids: readonly number[], clock: Clock): Promise<void> {
  const deadlineMs = clock.monotonicMs() + graceMs;
  for (const pid of pids) {
    while (await isAlive(pid)) {
      if (clock.monotonicMs() >= deadlineMs) return;
      await wait(clock, pollMs);
    }
  }
}

/** The pids of its processes; where they cannot be looked up, its group as a negative pid. */
function findTree(tree: ProcessTree): Promise<number[]> {
  const select = (rows: ProcessRow[]) => selectTree(rows, tree);
  return ifExhausted([-tree.group], listProcesses().then(select));
}

async function isAlive(pid: number): Promise<boolean> {
  if (pid < 0) return signalProcess(pid, 0);
  const isStarted = (start: string | undefined) => start !== undefined;
  return await ifExhausted(true, systemProcesses.startOf(pid).then(isStarted));
}

/** What is `found`, or `assumed` where the system has too little left to look: all must end then, too. */
async function ifExhausted<T>(assumed: T, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (hasErrno(error, "EMFILE", "ENFILE", "EAGAIN", "ENOMEM")) return assumed;
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
 * The pids of `rows` that carry the marker, or descend from such, and of all that is in a group with
 * one: a command begins with a session of its own, and so no group of it has a stranger.
 */
export function selectTree(rows: readonly ProcessRow[], tree: ProcessTree): number[] {
  const marked = rows.filter(({ marker }) => marker === tree.marker);
  const groups = new Set([tree.group, ...marked.map(({ group }) => group)]);
  const found = new Set(rows.filter(({ group }) => groups.has(group)).map(({ pid }) => pid));
  // The set grows while it is gone through, so that children of children are found.
  for (const parent of found) {
    for (const row of rows) if (row.parent === parent) found.add(row.pid);
  }
  return [...found];
}

/** Every living process, also other users'. */
export function listProcesses(): Promise<ProcessRow[]> {
  return process.platform === "darwin" ? listByPs() : listByProc();
}

async function listByProc(): Promise<ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows = await mapInBatches(pids, async (pid) => {
    const stat = await readOfProcess(`/proc/${pid}/stat`);
    const row = parseStat(stat);
    if (!row) return [];
    const environment = await readOfProcess(`/proc/${pid}/environ`);
    return [{ ...row, pid, marker: markerIn(environment.split("\0")) }];
  });
  return rows.flat();
}

function markerIn(variables: readonly string[]): string | undefined {
  return variables.find((it) => it.startsWith(`${markerName}=`))?.slice(markerName.length + 1);
}

/** Empty where the process has ended, or is another user's. */
async function readOfProcess(path: string): Promise<string> {
  try {
    return await readFile(path, "latin1");
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return "";
    throw error;
  }
}

function parseStat(stat: string): { parent: number; group: number } | undefined {
  // The name before the last parenthesis is the program's choice: it may hold spaces and `)`.
  const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (!state || state === "Z" || state === "X") return undefined;
  return { parent: Number(parent), group: Number(group) };
}

const run = promisify(execFile);

async function listByPs(): Promise<ProcessRow[]> {
  const columns = "pid=,ppid=,pgid=,stat=,command=";
  const options = { env: { LC_ALL: "C" }, maxBuffer: 2 ** 26 };
  const { stdout } = await run("/bin/ps", ["-axwwE", "-o", columns], options);
  return parsePsTable(stdout);
}

/** The living processes of `ps -axwwE -o pid=,ppid=,pgid=,stat=,command=`. */
export function parsePsTable(table: string): ProcessRow[] {
  return table.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...words] = line.trim().split(/\s+/);
    if (!state || state.startsWith("Z")) return [];
    const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    // The environment stands behind the command, which may set the variable for another one.
    return [{ ...ids, marker: markerIn(words.reverse()) }];
  });
}
