import { imageTypeOf } from "../../lib/image.ts";

/** The kind of a file's content, according to its first bytes. */
export type ContentKind =
  | { type: "text" }
  | { type: "image"; mediaType: string }
  | { type: "utf-16" }
  | { type: "binary" };

/** How much of a file is read to recognise text. */
const probeBytes = 8192;

/** `head` is the beginning of the file, or all of it. */
export function kindOf(head: Buffer): ContentKind {
  const mediaType = imageTypeOf(head);
  if (mediaType) return { type: "image", mediaType };
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff])) return { type: "utf-16" };
  const probe = head.subarray(0, probeBytes);
  return { type: probe.includes(0) || !isText(probe) ? "binary" : "text" };
}

function isText(probe: Buffer): boolean {
  try {
    // As a stream: the last character may be cut in two.
    new TextDecoder("utf-8", { fatal: true }).decode(probe, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** The mark that some programs put before UTF-8. */
export const byteOrderMark = "\uFEFF";

/** The text of a file, with its byte order mark; undefined if it is not UTF-8. */
export function decodeText(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
