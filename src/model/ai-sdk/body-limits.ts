const mebibyte = 1024 * 1024;

/**
 * Many times the size of the longest reply, with everything that providers send around each token.
 */
const maxBodyBytes = 32 * mebibyte;
/** The SDK holds a line whole before it reads it. */
const maxLineBytes = 8 * mebibyte;
/** How much of the body of an error is kept: its reasons are in its first bytes. */
const maxRefusalBytes = 64 * 1024;
/** Far more than any reply has. */
export const maxBlocks = 1_000;

export const limits = {
  body: `more than ${maxBodyBytes / mebibyte} MiB in one answer`,
  line: `a line of more than ${maxLineBytes / mebibyte} MiB`,
  refusal: `more than ${maxRefusalBytes / 1024} KiB with a refusal`,
  blocks: `more than ${maxBlocks} blocks in one reply`,
};

/** Counts the bytes of one answer: a server may send without end. */
export class BodyMeter {
  readonly #isRefusal: boolean;
  #body = 0;
  #line = 0;

  constructor({ ok }: { ok: boolean }) {
    this.#isRefusal = !ok;
  }

  /** How much of `bytes` is within the limits, and which one the rest is beyond. */
  take(bytes: Uint8Array): { fitting: Uint8Array; exceeded?: string } {
    const room = (this.#isRefusal ? maxRefusalBytes : maxBodyBytes) - this.#body;
    this.#body += bytes.length;
    if (bytes.length > room) {
      const exceeded = this.#isRefusal ? limits.refusal : limits.body;
      return { fitting: bytes.subarray(0, room), exceeded };
    }
    if (this.#longestLine(bytes) <= maxLineBytes) return { fitting: bytes };
    return { fitting: bytes.subarray(0, 0), exceeded: limits.line };
  }

  /**
   * The longest line that ends or continues in `bytes`; lines within are shorter than the limit.
   */
  #longestLine(bytes: Uint8Array): number {
    const last = Math.max(bytes.lastIndexOf(newline), bytes.lastIndexOf(carriageReturn));
    if (last === -1) {
      this.#line += bytes.length;
      return this.#line;
    }
    const ended = this.#line + firstBreak(bytes);
    this.#line = bytes.length - last - 1;
    return Math.max(ended, this.#line);
  }
}

const newline = 10;
const carriageReturn = 13;

/** The end of the first line, in bytes that contain a line break. */
function firstBreak(bytes: Uint8Array): number {
  const places = [bytes.indexOf(newline), bytes.indexOf(carriageReturn)];
  return Math.min(...places.filter((place) => place !== -1));
}
