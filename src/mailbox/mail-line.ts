import { TeamError } from "../errors.ts";
import type { Signature } from "../keys/signature.ts";
import { describeIssue } from "../lib/json.ts";
import type { FileLine } from "../lib/line-reader.ts";
import { parseValue } from "../lib/parse-value.ts";
import { readJson, TooDeep } from "../lib/read-json.ts";
import { type MemberName, MessageId, outside } from "../protocol/ids.ts";
import { isContentSize, Message, maxContentBytes, Timestamp } from "../protocol/message.ts";
import { isClaimable } from "../protocol/message-types.ts";
import { modernize } from "../protocol/modernize-message.ts";

/** The longest line there is: the largest content with every byte escaped, and more. */
export const maxLineBytes = 2 * 1024 * 1024;

const sigKey = Buffer.from(',"sig":"');
const sigHexLength = 64;
const sigTailLength = sigKey.length + sigHexLength + '"}'.length;
/** How every record of troupe begins. */
const recordStart = '{"id":"';

/** One line of a mailbox: `id` first, `sig` last, over the exact bytes before `,"sig"`. */
export function encodeLine(message: Message, signature: Signature): Buffer {
  const signed = JSON.stringify(message).slice(0, -1);
  const line = Buffer.from(`${signed},"sig":"${signature.sign(signed)}"}\n`);
  if (line.length <= maxLineBytes) return line;
  throw new TeamError("content-too-large", `The message is larger than ${maxLineBytes} bytes`, {
    hint: "Write its long parts to a file and send the file's path.",
  });
}

/** What a line is, or one of several that a torn write has joined into one. */
export type DecodedPart =
  | { type: "message"; message: Message }
  | { type: "set-aside"; id: MessageId; reason: string; text: string };

export interface DecodeOptions {
  owner: MemberName;
  /** The log that the line is in. */
  generation: number;
  /**
   * Without a signature no sender can be verified, and all are shown as claimed: only for reading.
   */
  signature: Signature | undefined;
  /** When the log was last written: the time of a line that does not give its own. */
  modified: Date;
}

/**
 * Reads one line. A blank line has no parts, and a bad line is a part like any other: no line makes
 * this throw. Text that is joined to a signed record, before it, is a line of its own.
 */
export function decodeLine(line: FileLine, options: DecodeOptions): DecodedPart[] {
  const parts: DecodedPart[] = [];
  let rest: LinePart = { bytes: line.bytes, start: line.end - 1 - line.bytes.length, options };
  for (let at = findSigned(rest); at !== undefined; at = findSigned(rest)) {
    const [before, record] = split(rest, at);
    parts.unshift(decodeSigned(record));
    rest = before;
  }
  const first = line.isCut
    ? [setAsidePart({ ...rest, start: line.offset }, `is longer than ${maxLineBytes} bytes`)]
    : decodeUnsigned(rest);
  return [...first, ...parts];
}

/** True where a line is one whole record that troupe wrote. */
export function isWholeRecord({ bytes, isCut }: FileLine, signature: Signature): boolean {
  return !isCut && endsLikeSigned(bytes) && hasValidSignature(bytes, signature);
}

/** The ids of the records in a line. A line that looks like one whole record is not verified. */
export function idsIn(line: FileLine, options: DecodeOptions): string[] {
  const { bytes, isCut } = line;
  const isOne = endsLikeSigned(bytes) && bytes.lastIndexOf(recordStart) === 0;
  if (isOne && !isCut) return [bytes.toString("latin1", recordStart.length, uuidEnd)];
  if (!bytes.includes(recordStart)) return [];
  return decodeLine(line, options).flatMap((part) => {
    return part.type === "message" ? [part.message.id] : [];
  });
}

const uuidEnd = recordStart.length + 36;

/** A part of a line, with its offset in the log. */
interface LinePart {
  bytes: Buffer;
  start: number;
  options: DecodeOptions;
}

function split({ bytes, start, options }: LinePart, at: number): [LinePart, LinePart] {
  return [
    { bytes: bytes.subarray(0, at), start, options },
    { bytes: bytes.subarray(at), start: start + at, options },
  ];
}

