/** A command of the screen, written `/name`. */
export interface CompletableCommand {
  name: string;
  /** Whether its arguments are members' names. */
  takesMembers?: boolean;
}

export interface Completables {
  commands: readonly CompletableCommand[];
  members: readonly string[];
}

/** What could stand in `text` from `from` to `to`, best first. */
export interface Completion {
  from: number;
  to: number;
  candidates: string[];
}

/** How the word at the cursor may go on: a `/command`, a `@member`, or a command's argument. */
export function complete(
  text: string,
  cursor: number,
  { commands, members }: Completables,
): Completion | undefined {
  void [text, cursor, commands, members];
  return undefined;
}

/** The command or member that an unknown `/word` or `@word` is most likely a slip of. */
export function suggest(word: string, { commands, members }: Completables): string | undefined {
  void [word, commands, members];
  return undefined;
}
