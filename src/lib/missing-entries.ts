/** A sentence on how many entries are missing at a place in a transcript. */
export function missingEntries(lost: number): string {
  if (lost === 0) return "Entries are missing here, or were changed";
  return lost === 1 ? "1 entry is missing here" : `${lost} entries are missing here`;
}

/** In words for a person. */
export function voidEntries(count: number): string {
  return `went back to an earlier prompt: the ${count} entries before this one no longer count`;
}
