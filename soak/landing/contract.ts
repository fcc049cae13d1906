import { join } from "node:path";
import { z } from "zod";
import { MemberName } from "../../src/protocol/ids.ts";

/** What a life of the runtime is to do: give members checkouts, hand in their work, or let them end. */
export const Phase = z.enum(["make", "work", "retire"]);
export type Phase = z.infer<typeof Phase>;

/**
 * How a faulty queue differs: `moves-blindly` moves the target whatever it is at, `forgets-landed` does not look
 * whether work is in the target already.
 */
export const Habit = z.enum(["right", "moves-blindly", "forgets-landed"]);
export type Habit = z.infer<typeof Habit>;

export const LifeOptions = z.object({
  directory: z.string(),
  phase: Phase,
  members: z.array(MemberName),
  habit: Habit,
  seed: z.int(),
});
export type LifeOptions = z.infer<typeof LifeOptions>;

export const target = "troupe/default";
export const teamId = "0198aaaa-0000-7000-8000-000000000000";

/** Where everything of one story is. */
export function placesIn(directory: string) {
  return {
    /** The person's directory. */
    root: join(directory, "work"),
    checkouts: join(directory, "checkouts"),
    records: join(directory, "records"),
    checks: join(directory, "checks"),
    /** The ids of the commits that the person has made on the target, one to a line. */
    personsCommits: join(directory, "persons-commits"),
    temporary: join(directory, "tmp"),
  };
}
