import type { InlineStyle, Token } from "./inline.ts";

/** A run of signs that is still to be matched. */
interface Delimiter {
  token: Token;
  sign: string;
  canOpen: boolean;
  canClose: boolean;
  /** How many signs it was made of. */
  length: number;
}

/**
 * Finds which runs of `*`, `_` and `~` belong together, and turns them into styles. Runs that find
 * no partner stay text. The rules are CommonMark's; like its algorithm this one never looks twice
 * for an opener that is not there.
 */
export function matchEmphasis(tokens: readonly Token[]): void {
  const openers: Delimiter[] = [];
  /** By kind of closer: the number of openers below which there is none for it. */
  const bottoms = new Map<string, number>();
  for (const token of tokens) {
    const { run } = token;
    if (!run) continue;
    const delimiter = { token, ...run, length: token.text.length };
    if (run.canClose) closeAll(delimiter, openers, bottoms);
    if (run.canOpen && token.text !== "") openers.push(delimiter);
  }
}

function closeAll(closer: Delimiter, openers: Delimiter[], bottoms: Map<string, number>): void {
  const kind = `${closer.sign}${closer.canOpen}${closer.length % 3}`;
  while (closer.token.text !== "") {
    const bottom = bottoms.get(kind) ?? 0;
    const index = findOpener(closer, openers, bottom);
    if (index === undefined) {
      bottoms.set(kind, openers.length);
      return;
    }
    const opener = openers[index];
    if (!opener) return;
    joinPair(opener.token, closer.token);
    // What is between the two finds no partner any more.
    openers.length = opener.token.text === "" ? index : index + 1;
    for (const [other, least] of bottoms) bottoms.set(other, Math.min(least, openers.length));
  }
}

function findOpener(
  closer: Delimiter,
  openers: readonly Delimiter[],
  bottom: number,
): number | undefined {
  for (let index = openers.length - 1; index >= bottom; index--) {
    const opener = openers[index];
    if (opener && isPair(opener, closer)) return index;
  }
  return undefined;
}

function isPair(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.sign !== closer.sign) return false;
  if (opener.sign === "~") return opener.length === closer.length;
  const isBothWays = opener.canClose || closer.canOpen;
  const isRefused = isBothWays && (opener.length + closer.length) % 3 === 0;
  return !isRefused || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

function joinPair(opener: Token, closer: Token): void {
  const isStrike = opener.text.startsWith("~");
  const count = opener.text.length >= 2 && closer.text.length >= 2 ? 2 : 1;
  const style: InlineStyle = isStrike ? "strike" : count === 2 ? "bold" : "italic";
  opener.text = opener.text.slice(count);
  closer.text = closer.text.slice(count);
  opener.begins.push(style);
  closer.ends.push(style);
}
