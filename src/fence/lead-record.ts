import { z } from "zod";
import { fitsSum } from "../lib/checksum.ts";
import { ProcessIdentity } from "../lib/process-identity.ts";

const common = {
  id: z.literal("lead"),
  version: z.int().positive(),
  at: z.iso.datetime(),
  /**
   * A checksum of all other fields: a damaged record must neither keep the next lead out nor let
   * one in.
   */
  sum: z.string().optional(),
};

/** The fence at one version: a process has it, or nobody. The version is the holder's epoch. */
export const LeadRecord = z.discriminatedUnion("type", [
  z.object({ ...common, type: z.literal("held"), ...ProcessIdentity.shape }),
  z.object({ ...common, type: z.literal("released") }),
]);
export type LeadRecord = z.infer<typeof LeadRecord>;

/** A record as it is read: one that does not match its checksum is refused. */
export const StoredLeadRecord = LeadRecord.refine(fitsSum, "does not fit its checksum");

export type HeldRecord = Extract<LeadRecord, { type: "held" }>;

/** The latest sign of life of the holder with this epoch; `beat` counts them. */
export const Heartbeat = z.object({
  epoch: z.int().positive(),
  beat: z.int().positive(),
  at: z.iso.datetime(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;
