import { openIfExists } from "../lib/files.ts";
import { MessageId } from "../protocol/ids.ts";
import { recordStart } from "./mail-line.ts";

const chunkBytes = 128 * 1024;
const newline = 0x0a;
const uuidLength = 36;
const headLength = recordStart.length + uuidLength;

/**
 * The ids of the records in a log up to a byte. It looks at the beginning of each line and checks
 * nothing: whoever could put a false one there could as well remove the true one.
 */
export async function* readIds(path: string, upTo: number): AsyncGenerator<MessageId> {
  await using file = await openIfExists(path);
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, upTo));
  let isInLine = false;
  let position = 0;
  while (file && position < upTo) {
    const length = Math.min(buffer.length, upTo - position);
    const { bytesRead } = await file.read(buffer, 0, length, position);
    if (bytesRead === 0) return;
    let at = 0;
    while (at < bytesRead) {
      const isCut = at > 0 && bytesRead - at < headLength;
      // What is cut off at the end of the chunk begins the next one.
      if (!isInLine && isCut && position + bytesRead < upTo) break;
      if (!isInLine) yield* idAt(buffer.subarray(at, Math.min(at + headLength, bytesRead)));
      const end = buffer.subarray(0, bytesRead).indexOf(newline, at);
      isInLine = end === -1;
      at = isInLine ? bytesRead : end + 1;
    }
    position += at;
  }
}

function idAt(head: Buffer): MessageId[] {
  const text = head.toString("latin1");
  if (!text.startsWith(recordStart)) return [];
  const id = MessageId.safeParse(text.slice(recordStart.length));
  return id.success ? [id.data] : [];
}
