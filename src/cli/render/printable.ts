/**
 * Makes visible every character that controls a terminal, is invisible, or changes the direction of
 * writing. Newlines and tabs are left to the caller. Joiners and selectors stay inside an emoji;
 * anywhere else they could hide text.
 */
export function printable(text: string): string {
  // The other patterns take milliseconds to compile, and few texts need them.
  if (plain.test(text) || !unprintable().test(text)) return text;
  const emojiOrUnprintable = new RegExp(`(${emoji})|${unprintable().source}`, "gu");
  return text.replace(emojiOrUnprintable, (match, kept?: string) => kept ?? visible(match));
}

const plain = /^[\x20-\x7e\n\t]*$/;

/** Controls, formats, lone surrogates, and characters that are drawn as nothing. Made when needed: that takes half a millisecond. */
const unprintable = () =>
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

const picture = "\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?";
const keycap = "[0-9#*]\\ufe0f\\u20e3";
const emoji = `${picture}(?:\\u200d${picture}){0,9}|${keycap}`;

function visible(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u{${code}}`;
}
