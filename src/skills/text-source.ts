import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { TeamError } from "../errors.ts";
import { closing } from "../lib/closing.ts";
import { Workspace } from "../workspace/workspace.ts";

/** A longer text is no instruction. */
const maxTextBytes = 128 * 1024;

/** A text file of a skill or a command, and the directory out of which it must not lead. */
export interface TextSource {
  readonly path: string;
  /** A file of the person's own may be a link to where they keep such files. */
  readonly workspace: Workspace | "anywhere";
}

/** Its beginning, up to `maxTextBytes`. Throws `path-refused` for what is no such file. */
export async function readSource({ path, workspace }: TextSource): Promise<string> {
  const place = workspace === "anywhere" ? await placeOf(path) : workspace;
  const file = await place.openFile(workspace === "anywhere" ? await realpath(path) : path);
  if (!file) throw new TeamError("path-refused", `${path} does not exist`);
  const { handle, stats } = file;
  await using _ = closing(handle);
  const room = Math.min(Number(stats.size), maxTextBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(room), 0, room, 0);
  const content = buffer.subarray(0, bytesRead);
  if (content.includes(0)) throw new TeamError("path-refused", `${path} is not a text file`);
  const text = content.toString();
  return stats.size > maxTextBytes ? `${text}\n... (more; read ${path} for the rest)` : text;
}

async function placeOf(path: string): Promise<Workspace> {
  // Nothing is written there.
  return Workspace.open({ root: dirname(await realpath(path)), teamDirectory: "." });
}
