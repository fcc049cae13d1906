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

/** Whether a key of the chosen question stands out, as it does when it counts. */
export function doKeysCount(styledScreen: string, key = "y"): boolean {
  return styledScreen.includes(`\x1b[1m${key}`);
}
