import { type EditorUnit, isSpace, isWordLetter } from "./editor-units.ts";

/** The start of the word before the cursor. A held paste is a word of its own. */
export function wordStart(units: readonly EditorUnit[], cursor: number): number {
  let at = cursor;
  while (at > 0 && isBetweenWords(units[at - 1])) at--;
  if (units[at - 1]?.isPaste) return at - 1;
  while (at > 0 && isInWord(units[at - 1])) at--;
  return at;
}

/** The end of the word after the cursor. */
export function wordEnd(units: readonly EditorUnit[], cursor: number): number {
  let at = cursor;
  while (at < units.length && isBetweenWords(units[at])) at++;
  if (units[at]?.isPaste) return at + 1;
  while (at < units.length && isInWord(units[at])) at++;
  return at;
}

/** The start of the text before the cursor that has no space in it. */
export function spacedWordStart(units: readonly EditorUnit[], cursor: number): number {
  const isGap = (unit: EditorUnit | undefined) => unit !== undefined && isSpace(unit);
  let at = cursor;
  while (at > 0 && isGap(units[at - 1])) at--;
  while (at > 0 && !isGap(units[at - 1])) at--;
  return at;
}

export function lineStart(units: readonly EditorUnit[], cursor: number): number {
  let at = cursor;
  while (at > 0 && units[at - 1]?.text !== "\n") at--;
  return at;
}

export function lineEnd(units: readonly EditorUnit[], cursor: number): number {
  let at = cursor;
  while (at < units.length && units[at]?.text !== "\n") at++;
  return at;
}

/** How many units it takes to cover the first `length` characters. */
export function unitsWithin(
  units: readonly EditorUnit[],
  length: number,
  measured: (unit: EditorUnit) => string,
): number {
  let covered = 0;
  let count = 0;
  for (const unit of units) {
    if (covered >= length) break;
    covered += measured(unit).length;
    count++;
  }
  return count;
}

function isInWord(unit: EditorUnit | undefined): boolean {
  return unit !== undefined && isWordLetter(unit);
}

function isBetweenWords(unit: EditorUnit | undefined): boolean {
  return unit !== undefined && !unit.isPaste && !isWordLetter(unit);
}
