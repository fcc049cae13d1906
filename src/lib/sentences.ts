/** A message and what to do about it, as sentences: a stop is added where one is missing. */
export function sentences(message: string, hint: string | undefined): string {
  if (!hint) return message;
  return `${message}${/[.!?…:]$/.test(message) ? "" : "."} ${hint}`;
}
