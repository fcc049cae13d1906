import { readdirSync, readlinkSync } from "node:fs";

/**
 * How many descriptors of this process refer to files that are or were in `directory`. Others come
 * and go with garbage collection.
 */
export function openDescriptors(directory: string): number {
  if (process.platform !== "linux") return 0;
  return readdirSync("/proc/self/fd").filter((name) => targetOf(name)?.startsWith(directory))
    .length;
}

/**
 * Undefined for a descriptor that was closed in the meantime, such as that of the listing itself.
 */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
