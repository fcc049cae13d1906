import { createHash } from "node:crypto";
import { z } from "zod";
import { TeamError } from "../errors.ts";
import { fitsSum, withSum } from "../lib/checksum.ts";
import { type FilePath, nameOf, parentOf } from "../lib/file-path.ts";
import { readTextIfExists, replaceFile } from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { MailPosition } from "../protocol/message.ts";

/** How far a mailbox is acknowledged: `cursor`. */
export const MailCursor = z.object({
  /** How far the live log is acknowledged. */
  ...MailPosition.shape,
  /** The live log's inode, for debugging. */
  ino: z.string(),
  /**
   * A hash of the last bytes before `offset`, and how many: it shows whether the log is still the
   * one that was read.
   */
  anchor: z.object({ length: z.int().nonnegative(), hash: z.string() }),
  /** The rotated segments that late lines are still looked for in. */
  segments: z.array(MailPosition),
  /** The member whose mailbox it is: the cursor of another one does not apply here. */
  owner: z.string().optional(),
  /** A checksum of all other fields. */
  sum: z.string().optional(),
});
export type MailCursor = z.infer<typeof MailCursor>;

const StoredCursor = MailCursor.refine(fitsSum, "does not fit its checksum");

/** The cursor; undefined if it is missing or damaged: then everything is read again. */
export async function readCursor(
  path: FilePath,
  onDamage: (problem: string) => void = () => undefined,
): Promise<MailCursor | undefined> {
  try {
    const text = await readTextIfExists(path);
    if (text === undefined) return undefined;
    const cursor = parseJson(text, StoredCursor, String(path));
    if (cursor.owner === undefined || cursor.owner === ownerOf(path)) return cursor;
    onDamage(
      `${path} belongs to the mailbox of '${cursor.owner}'. The transcript tells what was read`,
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    onDamage(`${error.message}. The transcript tells what was read`);
    return undefined;
  }
}

export async function writeCursor(path: FilePath, cursor: MailCursor): Promise<void> {
  const owned = { ...cursor, owner: ownerOf(path) };
  await replaceFile(path, `${JSON.stringify(withSum(owned))}\n`);
}

/** The owner by the name of the cursor's directory, such as `inbox/.ada/cursor`. */
function ownerOf(path: FilePath): string {
  return nameOf(parentOf(path)).slice(1);
}

/** True when everything up to `position` is acknowledged by `cursor`. */
export function isSettled(cursor: MailCursor | undefined, position: MailPosition): boolean {
  if (!cursor || position.generation > cursor.generation) return false;
  if (position.generation === cursor.generation) return position.offset <= cursor.offset;
  const segment = cursor.segments.find(({ generation }) => generation === position.generation);
  // Everything in a new segment is acknowledged; it is then watched for late lines.
  return !segment || position.offset <= segment.offset;
}

export function hashAnchor(bytes: Uint8Array): MailCursor["anchor"] {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return { length: bytes.length, hash };
}
