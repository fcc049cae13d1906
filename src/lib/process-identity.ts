import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { z } from "zod";
import { hasErrno } from "../errors.ts";

/**
 * One process of one boot of one machine. A pid alone does not identify a process: it is used again
 * after its process has ended, and every container counts its own.
 */
export interface ProcessIdentity {
  /** The name of the machine. */
  host: string;
  /** The id of the machine's boot. */
  boot_id: string;
  /** The namespace in which the pid counts. */
  pid_namespace: string;
  /** The number of the process. */
  pid: number;
  /** When it started, in the system's own form. */
  process_start: string;
}
export const ProcessIdentity = z.object({
  host: z.string(),
  boot_id: z.string(),
  pid_namespace: z.string(),
  pid: z.int().positive(),
  process_start: z.string(),
}) satisfies z.ZodType<ProcessIdentity>;

/** The processes that this one can see by their pid. */
export interface ProcessTable {
  /** The process that asks. */
  self(): Promise<ProcessIdentity>;
  /** When the process with `pid` started; undefined if there is none, or only its zombie. */
  startOf(pid: number): Promise<string | undefined>;
}

/** True when both count pids alike, so that either can look the other up by its pid. */
export function sharePids(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.boot_id === b.boot_id && a.pid_namespace === b.pid_namespace;
}

const linuxProcesses: ProcessTable = {
  async self() {
    return {
      host: hostname(),
      boot_id: readOrUnique(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
      pid_namespace: readOrUnique(() => readlinkSync("/proc/self/ns/pid")),
      pid: process.pid,
      process_start: (await this.startOf(process.pid)) ?? "",
    };
  },

  async startOf(pid) {
    try {
      return parseProcStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch (error) {
      if (hasErrno(error, "ENOENT", "ESRCH")) return undefined;
      throw error;
    }
  },
};

/** If the kernel gives no value, a unique one makes every other process a stranger. */
function readOrUnique(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (hasErrno(error, "ENOENT", "EACCES", "EPERM")) return randomUUID();
    throw error;
  }
}

/** The start time of `/proc/<pid>/stat`, in ticks since the boot; undefined for a zombie. */
export function parseProcStat(stat: string): string | undefined {
  // The program chooses the name before the last parenthesis: it may contain spaces and `)`.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : fields[18];
}

/** Loaded only if it is needed: on Linux nothing is run. */
async function run(program: string, argv: string[], options: { env?: NodeJS.ProcessEnv } = {}) {
  const { execFile } = await import("node:child_process");
  return promisify(execFile)(program, argv, options);
}

/**
 * The output of `ps` depends on language and time zone; with these it is the same for every caller.
 */
const plainEnvironment = { LC_ALL: "C", TZ: "UTC" };

const macProcesses: ProcessTable = {
  async self() {
    const { stdout } = await run("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]);
    return {
      host: hostname(),
      boot_id: stdout.trim(),
      pid_namespace: "",
      pid: process.pid,
      process_start: (await this.startOf(process.pid)) ?? "",
    };
  },

  async startOf(pid) {
    try {
      const command = ["-o", "stat=,lstart=", "-p", String(pid)];
      const { stdout } = await run("/bin/ps", command, { env: plainEnvironment });
      return parsePs(stdout);
    } catch (error) {
      // With exit code 1, ps reports that there is no such process.
      if (error instanceof Error && "code" in error && error.code === 1) return undefined;
      throw error;
    }
  },
};

/** The start time in a line of `ps -o stat=,lstart=`; undefined for a zombie. */
export function parsePs(line: string): string | undefined {
  const [state, ...start] = line.trim().split(/\s+/);
  return !state || state.startsWith("Z") ? undefined : start.join(" ");
}

/** The process table of the machine this runs on. */
export const systemProcesses: ProcessTable =
  process.platform === "darwin" ? macProcesses : linuxProcesses;
