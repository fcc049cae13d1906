import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasErrno } from "../errors.ts";
import { mapInBatches } from "../lib/batches.ts";
import type { Clock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import { wait } from "../lib/wait.ts";

/** The variable by which a command's processes are known, wherever they have moved to. */
export const markerName = "TROUPE_CALL";

/** All that one command has started. */
export interface ProcessTree {
  /** The shell's pid, which is its process group too. */
  pid: number;
  /** The value of the marker variable in its environment. */
  marker: string;
}

/** A living process, as much of it as says whose it is. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  isMarked: boolean;
}

/** How long a process has between being asked to end and being made to. */
const graceMs = 500;
const pollMs = 20;
/** A process that forks faster than it can be killed is not waited for for ever. */
const killRounds = 5;

/** True while there is a living process in the shell's group. Costs nothing where there is none at all. */
export async function hasGroup(tree: ProcessTree): Promise<boolean> {
  if (!send(-tree.pid, 0)) return false;
  // It may have zombies only: not every init of a container takes them away at once.
  return (await listProcesses(tree)).some(({ group }) => group === tree.pid);
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
      send(pid, round === 0 ? "SIGTERM" : "SIGKILL");
    }
    await untilGone(pids, clock);
  }
  return ended.size;
}

async function untilGone(pids: readonly number[], clock: Clock): Promise<void> {
  const deadlineMs = clock.monotonicMs() + graceMs;
  for (const pid of pids) {
    while ((await systemProcesses.startOf(pid)) !== undefined) {
      if (clock.monotonicMs() >= deadlineMs) return;
      await wait(clock, pollMs);
    }
  }
}

/** False where there is no such process, or it is another user's. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (hasErrno(error, "ESRCH", "EPERM")) return false;
    throw error;
  }
}

async function findTree(tree: ProcessTree): Promise<number[]> {
  return selectTree(await listProcesses(tree), tree.pid);
}

function listProcesses(tree: ProcessTree): Promise<ProcessRow[]> {
  return process.platform === "darwin" ? listByPs(tree) : listByProc(tree);
}

/** The pids of `rows` that carry the marker, are in the shell's group, or descend from such. */
export function selectTree(rows: readonly ProcessRow[], shell: number): number[] {
  const isOwn = ({ pid, group, isMarked }: ProcessRow) =>
    pid === shell || group === shell || isMarked;
  const found = new Set(rows.filter(isOwn).map(({ pid }) => pid));
  // The set grows while it is gone through, so that children of children are found.
  for (const parent of found) {
    for (const row of rows) if (row.parent === parent) found.add(row.pid);
  }
  return [...found];
}

async function listByProc(tree: ProcessTree): Promise<ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows = await mapInBatches(pids, async (pid) => {
    const stat = await readOfProcess(`/proc/${pid}/stat`);
    const row = parseStat(stat);
    if (!row) return [];
    const environment = await readOfProcess(`/proc/${pid}/environ`);
    return [{ ...row, pid, isMarked: environment.includes(`${markerName}=${tree.marker}`) }];
  });
  return rows.flat();
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

async function listByPs({ marker }: ProcessTree): Promise<ProcessRow[]> {
  const columns = "pid=,ppid=,pgid=,stat=,command=";
  const options = { env: { LC_ALL: "C" }, maxBuffer: 2 ** 26 };
  const { stdout } = await run("/bin/ps", ["-axwwE", "-o", columns], options);
  return parsePsTable(stdout, marker);
}

/** The living processes of `ps -axwwE -o pid=,ppid=,pgid=,stat=,command=`. */
export function parsePsTable(table: string, marker: string): ProcessRow[] {
  return table.split("\n").flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/, 4);
    if (!state || state.startsWith("Z")) return [];
    const isMarked = line.includes(`${markerName}=${marker}`);
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), isMarked }];
  });
}
