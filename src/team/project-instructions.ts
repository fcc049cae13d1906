import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../errors.ts";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** In the order in which they are looked for; the first that says something counts. */
const fileNames = ["AGENTS.md", "CLAUDE.md"];

/** More would push the work itself out of the model's context. */
const maxBytes = 64 * 1024;

/** The instructions of the project, as a member is shown them in its first turn. */
export async function projectInstructions(
  workspace: Workspace,
  onWarning: (message: string) => void,
): Promise<string | undefined> {
  for (const name of fileNames) {
    const text = await readStart(workspace, name).catch((error: unknown) => {
      // A repository must not be able to keep its team from starting.
      if (!(error instanceof TeamError)) throw error;
      onWarning(`${name} is not used: ${error.message}`);
    });
    if (!text) continue;
    return `<project-instructions file="${name}">\n${escapeWrapper(text)}\n</project-instructions>`;
  }
  return undefined;
}

async function readStart(workspace: Workspace, name: string): Promise<string | undefined> {
  // Most projects have one of them at most, and to look is much cheaper than to open safely.
  const found = await lstat(join(workspace.cwd, name)).catch(onErrno(undefined, "ENOENT"));
  if (!found) return undefined;
  const file = await workspace.openFile(name);
  if (!file) return undefined;
  const { handle, stats } = file;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    const text = buffer.subarray(0, bytesRead).toString().trim();
    return stats.size > maxBytes ? `${text}\n... (more; read ${name} for the rest)` : text;
  } finally {
    await handle.close();
  }
}
