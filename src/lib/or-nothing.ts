import { hasErrno } from "../errors.ts";

const unreachable = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "ENAMETOOLONG"];

/** What a look at the file system finds, or `nothing` where this user can reach no such file. */
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
