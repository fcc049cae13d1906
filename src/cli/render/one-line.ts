import { printable } from "./printable.ts";

/**
 * The beginning of a text on one line, with control and invisible characters made visible, so that
 * no text can move or fool the reader. However long the text is, only its beginning costs work.
 */
export function oneLine(text: string, length = sentenceLength): string {
  const whole = text.trim();
  const beginning = whole.slice(0, length * unitsPerCharacter);
  const lines = beginning.split("\n").map((line) => line.trim());
  const shown = [...printable(lines.filter((line) => line !== "").join(" ⏎ "))];
  const isWhole = beginning.length === whole.length && shown.length <= length;
  return isWhole ? shown.join("") : `${shown.slice(0, length - 1).join("")}…`;
}

/** More than any error, hint or warning needs that is not made of what somebody typed. */
const sentenceLength = 2_000;

/** A character is up to two units of UTF-16, and space between lines is not shown. */
const unitsPerCharacter = 4;
