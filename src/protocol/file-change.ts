import { z } from "zod";
import { MemberName } from "./ids.ts";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A change of a file by troupe: a line of `checkpoints/changes.jsonl`, from right before it. */
export const FileChangeRecord = z.object({
  at: z.iso.datetime(),
  /** Whose tool made it; `user` where the person went back, and the file got earlier content. */
  member: MemberName,
  /** The workspace that the file is in. */
  root: z.string(),
  /** The real path of the file. */
  path: z.string(),
  /** The hash of the content before; null where there was no such file. */
  before: Sha256.nullable(),
  /** Null where the change removes the file. */
  after: Sha256.nullable(),
  /** False where the content before is not kept: it has a secret in it, or there was no room. */
  kept: z.boolean(),
  sig: z.string(),
});
export type FileChangeRecord = z.infer<typeof FileChangeRecord>;

/** The first line of `checkpoints/changes.jsonl`, where changes were dropped to make room. */
export const DroppedChanges = z.object({
  /** When the last of them was made. */
  dropped_until: z.iso.datetime(),
  sig: z.string(),
});
export type DroppedChanges = z.infer<typeof DroppedChanges>;
