/** Every figure is the median of so many rounds, unless said. */
export const rounds = 5;

/**
 * Measures everything once a round, one after the other, so that a slow moment of the machine hits
 * all alike. A round before the first is for the processes' compilers and does not count.
 */
export async function alternate<Name, Figure>(
  names: readonly Name[],
  measure: (name: Name, round: number) => Promise<Figure>,
  count = rounds,
): Promise<(name: Name) => readonly Figure[]> {
  const figures = new Map<Name, Figure[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= count; round++) {
    for (const name of names) {
      const figure = await measure(name, round);
      if (round > 0) figures.get(name)?.push(figure);
    }
  }
  return (name) => figures.get(name) ?? [];
}
