import { canonicalJson } from "./canonical-json.ts";

/** Signs what troupe writes, and verifies it. */
export interface Signer {
  sign(data: string | Buffer): string;
  verify(data: string | Buffer, signature: string): boolean;
}

/** `record` with a signature of everything in it. */
export function signRecord<T extends object>(record: T, signer: Signer): T & { sig: string } {
  return { ...record, sig: signer.sign(canonicalJson(record)) };
}

export function isSigned(record: object, sig: string | undefined, signer: Signer): boolean {
  return sig !== undefined && signer.verify(canonicalJson(record), sig);
}