/** The offset of the signed record at the end of the part, if there is one. */
function findSigned({ bytes, options: { signature } }: LinePart): number | undefined {
  if (!endsLikeSigned(bytes)) return undefined;
  if (hasValidSignature(bytes, signature)) return 0;
  // From the end, because the record is what was written last. A line full of beginnings is an
  // attack, not a torn write: how much of it is hashed is bounded.
  let hashed = bytes.length;
  let at = bytes.lastIndexOf(recordStart);
  while (at > 0 && hashed < maxHashedBytes) {
    const suffix = bytes.subarray(at);
    if (hasValidSignature(suffix, signature)) return at;
    hashed += suffix.length;
    at = bytes.lastIndexOf(recordStart, at - 1);
  }
  return undefined;
}

const maxHashedBytes = 16 * maxLineBytes;

function endsLikeSigned(bytes: Buffer): boolean {
  const signedLength = bytes.length - sigTailLength;
  if (signedLength <= 0) return false;
  return sigKey.compare(bytes, signedLength, signedLength + sigKey.length) === 0;
}

function hasValidSignature(bytes: Buffer, signature: Signature | undefined): boolean {
  if (!signature) return parseObject(bytes.toString()) !== undefined;
  const signedLength = bytes.length - sigTailLength;
  const hexStart = signedLength + sigKey.length;
  const hex = bytes.toString("latin1", hexStart, hexStart + sigHexLength);
  return signature.verify(bytes.subarray(0, signedLength), hex);
}

function decodeSigned(part: LinePart): DecodedPart {
  const value = parseObject(part.bytes.toString());
  if (!value) return setAsidePart(part, "is signed, but is not a JSON object");
  const parsed = parseValue(Message, modernize(value));
  if (!parsed.success) {
    return setAsidePart(part, `is signed, but not a message, ${describeIssue(parsed.error)}`);
  }
  const { to } = parsed.data;
  if (to !== part.options.owner) return setAsidePart(part, `is addressed to '${to}'`);
  return { type: "message", message: parsed.data };
}

/** A line that troupe did not sign is text from outside, or is set aside. */
function decodeUnsigned(part: LinePart): DecodedPart[] {
  const text = part.bytes.toString().trim();
  if (text === "") return [];
  if (!text.startsWith("{")) return [fromOutside(part, { content: text })];
  const value = parseObject(text);
  if (value) return [fromOutside(part, modernize(value))];

  const glued = findWhole(part.bytes);
  if (glued === undefined) return [setAsidePart(part, whyUnread(text))];
  const [torn, record] = split(part, glued);
  return [setAsidePart(torn, "starts with { but is not JSON"), ...decodeUnsigned(record)];
}

/** The offset of the leftmost record that is whole JSON to the end, after a torn one. */
function findWhole(bytes: Buffer): number | undefined {
  let at = bytes.indexOf(recordStart, 1);
  for (let tries = 0; at !== -1 && tries < 16; tries++) {
    if (parseObject(bytes.toString("utf8", at))) return at;
    at = bytes.indexOf(recordStart, at + 1);
  }
  return undefined;
}

function fromOutside(part: LinePart, claim: Record<string, unknown>): DecodedPart {
  const { type, content } = claim;
  if (type !== undefined && !isClaimable(type)) {
    const name = typeof type === "string" ? JSON.stringify(type.slice(0, 40)) : "something else";
    return setAsidePart(part, `claims to be a ${name}, but is not signed`);
  }
  if (typeof content !== "string") return setAsidePart(part, "has no content that is text");
  if (!isContentSize(content)) {
    return setAsidePart(part, `has more than ${maxContentBytes} bytes of content`);
  }
  const { owner, modified } = part.options;
  const message: Message = {
    id: handId(part),
    type: "message",
    from: outside,
    to: owner,
    content,
    timestamp: Timestamp.safeParse(claim.timestamp).data ?? modified.getTime() / 1000,
  };
  return { type: "message", message };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = readJson(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What is wrong with a text that `parseObject` cannot read. */
function whyUnread(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof TooDeep) return error.message;
  }
  return "starts with { but is not JSON";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function setAsidePart(part: LinePart, reason: string): DecodedPart {
  const text = part.bytes.toString("utf8", 0, setAsideBytes);
  return { type: "set-aside", id: handId(part), reason, text };
}

/** How much of a line is repeated where it is reported; the log has the whole. */
const setAsideBytes = 4096;

/**
 * `hand-<generation>-<byte offset>`: it stays the same after a rename, a second reading and a
 * restart.
 */
function handId({ start, options }: LinePart): MessageId {
  return MessageId.parse(`hand-${options.generation}-${start}`);
}
