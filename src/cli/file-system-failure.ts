import { getSystemErrorMap } from "node:util";
import { oneLine } from "./render/one-line.ts";

/** A failure for a person: a sentence, and what to do next. */
export interface Failure {
  message: string;
  hint: string | undefined;
}

/**
 * Describes an error of the file system while a command worked in `directory`. Undefined for any
 * other error, which is a bug.
 */
export function fileSystemFailure(error: unknown, directory: string): Failure | undefined {
  if (!(error instanceof Error) || !("errno" in error) || typeof error.errno !== "number") {
    return undefined;
  }
  const [code = "", reason = ""] = getSystemErrorMap().get(error.errno) ?? [];
  const hint = hints.get(code);
  if (!hint) return undefined;
  const named = "path" in error && typeof error.path === "string" ? error.path : undefined;
  // Node names no file when the failing file was already open.
  const place = named ?? `A file in ${directory}`;
  return { message: `${oneLine(place, placeLength)} cannot be used: ${reason}`, hint };
}

const placeLength = 200;

const permissionHint = "Check its permissions, and those of the directories above it.";
const spaceHint = "Free some space and try again.";
const openFilesHint = "Close some programs, or raise the limit of open files with `ulimit -n`.";
const shapeHint = "Something else is where the team keeps a file or a directory: move it away.";
const nameHint = "Choose another directory with --team-dir.";
const diskHint = "Check the disk, and try again.";

/** Errors that the outside world can cause. Only a bug causes the others. */
const hints: ReadonlyMap<string, string> = new Map([
  ["EACCES", permissionHint],
  ["EPERM", permissionHint],
  ["EROFS", "Make the file system writable, or choose another directory with --team-dir."],
  ["ENOSPC", spaceHint],
  ["EDQUOT", spaceHint],
  ["EFBIG", spaceHint],
  ["EMFILE", openFilesHint],
  ["ENFILE", openFilesHint],
  ["EISDIR", shapeHint],
  ["ENOTDIR", shapeHint],
  ["EEXIST", shapeHint],
  ["ENXIO", shapeHint],
  ["ENAMETOOLONG", nameHint],
  ["ELOOP", nameHint],
  ["ENOENT", "It was removed in the meantime: try again."],
  ["EBUSY", diskHint],
  ["EIO", diskHint],
  ["ENODEV", diskHint],
]);
