/** The elements in which a model is shown texts of others. */
const wrappers = [
  "teammate-message",
  "project-instructions",
  "skill",
  "available-roles",
  "web-page",
];

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
};

/** A text as the value of a wrapper's attribute, on one line. */
export function escapeAttribute(value: string): string {
  return value.replace(/[<>&"]/g, (character) => entities[character] ?? "").replace(/\s+/g, " ");
}

/** Keeps a text from opening or closing a wrapper in which a model is shown texts of others. */
export function escapeWrapper(text: string): string {
  return escapeElements(text, wrappers);
}

/**
 * Keeps a text from opening or closing elements of these names, also if they are spelled with
 * spaces or invisible characters. One repetition of one set of characters, so that the time grows
 * only with the text's length.
 */
export function escapeElements(text: string, names: readonly string[]): string {
  // The pattern takes milliseconds to compile, and few texts need it.
  if (!text.includes("<")) return text;
  const spellings = names.map((name) => [...name].join("\\p{Cf}*")).join("|");
  return text.replace(new RegExp(`<([\\s/\\p{Cf}]*)(?=(?:${spellings}))`, "giu"), "&lt;$1");
}
