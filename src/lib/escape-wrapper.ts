/** The elements in which a model is shown what others say. */
const wrappers = ["teammate-message", "project-instructions"];

/** Keeps a text from opening or closing a wrapper in which a model is shown what others say. */
export function escapeWrapper(text: string): string {
  return escapeElements(text, wrappers);
}

/**
 * Keeps a text from opening or closing elements of these names, also where they are spelled with
 * spaces or with characters that nobody sees. One repetition of one set of characters, so that no
 * text takes longer than its length accounts for.
 */
export function escapeElements(text: string, names: readonly string[]): string {
  // The pattern takes milliseconds to compile, and few texts need it.
  if (!text.includes("<")) return text;
  const spellings = names.map((name) => [...name].join("\\p{Cf}*")).join("|");
  return text.replace(new RegExp(`<([\\s/\\p{Cf}]*)(?=(?:${spellings}))`, "giu"), "&lt;$1");
}
