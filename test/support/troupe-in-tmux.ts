import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Tmux, type TmuxOptions } from "./tmux.ts";

/** The published program. */
export const program = resolve("dist/cli/main.js");

interface Opened extends Partial<Omit<TmuxOptions, "directory">> {
  argv?: readonly string[];
}

/** The published program in a real terminal, in a directory of its own. */
export async function openTroupe(
  directory: string,
  { argv = ["--model", "rehearsal"], ...options }: Opened = {},
) {
  const workspace = join(directory, "work");
  await mkdir(workspace, { recursive: true });
  return await Tmux.start({
    directory,
    cwd: workspace,
    command: [process.execPath, program, ...argv],
    ...options,
    env: {
      XDG_STATE_HOME: join(directory, "state"),
      XDG_CONFIG_HOME: join(directory, "config"),
      CI: "",
      ...options.env,
    },
  });
}
