import { createHash } from "node:crypto";
import { MessageId } from "../protocol/ids.ts";

/**
 * The id of a message with one cause at a known time: always the same. If it is unknown whether the
 * message was sent before the process died, it is sent again, and is seen once.
 */
export function messageIdFor(cause: string, at: Date): MessageId {
  const time = at.getTime().toString(16).padStart(12, "0");
  const hash = createHash("sha256").update(cause).digest("hex");
  const variant = "89ab"[Number.parseInt(hash.slice(3, 4), 16) % 4];
  return MessageId.parse(
    `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`,
  );
}
