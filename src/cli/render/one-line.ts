import { printable } from "./printable.ts";

/**
 * The beginning of a text on one line, with control and invisible characters made visible, so that
 * no text can control the terminal or fool the reader. Only the beginning is read, however long the
 * text is.
 */
export function oneLine(text: string, length = sentenceLength): string {
  const whole = text.trim();
  const beginning = whole.slice(0, length * unitsPerCharacter);
  const lines = beginning.split("\n").map((line) => line.trim());
  const shown = [...printable(lines.filter((line) => line !== "").join(" ⏎ "))];
  const isWhole = beginning.length === whole.length && shown.length <= length;
  return isWhole ? shown.join("") : `${shown.slice(0, length - 1).join("")}…`;
}

/** More than any error, hint or warning of ours needs. */
const sentenceLength = 2_000;

/** A character is up to two units of UTF-16; the rest is for spaces that are dropped. */
const unitsPerCharacter = 4;
