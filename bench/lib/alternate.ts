/** The default number of rounds; every figure is their median. */
export const rounds = 5;

/**
 * Measures everything once per round, one after the other, so that a slow moment of the machine
 * affects all equally. The first round is a warm-up and does not count.
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
