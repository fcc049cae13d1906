import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { access, constants, open, readFile, rm, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { hasErrno } from "../../errors.ts";
import { closing } from "../../lib/closing.ts";
import { sharedFileSystemWarning } from "../../lib/file-system-warning.ts";
import type { ProcessInfo, Terminal } from "../command.ts";
import { stateDirectory } from "../settings/standard-places.ts";
import type { Check, Finding } from "./check.ts";

export interface MachineChecksOptions {
  teamDirectory: string;
  workspace: string;
  processInfo: ProcessInfo;
  terminal: Terminal;
}

/** Checks the disk, file events, the directory for keys, and the terminal. */
export function machineChecks(options: MachineChecksOptions): Check[] {
  const { teamDirectory, workspace, processInfo, terminal } = options;
  return [
    { name: "disk", look: () => diskFindings(teamDirectory) },
    { name: "file events", look: () => watchFindings(workspace) },
    { name: "keys", look: async () => [await keyFinding(processInfo)] },
    { name: "terminal", look: async () => [terminalFinding(terminal)] },
  ];
}

async function diskFindings(directory: string): Promise<Finding[]> {
  const place = await nearestExisting(directory);
  const { type, bavail, bsize } = await statfs(place);
  const warning = sharedFileSystemWarning(place, type);
  return [
    spaceFinding(bavail * bsize),
    ...(warning ? [{ state: "note" as const, text: warning }] : []),
  ];
}

export function spaceFinding(bytes: number): Finding {
  const text = `${Math.floor(bytes / 2 ** 20)} MiB are free`;
  if (bytes >= littleSpace) return { state: "ok", text };
  const remedy = "Free some space: a team stores everything it says and does.";
  return { state: bytes < tooLittleSpace ? "problem" : "note", text: `only ${text}`, remedy };
}

const littleSpace = 2 ** 30;
const tooLittleSpace = 50 * 2 ** 20;

async function watchFindings(directory: string): Promise<Finding[]> {
  const limits = await Promise.all(
    ["max_user_watches", "max_user_instances"].map(async (name) => {
      const text = await limitText(name);
      return text === undefined ? [] : [`${name} ${text.trim()}`];
    }),
  );
  const said = limits.flat().join(", ");
  try {
    watch(await nearestExisting(directory), { persistent: false }).close();
    return [{ state: "ok", text: said === "" ? "available" : `available (${said})` }];
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    return [
      {
        state: "note",
        text: `not available (${error.message}): changes are seen within a second instead`,
        remedy: said === "" ? "Nothing needs to be done." : `Raise fs.inotify limits: ${said}.`,
      },
    ];
  }
}

/** A file of the system, not of this user; undefined where there is none, as on macOS. */
async function limitText(name: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/sys/fs/inotify/${name}`, "utf8");
  } catch (error) {
    if (!hasErrno(error, "ENOENT", "EACCES")) throw error;
    return undefined;
  }
}

async function keyFinding(processInfo: ProcessInfo): Promise<Finding> {
  const { TROUPE_KEY_FILE: keyFile } = processInfo.env;
  const directory = keyFile
    ? dirname(resolve(processInfo.cwd, keyFile))
    : join(stateDirectory(processInfo), "keys");
  const place = await nearestExisting(directory);
  const problem =
    place === directory ? await writingProblem(directory) : await accessProblem(place);
  if (problem === undefined) return { state: "ok", text: `can be stored in ${directory}` };
  return {
    state: "problem",
    text: `cannot be stored in ${directory}: ${problem}`,
    remedy: "Make it writable only for you, or set XDG_STATE_HOME or TROUPE_KEY_FILE.",
  };
}

/** Tries to create what a new key needs: a file that only this user can read. */
async function writingProblem(directory: string): Promise<string | undefined> {
  const path = join(directory, `doctor.${randomUUID()}.tmp`);
  try {
    const file = await open(path, "wx", 0o600);
    await using _ = closing(file);
    await file.chmod(0o600);
    const { mode } = await file.stat();
    return (mode & 0o077) === 0
      ? undefined
      : "other users can read files there, whatever their mode";
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    return error.message;
  } finally {
    await rm(path, { force: true });
  }
}

async function accessProblem(directory: string): Promise<string | undefined> {
  try {
    const stats = await stat(directory);
    if (!stats.isDirectory()) return `${directory} is not a directory`;
    await access(directory, constants.W_OK);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    return error.message;
  }
}

function terminalFinding({ isInteractive, hasColors, output }: Terminal): Finding {
  if (!isInteractive) return { state: "ok", text: "not interactive, so plain lines are printed" };
  const { columns = 0, rows = 0 } = output;
  const text = `${columns} by ${rows}, ${hasColors ? "with" : "without"} colours`;
  if (columns >= 40 && rows >= 10) return { state: "ok", text };
  return { state: "note", text, remedy: "Make it larger, or use --plain." };
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (!hasErrno(error, "ENOENT", "ENOTDIR") || dirname(path) === path) throw error;
    return nearestExisting(dirname(path));
  }
}
