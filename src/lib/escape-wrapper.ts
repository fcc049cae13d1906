/** The elements in which a model is shown what others say. */
const wrappers = ["teammate-message", "project-instructions"];

/** Keeps a text from opening or closing a wrapper in which a model is shown what others say. */
export function escapeWrapper(text: string): string {
  return escapeElements(text, wrappers);
}

/** Keeps a text from opening or closing elements of these names. */
export function escapeElements(text: string, names: readonly string[]): string {
  return text.replace(new RegExp(`<(\\s*/?\\s*)(?=(?:${names.join("|")}))`, "gi"), "&lt;$1");
}
