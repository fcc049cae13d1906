/** The first `count` characters, or one fewer where that would halve a surrogate pair. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  return text.slice(0, isHighSurrogate(text, count - 1) ? count - 1 : count);
}

/** The last `count` characters, or one fewer where that would halve a surrogate pair. */
export function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  const from = text.length - count;
  return text.slice(isHighSurrogate(text, from - 1) ? from + 1 : from);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
