/** Keeps a text from opening or closing the wrapper in which a model is shown its mail. */
export function escapeWrapper(text: string): string {
  return text.replace(/<(\/?)(?=teammate-message)/gi, "&lt;$1");
}
