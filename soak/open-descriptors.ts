import { readdirSync, readlinkSync } from "node:fs";

/**
 * How many descriptors this process has open on what is or was in `directory`. Others come and go:
 * whatever else the process has held is closed when its memory is freed.
 */
export function openDescriptors(directory: string): number {
  if (process.platform !== "linux") return 0;
  return readdirSync("/proc/self/fd").filter((name) => targetOf(name)?.startsWith(directory))
    .length;
}

/** Undefined for a descriptor that was closed meanwhile, as that of the listing itself. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
