/** The text with everything in code spans and fenced blocks replaced by spaces, so that positions stay. */
export function withoutCode(markdown: string): string {
  return withoutSpans(withoutFences(markdown));
}

/** The text with fenced blocks replaced by spaces. */
export function withoutFences(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const [, mark, rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) {
      // A line such as ```a``` is a span, and opens nothing.
      if (mark === undefined || (mark.startsWith("`") && rest.includes("`"))) return line;
      fence = mark;
    } else if (mark?.startsWith(fence) && rest.trim() === "") {
      fence = undefined;
    }
    return " ".repeat(line.length);
  });
  return lines.join("\n");
}

/** In one pass over the runs of backticks: a hostile file must not take long. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ index, length }));
  const parts: string[] = [];
  const ends = closingRuns(runs.map(({ length }) => length));
  let position = 0;
  for (let opening = 0; opening < runs.length; opening++) {
    const closing = ends[opening];
    const from = runs[opening];
    const to = closing === undefined ? undefined : runs[closing];
    if (closing === undefined || !from || !to) continue;
    const end = to.index + to.length;
    parts.push(text.slice(position, from.index), " ".repeat(end - from.index));
    position = end;
    opening = closing;
  }
  return parts.join("") + text.slice(position);
}

/** For each run, the next one of the same length. */
function closingRuns(lengths: readonly number[]): (number | undefined)[] {
  const next = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (const [index, length] of [...lengths.entries()].reverse()) {
    closing[index] = next.get(length);
    next.set(length, index);
  }
  return closing;
}
