import type { Tmux } from "./tmux.ts";

/** Chooses the question that is up on a real screen, and waits until its keys count. */
export async function chooseQuestion(terminal: Tmux): Promise<void> {
  await terminal.shows("ctrl-x to answer");
  await terminal.press("C-x");
  await terminal.until(
    async () => doKeysCount(await terminal.styledScreen()),
    "keys that answer the question",
  );
}

/** Whether the keys of the chosen question stand out, as they do when they count. */
export function doKeysCount(styledScreen: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are what it is about.
  return /\x1b\[1my/.test(styledScreen);
}
