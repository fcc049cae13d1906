const contentBytes = 300;

/** The text of one message of a round, which identifies it. */
export function contentOf(round: number, from: string, number: number): string {
  return `${round} ${from} ${number} `.padEnd(contentBytes, ".");
}

/** The identifying part of a text of `contentOf`, without the padding. */
export function labelOf(content: string): string {
  return content.slice(0, content.lastIndexOf(" "));
}

export const anyContent = contentOf(0, "lead", 0);
