import { basename, dirname } from "node:path";
import { ensurePrivateDirectory, replaceFile } from "../lib/files.ts";
import { OwnDirectory } from "../lib/own-directory.ts";

/** Puts a text that is too long to be shown where a model can read it. */
export async function keepWhole(path: string, text: string): Promise<void> {
  await ensurePrivateDirectory(dirname(path));
  using directory = OwnDirectory.open(dirname(path));
  await replaceFile(directory.to(basename(path)), text);
}
