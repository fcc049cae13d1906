import { type FilePath, within } from "./file-path.ts";
import { listEntries, moveAside } from "./files.ts";

/** Names that belong to files; no directory of Troupe has such a name. */
const fileName = /\.jsonl?$|^(?:cursor|heartbeat|\.gitignore)$/;

/**
 * Moves directories away that are in `directory` in the place of a file, and warns of each:
 * otherwise that file could not be read or written, and the whole team would not start.
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
