/**
 * Swaps what lies in `<root>` for links to `<outside>` and back, as fast as it can, until it is
 * killed: `link-swapper.ts <root> <outside>`. `flip` is always a link, `dir` and `file` are the real
 * thing half of the time. Prints a line when it begins.
 */
import { lstatSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { hasErrno } from "../../../src/errors.ts";

const [root = "", outside = ""] = process.argv.slice(2);
const at = (name: string) => join(root, name);

symlinkSync(join(outside, "dir"), at("dir.link"));
symlinkSync(join(outside, "dir/a.txt"), at("file.link"));
console.log("swapping");
for (;;) {
  flip(join(outside, "dir"));
  exchange("dir");
  flip(at("real"));
  exchange("file");
}

/** One rename: at every moment there is the old link or the new one. */
function flip(target: string): void {
  symlinkSync(target, at("flip.new"));
  renameSync(at("flip.new"), at("flip"));
}

function exchange(name: string): void {
  try {
    renameSync(at(name), at(`${name}.real`));
    renameSync(at(`${name}.link`), at(name));
    renameSync(at(name), at(`${name}.link`));
    renameSync(at(`${name}.real`), at(name));
  } catch (error) {
    // In the moment without it, a tool has made it anew.
    if (!hasErrno(error, "EISDIR", "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) throw error;
    putBack(name);
  }
}

function putBack(name: string): void {
  if (isLink(at(name))) renameSync(at(name), at(`${name}.link`));
  if (!lstatSync(at(`${name}.real`), { throwIfNoEntry: false })) return;
  try {
    // A tool may put something there in the middle of it.
    rmSync(at(name), { recursive: true, force: true });
    renameSync(at(`${name}.real`), at(name));
  } catch (error) {
    if (!hasErrno(error, "ENOTEMPTY", "EEXIST", "EISDIR")) throw error;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
