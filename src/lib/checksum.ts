import { crc32 } from "node:zlib";
import { canonicalJson } from "./canonical-json.ts";

/**
 * Detects accidental damage, not forgery: anybody who can write a text can write its checksum, too.
 */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** `record` with a checksum of everything else in it. */
export function withSum<T extends { sum?: string | undefined }>(record: T): T {
  const { sum: _, ...rest } = record;
  return { ...record, sum: checksum(canonicalJson(rest)) };
}

/** False if `record` has changed since it got its checksum. A record without one is accepted. */
export function fitsSum({ sum, ...rest }: { sum?: string | undefined }): boolean {
  return sum === undefined || sum === checksum(canonicalJson(rest));
}
