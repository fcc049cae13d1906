const contentBytes = 300;

/** The text of one message of a round, by which it is known again. */
export function contentOf(round: number, from: string, number: number): string {
  return `${round} ${from} ${number} `.padEnd(contentBytes, ".");
}

/** What `contentOf` has made, without what only fills it up. */
export function labelOf(content: string): string {
  return content.slice(0, content.lastIndexOf(" "));
}

export const anyContent = contentOf(0, "lead", 0);
