/**
 * A value as JSON for standard output, which may be a terminal: control and invisible characters
 * become JSON escapes, which parse to the same value.
 */
export function jsonText(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replace(unseen, escaped);
}

/** JSON.stringify itself escapes the controls up to U+001F; the newlines left are its own. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** A character beyond U+FFFF becomes two escapes. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
