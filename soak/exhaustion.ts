import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { Program } from "./processes.ts";

/** What `test/faults/programs/exhausted.ts` prints. */
export const ExhaustionTally = z.object({
  sent: z.number(),
  seen: z.number(),
  lost: z.number(),
  twice: z.number(),
  torn: z.number(),
  misordered: z.number(),
  /** Calls that failed while the resource was used up: none would mean that it was not. */
  refused: z.number(),
  /** Sends that worked after it was free again. */
  sentAfterwards: z.number(),
  /** The remainder of 1,000 bytes that a careless program replaces by 20,000 in the meantime. */
  naivelyKept: z.number(),
});
export type ExhaustionTally = z.infer<typeof ExhaustionTally>;

/** A separate 4 MB disk that disappears with its process. */
function smallDisk(mountPoint: string): string[] {
  const command = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"';
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", command, mountPoint];
}

/** Undefined if this machine does not allow mounting a small disk. */
export async function fillDisk(): Promise<ExhaustionTally | undefined> {
  await using directory = await temporaryDirectory();
  const disk = join(directory.path, "disk");
  await mkdir(disk);
  const trial = Program.command([...smallDisk(disk), "true"], { isQuiet: true });
  if (!(await trial.hasSucceeded())) return undefined;
  return await run("disk", disk, smallDisk(disk));
}

export async function useUpDescriptors(): Promise<ExhaustionTally> {
  await using directory = await temporaryDirectory();
  return await run("descriptors", directory.path);
}

async function run(
  resource: "disk" | "descriptors",
  directory: string,
  wrapper: string[] = [],
): Promise<ExhaustionTally> {
  const program = Program.start({ name: "exhausted", arguments: [directory, resource], wrapper });
  return ExhaustionTally.parse(JSON.parse(await program.ended()));
}
