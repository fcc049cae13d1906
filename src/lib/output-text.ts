/** How much of an output is missing from its text. */
interface OutputGap {
  characters: number;
  /** The number of lines of the whole output. */
  lines: number;
  /** Where the whole is. */
  whereabouts: string;
}

/** The line that stands for what was left out of an output that is too long. */
export function gapNote({ characters, lines, whereabouts }: OutputGap): string {
  return `… ${characters} characters left out of ${lines} ${lines === 1 ? "line" : "lines"}; ${whereabouts} …`;
}

const gap = /^… \d+ characters left out of (\d+) lines?; (.+) …$/m;

/** An output as a person looks at it. */
export interface OutputText {
  /** The lines that the text has, without empty ones at the end. */
  lines: readonly string[];
  /** The number of lines of the whole output. */
  count: number;
  /** Where the whole is, if this is only its beginning and end. */
  whereabouts: string | undefined;
}

/** Splits an output into lines. If its middle is left out, the note there has the number of all lines. */
export function readOutput(text: string): OutputText {
  const whole = text.trimEnd();
  const lines = whole === "" ? [] : whole.split(/\r?\n/);
  const [, count, whereabouts] = gap.exec(whole) ?? [];
  return { lines, count: count === undefined ? lines.length : Number(count), whereabouts };
}

/** What a terminal shows in the end of a line that was written over again and again, such as a progress bar. */
export function lastWritten(line: string): string {
  return line.split("\r").findLast((part) => part.trim() !== "") ?? "";
}

/** The result of a command: its output, and how it ended if it did not succeed. */
export interface CommandText extends OutputText {
  /** Such as `exit 1`. */
  outcome: string | undefined;
}

/** Separates what a command printed from the last lines of its result, which say how it ended. */
export function readCommandResult(text: string): CommandText {
  const lines = text.trimEnd().split("\n");
  const remarks = /^\((\d+ process(es)? (was|were) still running .*)\)$/;
  const leftovers = remarks.exec(lines.at(-1) ?? "")?.[1];
  if (leftovers !== undefined) lines.pop();
  const outcome = outcomeIn(lines.at(-1) ?? "");
  if (outcome !== undefined) lines.pop();
  const told = [outcome, leftovers].filter((part) => part !== undefined);
  return {
    ...readOutput(lines.join("\n")),
    outcome: told.length > 0 ? told.join("; ") : undefined,
  };
}

function outcomeIn(line: string): string | undefined {
  const [, inBrackets, error] = /^(?:\((exit \d+|killed by \w+)\)|Error: (.*))$/.exec(line) ?? [];
  return inBrackets ?? error;
}
