import { z } from "zod";
import { MemberName } from "./ids.ts";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A change of a file by a member's tool: a line of `checkpoints/changes.jsonl`, from right before it. */
export const FileChangeRecord = z.object({
  at: z.iso.datetime(),
  member: MemberName,
  /** The workspace of the member. */
  root: z.string(),
  /** The real path of the file. */
  path: z.string(),
  /** The hash of the content before; null where there was no such file. */
  before: Sha256.nullable(),
  after: Sha256,
  /** False where the content before is not kept, because it has a secret in it. */
  kept: z.boolean(),
  sig: z.string(),
});
export type FileChangeRecord = z.infer<typeof FileChangeRecord>;
