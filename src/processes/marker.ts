import { createHash, randomBytes } from "node:crypto";

/** The variable that holds a command's marker, for systems where no limit can hold it. */
export const markerName = "TROUPE_CALL";

/** The owner of commands, distinct from all others on this machine. */
export interface CommandOwner {
  /** The team's directory. */
  readonly team: string;
  readonly member: string;
}

/** The highest bit, which no limit that a person sets is likely to have. */
const flag = 1n << 62n;
const teamBits = 24n;
const memberBits = 14n;
const uniqueBits = 24n;

/**
 * A number that no other command has, and that names the owner to a later process: a decimal text
 * below 2^63, which a shell accepts as a limit.
 */
export function newMarker(owner: CommandOwner): string {
  const unique = BigInt(`0x${randomBytes(Number(uniqueBits) / 8).toString("hex")}`);
  return String(flag | (ownerOf(owner) << uniqueBits) | unique);
}

/** Accepts any text: another program may have set the variable or the limit. */
export function isMarker(text: string): boolean {
  return /^\d{19}$/.test(text) && BigInt(text) >> 62n === 1n;
}

/** True for the markers of one member's commands. */
export function isMarkerOf(marker: string, owner: CommandOwner): boolean {
  return isMarker(marker) && (BigInt(marker) ^ flag) >> uniqueBits === ownerOf(owner);
}

/** True for the markers of all members' commands. */
export function isMarkerOfTeam(marker: string, team: string): boolean {
  if (!isMarker(marker)) return false;
  return (BigInt(marker) ^ flag) >> (uniqueBits + memberBits) === digest(team, teamBits);
}

function ownerOf({ team, member }: CommandOwner): bigint {
  return (digest(team, teamBits) << memberBits) | digest(member, memberBits);
}

function digest(text: string, bits: bigint): bigint {
  const hash = createHash("sha256").update(text).digest("hex");
  return BigInt(`0x${hash}`) >> (256n - bits);
}
