import { createHmac, timingSafeEqual } from "node:crypto";

/** Signs and checks lines of troupe, so that no other text can pass as one. */
export interface Signature {
  /** The signature of `data`, as text. */
  sign(data: string | Buffer): string;
  /** True if `signature` was made of the very same `data` with the same key. */
  verify(data: string | Buffer, signature: string): boolean;
}

/** HMAC-SHA256 in hex. */
export function hmacSignature(key: Uint8Array): Signature {
  const sign = (data: string | Buffer) => createHmac("sha256", key).update(data).digest("hex");
  return {
    sign,
    verify(data, signature) {
      const expected = Buffer.from(sign(data), "latin1");
      const given = Buffer.from(signature, "latin1");
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
