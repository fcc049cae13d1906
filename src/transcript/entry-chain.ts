import type { Signer } from "../lib/signed-record.ts";

/** The end of a chain of entries: the number of its last entry, and that entry's signature. */
export interface ChainLink {
  readonly number: number;
  readonly sig: string;
}

/** Before the first entry. */
export const chainStart: ChainLink = { number: 0, sig: "" };

/** The place in the chain that a signed line states. */
export interface SealedPlace extends ChainLink {
  /** The beginning of the signature of the entry before it. */
  readonly after: string;
}

/**
 * The lines of one transcript as a chain. Each entry is signed for this transcript alone, has a
 * number, and names the entry before it, so that a line that is added, removed, moved or copied
 * from elsewhere is noticed, and every entry that is still whole can be trusted on its own.
 */
export class EntryChain {
  readonly #signer: Signer;
  readonly #context: string;

  /** `transcript` names it among all that are signed with the same key. */
  constructor(signer: Signer, transcript: { teamId: string; member: string }) {
    this.#signer = signer;
    this.#context = `transcript ${transcript.teamId} ${transcript.member}\n`;
  }

  /** `entry` as the line that follows `last`. */
  seal(entry: object, last: ChainLink): { line: string; link: ChainLink } {
    const number = last.number + 1;
    const open = JSON.stringify(entry).slice(0, -1);
    const signed = `${open},"n":${number},"after":"${shortened(last.sig)}"`;
    const sig = this.#signer.sign(this.#context + signed);
    return { line: `${signed},"sig":"${sig}"}\n`, link: { number, sig } };
  }

  /** The place of a line that was sealed for this transcript; undefined for any other. */
  placeOf(bytes: Buffer): SealedPlace | undefined {
    const start = Math.max(0, bytes.length - longestTrailer);
    const found = trailer.exec(bytes.toString("latin1", start));
    const [, number, after, sig] = found ?? [];
    if (!found || number === undefined || after === undefined || sig === undefined)
      return undefined;
    const signed = bytes.subarray(0, bytes.length - sig.length - `,"sig":""}`.length);
    if (!this.#signer.verify(Buffer.concat([Buffer.from(this.#context), signed]), sig)) {
      return undefined;
    }
    return { number: Number(number), after, sig };
  }
}

/** True where the entry at `place` was written right after the one at `last`. */
export function follows(place: SealedPlace, last: ChainLink): boolean {
  return place.number === last.number + 1 && place.after === shortened(last.sig);
}

/** Every entry is signed itself, so this many characters are enough to identify the one before. */
function shortened(sig: string): string {
  return sig.slice(0, 16);
}

const trailer = /,"n":(\d{1,15}),"after":"([0-9a-f]{16}|)","sig":"([0-9a-f]{64})"\}$/;
const longestTrailer = 128;
