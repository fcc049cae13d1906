import { dirname } from "node:path";
import { ensurePrivateDirectory, replaceFile } from "../lib/files.ts";

/** Puts a text that is too long to be shown where a model can read it. */
export async function keepWhole(path: string, text: string): Promise<void> {
  await ensurePrivateDirectory(dirname(path));
  await replaceFile(path, text);
}
