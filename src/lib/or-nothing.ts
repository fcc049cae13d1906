import { hasErrno } from "../errors.ts";

const unreachable = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "ENAMETOOLONG"];

/** The result of a read of the file system, or `nothing` if this user can reach no such file. */
export async function orNothing<Found, Nothing>(
  look: Promise<Found>,
  nothing: Nothing,
): Promise<Found | Nothing> {
  try {
    return await look;
  } catch (error) {
    if (hasErrno(error, ...unreachable)) return nothing;
    throw error;
  }
}
