import { type ErrorCode, hasErrno, reasonOf, TeamError } from "../errors.ts";

const failures = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EMFILE", "ENFILE"];

/** The result of `work`. A failure of the disk becomes an error with this code, which says what to do. */
export async function unlessDiskFails<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasErrno(error, ...failures)) throw error;
    throw new TeamError(code, `The disk cannot be used: ${reasonOf(error)}`, {
      cause: error,
      hint: "Free some space, or make the directory writable, and try again.",
    });
  }
}
