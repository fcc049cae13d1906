const newline = 0x0a;
const maxTextBytes = 2000;

/** One line in which ripgrep found something. */
export interface Match {
  path: string;
  line: number;
  /** Where the line begins in the file, in bytes. */
  offset: number;
  /** The beginning of the line, cut to the longest text that is shown. */
  text: Buffer;
}

/** Parses matches from the output of `rg --null --line-number --byte-offset` as it arrives. */
export class MatchParser {
  #path = Buffer.of();
  #rest: Buffer | undefined;

  push(chunk: Buffer): Match[] {
    const matches: Match[] = [];
    for (let bytes = chunk; bytes.length > 0; ) {
      const end = bytes.indexOf(this.#rest ? newline : 0);
      const piece = end === -1 ? bytes : bytes.subarray(0, end);
      bytes = end === -1 ? Buffer.of() : bytes.subarray(end + 1);
      if (this.#rest) this.#appendRest(this.#rest, piece);
      else this.#appendPath(piece);
      if (end === -1) break;
      if (this.#rest) matches.push(...this.#take(this.#rest));
      else this.#rest = Buffer.of();
    }
    return matches;
  }

  /** Drops whole lines: they are not part of a path, but ripgrep's notes on binary files. */
  #appendPath(piece: Buffer): void {
    const bytes = Buffer.concat([this.#path, piece]);
    this.#path = bytes.subarray(bytes.lastIndexOf(newline) + 1);
  }

  #appendRest(rest: Buffer, piece: Buffer): void {
    if (rest.length < maxTextBytes) {
      this.#rest = Buffer.concat([rest, piece.subarray(0, maxTextBytes - rest.length)]);
    }
  }

  #take(rest: Buffer): Match[] {
    const path = this.#path.toString("utf8").replace(/^\.\//, "");
    this.#path = Buffer.of();
    this.#rest = undefined;
    const [head, line, offset] = /^(\d+):(\d+):/.exec(rest.toString("latin1")) ?? [];
    if (head === undefined) return [];
    return [{ path, line: Number(line), offset: Number(offset), text: rest.subarray(head.length) }];
  }
}
