import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
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
      ...placesIn(directory),
      CI: "",
      ...options.env,
    },
  });
}

/** The same with a model whose replies a test decides, one that is known and has a price. */
export async function openOnServer(
  directory: string,
  server: ProviderServer,
  { argv = [], env, ...options }: Opened = {},
) {
  return await openTroupe(directory, {
    ...options,
    argv: ["--model", "anthropic/claude-opus-5", ...argv],
    env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url, ...env },
  });
}

/** What a command of another shell prints. */
export async function inAnotherShell(directory: string, ...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...argv], {
    cwd: join(directory, "work"),
    env: { ...process.env, ...placesIn(directory) },
  });
  return stdout;
}

/** The input line below its rule with exactly this text: what was sent is elsewhere on the screen. */
export function inLine(text: string): RegExp {
  const exact = text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^── \\S+ ─+\\n› ?${exact}$`, "m");
}

/** Resolves when no member works any more. Wait first for something of the work: before it, all are at rest, too. */
export async function atRest(terminal: Tmux): Promise<void> {
  await terminal.until(async () => {
    const screen = await terminal.screen();
    // The last line is drawn last.
    const isWhole = /^── \S+ ─+\n›[\s\S]*\n {2}\S[^\n]*$/m.test(screen);
    return isWhole && !/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \S/.test(screen);
  }, "members at rest");
}

/** Where the program keeps what is not in the team's directory. */
function placesIn(directory: string) {
  return { XDG_STATE_HOME: join(directory, "state"), XDG_CONFIG_HOME: join(directory, "config") };
}
