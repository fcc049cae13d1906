import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** Signs and checks what troupe itself wrote, so that no line of text can pose as such. */
export class Signature {
  readonly #key: KeyObject;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /** HMAC-SHA256 of `data` in hex. */
  sign(data: string | Uint8Array): string {
    return createHmac("sha256", this.#key).update(data).digest("hex");
  }

  verify(data: string | Uint8Array, signature: string): boolean {
    const expected = createHmac("sha256", this.#key).update(data).digest();
    const given = Buffer.from(signature, "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
