import { chmod, lstat, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** What other programs keep in a temporary directory, for as long as they like. */
const cachesOfOthers = [/^tsx-\d+$/, /^node-compile-cache$/];

/**
 * Gives all tests a temporary directory of their own. After the last one it fails the run when a
 * file is left there, a process of a test still runs, or something outside has another mode or owner.
 */
export async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "troupe-tests-"));
  // What a test gives to another user is to be reached by that one.
  await chmod(directory, 0o711);
  const before = await modesOutside();
  process.env.TMPDIR = directory;
  return async () => {
    const traces = [
      ...(await leftFiles(directory)),
      ...(await leftProcesses(directory)),
      ...changes(before, await modesOutside()),
    ];
    await rm(directory, { recursive: true, force: true });
    if (traces.length === 0) return;
    // Vitest prints what a teardown throws, and still ends with 0.
    process.exitCode = 1;
    throw new Error(`The tests left traces:\n${traces.join("\n")}`);
  };
}

async function leftFiles(directory: string): Promise<string[]> {
  const left: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (cachesOfOthers.some((name) => name.test(entry.name))) continue;
    const inside = entry.isDirectory() ? await readdir(join(directory, entry.name)) : [];
    left.push(`file ${entry.name}: ${inside.slice(0, 5).join(", ") || "empty"}`);
  }
  return left;
}

/** Processes that inherited the tests' temporary directory; where there is no /proc, none are known. */
async function leftProcesses(directory: string): Promise<string[]> {
  const left: string[] = [];
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    try {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1");
      if (!environment.split("\0").includes(`TMPDIR=${directory}`)) continue;
      // Vitest's own workers are children of this process. What a test leaves is not.
      const status = await readFile(`/proc/${pid}/stat`, "latin1");
      const [state, parent] = status.slice(status.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || Number(parent) === process.pid) continue;
      const command = await readFile(`/proc/${pid}/cmdline`, "latin1");
      left.push(`process ${pid}: ${command.replaceAll("\0", " ").slice(0, 200)}`);
    } catch {
      // It has ended, or is another user's.
    }
  }
  return left;
}

async function modesOutside(): Promise<Map<string, string>> {
  const modes = new Map<string, string>();
  for (const directory of ["/dev", "/tmp", homedir()]) {
    const names = await readdir(directory).catch(() => []);
    for (const path of [directory, ...names.map((name) => join(directory, name))]) {
      const stats = await lstat(path).catch(() => undefined);
      if (stats) modes.set(path, `${(stats.mode & 0o7777).toString(8)} ${stats.uid}:${stats.gid}`);
    }
  }
  return modes;
}

/** What is gone is not told: other programs remove their own files, too. */
function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...before].flatMap(([path, mode]) => {
    const now = after.get(path);
    return now === undefined || now === mode ? [] : [`mode of ${path}: ${mode} is now ${now}`];
  });
}
