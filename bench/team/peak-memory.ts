import { readFile } from "node:fs/promises";

/** The most memory that this process has had in its life. */
export async function peakMemoryBytes(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8");
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error("This system does not tell a process's peak memory");
  return Number(kibibytes) * 1024;
}
