/** Makes control and invisible characters visible, so that no text can move or fool the reader. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u{${code}}`;
  });
}

/** The beginning of a text on one line. */
export function oneLine(text: string, length: number): string {
  const line = printable(text.trim().replaceAll(/\s*\n\s*/g, " ⏎ "));
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}

/** Controls except newline and tab, and what is zero-width or turns the direction of writing. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
