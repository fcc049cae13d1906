import { z } from "zod";
import { TeamError } from "../errors.ts";

declare const kind: unique symbol;

/** A text that was checked to be of one kind, such as a member's name. No other text can take its place. */
export type Checked<Kind extends string> = string & { readonly [kind]: Kind };

/** The schema of a checked text. The compiler cannot know that the pattern is what makes it one. */
export function checked<Kind extends string>(
  pattern: RegExp,
  problem?: string,
): z.ZodType<Checked<Kind>, string> {
  const schema: unknown = z.string().regex(pattern, problem);
  return schema as z.ZodType<Checked<Kind>, string>;
}

const namePattern = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * The name of a sender or recipient: a member, or `user` (the person), `system` (the runtime) or
 * `outside` (the sender of a line without a valid signature). `parseMemberName` makes one of a text.
 */
export type MemberName = Checked<"MemberName">;
export const MemberName = checked<"MemberName">(
  namePattern,
  "a name is 1 to 32 of a-z, 0-9, _ and -, and starts with a letter",
);

/** The member a person talks to. */
export const lead = MemberName.parse("lead");
/** The person. */
export const user = MemberName.parse("user");
/** The runtime. */
export const system = MemberName.parse("system");
/** The sender of a line without a valid signature. */
export const outside = MemberName.parse("outside");

const reservedNames = ["lead", "user", "system", "all", "team", "outside"];
const nameRule = `A name is 1 to 32 of a-z, 0-9, _ and -, starts with a letter, and is none of ${reservedNames.join(", ")}.`;

/** The name of a teammate: none of the reserved names. */
export const TeammateName = MemberName.refine((name) => !reservedNames.includes(name), {
  error: ({ input }) => `'${input}' is a reserved name. ${nameRule}`,
});

/**
 * Reads a name as a person or a model writes it: lower-cased, then checked. Throws `name-invalid` if
 * it is not a name.
 */
export function parseMemberName(text: string): MemberName {
  const parsed = MemberName.safeParse(text.toLowerCase());
  if (parsed.success) return parsed.data;
  throw new TeamError("name-invalid", `${quote(text)} is not a member's name`, { hint: nameRule });
}

/** Reads the name of a teammate to be: as `parseMemberName`, and not reserved. */
export function parseTeammateName(text: string): MemberName {
  const name = parseMemberName(text);
  if (!reservedNames.includes(name)) return name;
  throw new TeamError("name-invalid", `'${name}' is a reserved name`, { hint: nameRule });
}

/** Shows untrusted text of any length and with any characters on one line. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

const uuidPattern = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

/**
 * The id of a message: a UUIDv7, or for a line written by hand `hand-<generation>-<byte offset>`.
 */
export type MessageId = Checked<"MessageId">;
export const MessageId = checked<"MessageId">(new RegExp(`^(?:${uuidPattern}|hand-\\d+-\\d+)$`));

/** The id of a team: a UUID in lower case. */
export type TeamId = Checked<"TeamId">;
export const TeamId = checked<"TeamId">(
  new RegExp(`^${uuidPattern}$`),
  "a team's id is a UUID in lower case",
);

/** The id of a request: a UUID in lower case. */
export type RequestId = Checked<"RequestId">;
export const RequestId = checked<"RequestId">(new RegExp(`^${uuidPattern}$`));

/** The id of a task: `1`, `2`, …. It is a text, so that nothing compares it as a number. */
export type TaskId = Checked<"TaskId">;
export const TaskId = checked<"TaskId">(/^[1-9]\d{0,8}$/);

/** The id of a landing: `1`, `2`, … in the order of the queue. */
export type LandingId = Checked<"LandingId">;
export const LandingId = checked<"LandingId">(/^[1-9]\d{0,8}$/);

/** The id of a commit, in full: SHA-1 or SHA-256 in hex. */
export type CommitId = Checked<"CommitId">;
export const CommitId = checked<"CommitId">(
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
  "the id of a commit is 40 or 64 hex digits",
);

export function newMessageId(now: Date): MessageId {
  return uuidv7(now) as MessageId;
}

export function newTeamId(now: Date): TeamId {
  return uuidv7(now) as TeamId;
}

/** After `last`, too, where both are of one millisecond or the clock was set back. */
export function newRequestId(now: Date, last?: RequestId): RequestId {
  const id = uuidv7(now) as RequestId;
  if (last === undefined || id > last) return id;
  const next = BigInt(`0x${last.slice(24)}`) + 1n;
  return `${last.slice(0, 24)}${next.toString(16).padStart(12, "0").slice(-12)}` as RequestId;
}

/** A random UUIDv4 with its first 48 bits replaced by the time and its version by 7. */
function uuidv7(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
