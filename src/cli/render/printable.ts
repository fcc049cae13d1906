/**
 * `text` with every character made visible that a terminal obeys, that cannot be seen, or that
 * turns the direction of writing. Newlines and tabs are left to the caller. Joiners and selectors
 * stay where they make an emoji of what is seen anyway; anywhere else they could carry a text that
 * nobody sees.
 */
export function printable(text: string): string {
  if (text.search(unprintable) === -1) return text;
  return text.replace(emojiOrUnprintable, (match, emoji?: string) => emoji ?? visible(match));
}

/** Controls, formats, half letters, and what is drawn as nothing. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

const picture = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?/u;
const joined = `${picture.source}(?:\\u200d${picture.source}){0,9}`;
const keycap = /[0-9#*]\ufe0f\u20e3/u;
const emojiOrUnprintable = new RegExp(`(${joined}|${keycap.source})|${unprintable.source}`, "gu");

function visible(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u{${code}}`;
}
