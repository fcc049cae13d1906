import { hash, timingSafeEqual } from "node:crypto";

const blockBytes = 64;
const digestBytes = 32;
/** Most lines fit here; longer ones get room of their own. */
const scratchBytes = 16 * 1024;

/**
 * Signs and checks what troupe itself wrote, so that no line of text can pose as such.
 *
 * HMAC-SHA256, put together from two hashes as RFC 2104 has it: `createHmac` costs twice as much
 * for a line, and every message is signed once and checked once.
 */
export class Signature {
  /** The key's inner block, and behind it room for what is signed. */
  readonly #inner: Buffer;
  /** The key's outer block, and behind it room for the inner digest. */
  readonly #outer: Buffer;

  /** The key has at most 64 bytes; a team's has 32. */
  constructor(key: Uint8Array) {
    if (key.length > blockBytes) throw new Error("A key of more than 64 bytes");
    this.#inner = Buffer.alloc(blockBytes + scratchBytes, 0x36);
    this.#outer = Buffer.alloc(blockBytes + digestBytes, 0x5c);
    for (const [index, byte] of key.entries()) {
      this.#inner[index] = 0x36 ^ byte;
      this.#outer[index] = 0x5c ^ byte;
    }
  }

  /** HMAC-SHA256 of `data` in hex. */
  sign(data: string | Buffer): string {
    this.#outer.write(hash("sha256", this.#innerInput(data), "binary"), blockBytes, "latin1");
    return hash("sha256", this.#outer, "hex");
  }

  verify(data: string | Buffer, signature: string): boolean {
    if (signature.length !== 2 * digestBytes) return false;
    const expected = Buffer.from(this.sign(data), "latin1");
    return timingSafeEqual(expected, Buffer.from(signature, "latin1"));
  }

  #innerInput(data: string | Buffer): Buffer {
    const mostBytes = typeof data === "string" ? 3 * data.length : data.length;
    if (mostBytes > scratchBytes) {
      return Buffer.concat([this.#inner.subarray(0, blockBytes), Buffer.from(data)]);
    }
    const length =
      typeof data === "string"
        ? this.#inner.write(data, blockBytes)
        : data.copy(this.#inner, blockBytes);
    return this.#inner.subarray(0, blockBytes + length);
  }
}
