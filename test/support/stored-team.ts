import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessTable } from "../../src/lib/process-identity.ts";

/** The text of each file below `root`, by its path there, but for the entries of `root` in `without`. */
export async function textsIn(
  root: string,
  without: readonly string[] = [],
): Promise<Map<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const texts = new Map<string, string>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (!entry.isFile() || without.includes(name.split("/")[0] ?? "")) continue;
    texts.set(name, await readFile(path, "utf8"));
  }
  return texts;
}

/** Processes in which whoever had the fence before is dead. */
export const successorProcess: ProcessTable = {
  self: async () => ({
    host: "workshop",
    boot_id: "00000000-0000-4000-8000-000000000001",
    pid_namespace: "pid:[4026531836]",
    pid: 4711,
    process_start: "1000",
  }),
  startOf: async () => undefined,
};
