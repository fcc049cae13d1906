/**
 * The first key that an object in a JSON text has twice; undefined if there is none. Parsers take the last one
 * without a word, and people mean both. The text must be valid JSON.
 */
export function duplicateKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (const [token, key] of text.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (key !== undefined) {
      const keys = open.at(-1);
      // Escapes may spell one key in two ways.
      const name = String(JSON.parse(key));
      if (keys?.has(name)) return name;
      keys?.add(name);
    }
  }
  return undefined;
}

/** Brackets, keys with their colons, and other texts, so that nothing within them counts. */
const tokens = /[{}[\]]|("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"/g;
