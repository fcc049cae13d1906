/** Where the runs of backticks of a text are, by their length. */
export class CodeSpans {
  readonly #places = new Map<number, { starts: number[]; next: number }>();

  constructor(text: string) {
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const places = this.#places.get(run.length);
      if (places) places.starts.push(index);
      else this.#places.set(run.length, { starts: [index], next: 0 });
    }
  }

  /** Where the code ends that a run of `length` backticks at `from` opens. Asked in order only. */
  closing(length: number, from: number): number | undefined {
    const places = this.#places.get(length);
    if (!places) return undefined;
    while ((places.starts[places.next] ?? Number.POSITIVE_INFINITY) <= from) places.next++;
    return places.starts[places.next];
  }
}
