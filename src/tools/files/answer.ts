import { hasErrno, TeamError } from "../../errors.ts";
import { failure, type ToolOutput } from "../tool.ts";

/** Runs a file tool; a refusal of the workspace or the system becomes an error output. */
export async function answer(path: string, body: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    return await body();
  } catch (error) {
    const problem = refusalOf(error) ?? systemProblem(error, path);
    if (problem === undefined) throw error;
    return failure(`Error: ${problem}`);
  }
}

function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof TeamError) || error.code !== "path-refused") return undefined;
  return error.hint ? `${error.message}. ${error.hint}` : error.message;
}

function systemProblem(error: unknown, path: string): string | undefined {
  const problem = problems.find(([codes]) => hasErrno(error, ...codes));
  return problem && `${path} ${problem[1]}`;
}

/** Errors of the system that can happen to any file. Any other is caused by a bug. */
const problems: readonly (readonly [codes: readonly string[], problem: string])[] = [
  [["EACCES", "EPERM"], "may not be used: permission denied. Look at its permissions."],
  [["ENOENT"], "vanished meanwhile. Look for it with glob."],
  [["ENOTDIR"], "cannot be: a part of the path is not a directory. Look with glob."],
  [["EISDIR", "EEXIST"], "is a directory. Name a file in it."],
  [["ELOOP"], "is a link that leads nowhere, or was swapped for one. Look at what it is."],
  [["ENAMETOOLONG"], "has too long a name. Use a shorter one."],
  [["ENOSPC", "EDQUOT", "EFBIG"], "was left as it is: the disk is full. Free some space first."],
  [["EROFS"], "cannot be written: the file system is read-only. Write elsewhere."],
  [["ETXTBSY"], "is a program that runs. End it first."],
  [["EMFILE", "ENFILE"], "could not be opened: too many files are open. Try again later."],
  [["EIO", "EBUSY", "ENXIO", "ENODEV", "ESTALE"], "could not be used: the disk failed. Try again."],
];
