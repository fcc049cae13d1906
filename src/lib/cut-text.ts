/** The first `count` characters, or one fewer if that would split a surrogate pair. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  return text.slice(0, isHighSurrogate(text, count - 1) ? count - 1 : count);
}

/** A longer word is not a secret that could be recognised by its form. */
const longestWord = 300;

/**
 * The first `count` characters, or fewer if that would cut a word: half a secret is still a secret,
 * but cannot be recognised by its form.
 */
export function firstWords(text: string, count: number): string {
  const cut = firstCharacters(text, count);
  if (cut.length === text.length || isSpace(text, cut.length)) return cut;
  const first = Math.max(0, cut.length - longestWord);
  for (let end = cut.length; end > first; end--) {
    if (isSpace(cut, end - 1)) return cut.slice(0, end);
  }
  return cut;
}

function isSpace(text: string, index: number): boolean {
  return /\s/.test(text.charAt(index));
}

/** The last `count` characters, or one fewer if that would split a surrogate pair. */
export function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  const from = text.length - count;
  return text.slice(isHighSurrogate(text, from - 1) ? from + 1 : from);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
