/**
 * Characters that a screen does not show, or that change the text around them: control characters
 * (except tab and line feed), bidirectional marks, zero-width characters, odd spaces, lone
 * surrogates. The selector that only colours the pictograph before it is not one of them. Made when
 * needed: that takes a part of a millisecond.
 */
const hidden = () =>
  /(?![\t\n])[\p{Cc}\p{Cs}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}|(?<!\p{Extended_Pictographic})\uFE0F|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu;

/** The text with every hidden character spelled out, so that what is shown is what runs. */
export function showHidden(text: string): string {
  return text.replace(hidden(), (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

export function hasHidden(text: string): boolean {
  return text.search(hidden()) >= 0;
}
