/** `text` with CRLF at the end of each line. */
export function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

/** True when there are lines, and all of them end in CRLF. */
export function hasOnlyCrlf(text: string): boolean {
  return text.includes("\n") && !/(?<!\r)\n/.test(text);
}
