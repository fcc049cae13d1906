import type { z } from "zod";
import type { Signature } from "../keys/signature.ts";
import { type MemberName, MessageId, outside } from "../protocol/ids.ts";
import { isContentSize, Message, maxContentBytes, modernize } from "../protocol/message.ts";

/** The longest line a reader takes in: the largest content with every byte escaped, and more. */
export const maxLineBytes = 2 * 1024 * 1024;

const sigKey = Buffer.from(',"sig":"');
const sigHexLength = 64;
const sigTailLength = sigKey.length + sigHexLength + '"}'.length;
/** How every record begins that troupe writes. */
export const recordStart = '{"id":"';

/** One line of a mailbox: `id` first, `sig` last, over the exact bytes before `,"sig"`. */
export function encodeLine(message: Message, signature: Signature): Buffer {
  const signed = JSON.stringify(message).slice(0, -1);
  return Buffer.from(`${signed},"sig":"${signature.sign(signed)}"}\n`);
}

/** A line as it lies in a log, without its newline; of an overlong one only the beginning. */
export interface RawLine {
  bytes: Buffer;
  /** Its offset in the log. */
  start: number;
  isOverlong: boolean;
}

/** What a line, or one of several that a torn write has glued into one, turns out to be. */
export type DecodedPart =
  | { type: "message"; message: Message }
  | { type: "set-aside"; id: MessageId; reason: string; text: string };

export interface DecodeOptions {
  owner: MemberName;
  /** The log that the line lies in. */
  generation: number;
  /** Without one nobody can be verified, and senders are taken at their word: for looking only. */
  signature: Signature | undefined;
  /** When the log was last written: the time of a line that does not give its own. */
  modified: Date;
}

/** Reads one line. A blank line is nothing; a bad one never throws. */
export function decodeLine(line: RawLine, options: DecodeOptions): DecodedPart[] {
  const { bytes, start, isOverlong } = line;
  const whole: Piece = { bytes, start, options };
  if (isOverlong) return [setAside(whole, `is longer than ${maxLineBytes} bytes`)];
  if (isSigned(bytes, options.signature)) return [decodeSigned(whole)];
  const glued = findRecord(bytes, (suffix) => isSigned(suffix, options.signature));
  if (glued === undefined) return decodeUnsigned(whole);
  const [torn, record] = split(whole, glued);
  // A write that was torn right before the newline has left a record that is whole.
  const isWhole = isSigned(torn.bytes, options.signature);
  return [...(isWhole ? [decodeSigned(torn)] : decodeUnsigned(torn)), decodeSigned(record)];
}

/** A part of a line, with its offset in the log. */
interface Piece {
  bytes: Buffer;
  start: number;
  options: DecodeOptions;
}

function split({ bytes, start, options }: Piece, at: number): [Piece, Piece] {
  return [
    { bytes: bytes.subarray(0, at), start, options },
    { bytes: bytes.subarray(at), start: start + at, options },
  ];
}

function isSigned(line: Buffer, signature: Signature | undefined): boolean {
  const signedLength = line.length - sigTailLength;
  if (signedLength <= 0) return false;
  const hexStart = signedLength + sigKey.length;
  if (sigKey.compare(line, signedLength, hexStart) !== 0) return false;
  if (!signature) return true;
  const hex = line.toString("latin1", hexStart, hexStart + sigHexLength);
  return signature.verify(line.subarray(0, signedLength), hex);
}

function decodeSigned(piece: Piece): DecodedPart {
  const value = parseObject(piece.bytes.toString());
  if (!value) return setAside(piece, "is signed, but is not a JSON object");
  const parsed = Message.safeParse(modernize(value));
  if (!parsed.success) {
    return setAside(piece, `is signed, but not a message: ${firstIssue(parsed.error)}`);
  }
  const { to } = parsed.data;
  if (to !== piece.options.owner) return setAside(piece, `is addressed to '${to}'`);
  return { type: "message", message: parsed.data };
}

/** Everything that troupe did not sign is text from outside, or is set aside. */
function decodeUnsigned(piece: Piece): DecodedPart[] {
  const text = piece.bytes.toString().trim();
  if (text === "") return [];
  if (!text.startsWith("{")) return [fromOutside(piece, { content: text })];
  const value = parseObject(text);
  if (value) return [fromOutside(piece, modernize(value))];

  const glued = findRecord(piece.bytes, (suffix) => parseObject(suffix.toString()) !== undefined);
  if (glued === undefined) return [setAside(piece, "starts with { but is not JSON")];
  const [torn, record] = split(piece, glued);
  return [setAside(torn, "starts with { but is not JSON"), ...decodeUnsigned(record)];
}

function fromOutside(piece: Piece, claim: Record<string, unknown>): DecodedPart {
  const { type, content, timestamp } = claim;
  if (type !== undefined && type !== "message" && type !== "broadcast") {
    return setAside(piece, `claims to be a ${JSON.stringify(type)}, but is not signed`);
  }
  if (typeof content !== "string") return setAside(piece, "has no content that is text");
  if (!isContentSize(content)) {
    return setAside(piece, `has more than ${maxContentBytes} bytes of content`);
  }
  const { owner, modified } = piece.options;
  const message: Message = {
    id: handId(piece),
    type: "message",
    from: outside,
    to: owner,
    content,
    timestamp: typeof timestamp === "number" ? timestamp : modified.getTime() / 1000,
  };
  return { type: "message", message };
}

/** The leftmost record inside `line`, not at its start, that reaches to its end and is `good`. */
function findRecord(line: Buffer, good: (suffix: Buffer) => boolean): number | undefined {
  let at = line.indexOf(recordStart, 1);
  // A line full of beginnings is an attack, not a torn write: its cost is bounded.
  for (let tries = 0; at !== -1 && tries < 16; tries++) {
    if (good(line.subarray(at))) return at;
    at = line.indexOf(recordStart, at + 1);
  }
  return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join(".")} ${issue.message}`.trim() : error.message;
}

function setAside(piece: Piece, reason: string): DecodedPart {
  const text = piece.bytes.toString("utf8", 0, setAsideBytes);
  return { type: "set-aside", id: handId(piece), reason, text };
}

/** How much of a line is repeated where it is reported; the log has the whole. */
const setAsideBytes = 4096;

/** `hand-<generation>-<byte offset>`: the same over a rename, a replay and a restart. */
function handId({ start, options }: Piece): MessageId {
  return MessageId.parse(`hand-${options.generation}-${start}`);
}
