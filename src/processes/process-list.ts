import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { hasErrno } from "../errors.ts";
import { parseProcStat } from "../lib/process-identity.ts";
import { isMarker, markerName } from "./marker.ts";

/** A running process, with the data that identify its command. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started: its pid may be used again later. Undefined if the list does not have it. */
  readonly start: string | undefined;
  /** Undefined if it has none, or belongs to another user who hides it. */
  readonly marker: string | undefined;
}

/**
 * Every running process, also of other users. With `since`, the start of a process, older ones may
 * be missing.
 */
export async function listProcesses(since?: string): Promise<ProcessRow[]> {
  return process.platform === "darwin" ? await listByPs() : await readRows(listPids(), since);
}

/**
 * The running processes that were started since `pid` was. It is cheap if there are few. Valid only
 * shortly after that, because pids are used again.
 */
export async function listProcessesSince(pid: number): Promise<ProcessRow[]> {
  if (process.platform === "darwin") return await listByPs();
  const pids = listPids();
  const newest = Number(readOfProcess("/proc/loadavg").trim().split(" ").at(-1));
  if (!(newest > 0)) return await readRows(pids);
  return await readRows(pids.filter((it) => isBetween(it, { first: pid, last: newest })));
}

/** Pids are given in rising order, and from the beginning again when they are used up. */
function isBetween(pid: number, { first, last }: { first: number; last: number }): boolean {
  return first <= last ? first <= pid && pid <= last : first <= pid || pid <= last;
}

/** When a process started; undefined if it is gone, or nothing cheap says it. */
export function startOfProcess(pid: number): string | undefined {
  if (process.platform === "darwin") return undefined;
  try {
    return parseProcStat(readOfProcess(`/proc/${pid}/stat`));
  } catch (error) {
    if (cannotLook(error)) return undefined;
    throw error;
  }
}

/** The pids of marked processes, synchronously: for a process that is about to exit. */
export function findMarkedAtOnce(hasMarker: (marker: string) => boolean): number[] {
  if (process.platform === "darwin") return [];
  return listPids().filter((pid) => {
    const marker = markerInLimits(readOfProcess(`/proc/${pid}/limits`));
    return marker !== undefined && hasMarker(marker);
  });
}

function listPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

const rowsPerTurn = 32;

/** Without the thread pool, which takes several times as long, and with pauses for other work. */
async function readRows(pids: readonly number[], since?: string): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const [index, pid] of pids.entries()) {
    rows.push(...readRow(pid, since));
    if (index % rowsPerTurn === rowsPerTurn - 1) await setImmediate();
  }
  return rows;
}

function readRow(pid: number, since = "0"): ProcessRow[] {
  const stat = readOfProcess(`/proc/${pid}/stat`);
  const start = parseProcStat(stat);
  // The marker is read only where it matters: it takes longer than all the rest.
  if (start === undefined || Number(start) < Number(since)) return [];
  // The program chooses the name before the last parenthesis: it may contain spaces and `)`.
  const [, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const marker =
    markerInLimits(readOfProcess(`/proc/${pid}/limits`)) ??
    markerAmong(readOfProcess(`/proc/${pid}/environ`).split("\0"));
  return [{ pid, parent: Number(parent), group: Number(group), start, marker }];
}

/** The marker in a limit that nothing enforces, and that every process inherits. */
function markerInLimits(limits: string): string | undefined {
  const [, soft = ""] = /^Max file locks +(\d+)/m.exec(limits) ?? [];
  return isMarker(soft) ? soft : undefined;
}

function markerAmong(variables: readonly string[]): string | undefined {
  const value = variables.find((it) => it.startsWith(`${markerName}=`));
  return value?.slice(markerName.length + 1);
}

/** Empty if the process has ended, or belongs to another user. */
function readOfProcess(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (isGone(error)) return "";
    throw error;
  }
}

/** True if the system has too few resources to list processes, or no `/proc` at all. */
export function cannotLook(error: unknown): boolean {
  return hasErrno(error, "EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "ENOENT");
}

function isGone(error: unknown): boolean {
  return hasErrno(error, "ENOENT", "ESRCH", "EACCES", "EPERM");
}

async function listByPs(): Promise<ProcessRow[]> {
  const columns = "pid=,ppid=,pgid=,stat=,command=";
  const options = { env: { LC_ALL: "C" }, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)("/bin/ps", ["-axwwE", "-o", columns], options);
  return parsePsTable(stdout);
}

/** The living processes of `ps -axwwE -o pid=,ppid=,pgid=,stat=,command=`. */
export function parsePsTable(table: string): ProcessRow[] {
  return table.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...words] = line.trim().split(/\s+/);
    if (!state || state.startsWith("Z")) return [];
    const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    // The environment follows the command, which may set the variable for another one.
    return [{ ...ids, start: undefined, marker: markerAmong(words.reverse()) }];
  });
}
