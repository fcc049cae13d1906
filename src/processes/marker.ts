import { randomUUID } from "node:crypto";

/** The variable by which a command's processes are known, wherever they have moved to. */
export const markerName = "TROUPE_CALL";

/** Whose command it is, and which one of theirs. */
export interface MarkedCommand {
  readonly owner: string;
  readonly name: string;
}

/**
 * A value of the marker variable that no other command has, from which a later process can tell
 * whose it is. Encoded: a space would end it where `ps` prints it.
 */
export function newMarker({ owner, name }: MarkedCommand): string {
  return [encode(owner), encode(name), randomUUID()].join(":");
}

/** Whatever it is given: another program may have set the variable. */
export function parseMarker(marker: string): MarkedCommand {
  const [owner = "", name = ""] = marker.split(":");
  return { owner: decode(owner), name: decode(name) };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function decode(text: string): string {
  return Buffer.from(text, "base64url").toString("utf8");
}
