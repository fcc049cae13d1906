import { type FilePath, within } from "./file-path.ts";
import { listEntries, moveAside } from "./files.ts";

/** The names under which we keep files; directories of ours have no such name. */
const fileName = /\.jsonl?$|^(?:cursor|heartbeat|\.gitignore)$/;

/**
 * Moves directories away that are in `directory` where a file belongs, and warns of each:
 * nobody could read or write that file, and the whole team would not start for it.
 */
export async function moveMisplaced(
  directory: FilePath,
  { now, onWarning }: { now: Date; onWarning(message: string): void },
): Promise<void> {
  for (const entry of await listEntries(directory)) {
    if (!entry.isDirectory() || !fileName.test(entry.name)) continue;
    const path = within(directory, entry.name);
    const moved = await moveAside(path, "damaged", now);
    onWarning(`${path} is a directory, where a file should be. It was moved to ${moved}`);
  }
}
