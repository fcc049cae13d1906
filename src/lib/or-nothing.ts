import { onErrno } from "../errors.ts";

const unreachable = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "ENAMETOOLONG"];

/** The result of a read of the file system, or `nothing` if this user can reach no such file. */
export function orNothing<Found, Nothing>(look: Promise<Found>, nothing: Nothing) {
  return look.catch(onErrno(nothing, ...unreachable));
}
