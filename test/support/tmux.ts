import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { untilChanged } from "./file-text.ts";
import { missingProgram } from "./missing.ts";

const execute = promisify(execFile);

/** Why there can be no real terminal here; undefined where there can. */
export const noTmux = missingProgram("tmux", "apt-get install tmux, or brew install tmux");

export interface TmuxOptions {
  /** Where its socket may lie. */
  directory: string;
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  columns?: number;
  rows?: number;
}

/** How long something may take to be seen, on a machine that has much else to do. */
const patienceMs = 30_000;

/** A program in a real terminal: keys are typed, and the screen is read. */
export class Tmux implements AsyncDisposable {
  readonly #socket: string;
  /** Tells of every output, so that nobody has to ask again and again. */
  readonly #control: ChildProcess;
  /** A file with everything that the program writes. */
  readonly #written: string;

  private constructor(socket: string) {
    this.#socket = socket;
    this.#written = `${socket}.output`;
    this.#control = spawn("tmux", ["-S", socket, "-C", "attach", "-t", "screen"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
  }

  static async start(options: TmuxOptions): Promise<Tmux> {
    const { directory, command, cwd, env, columns = 100, rows = 30 } = options;
    // One of its own each: a server that is just ending would take the next one's session with it.
    const socket = join(directory, `tmux-${randomUUID().slice(0, 8)}`);
    // Not by tmux's own means: it would not let TERM be anything.
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const call = ["env", ...variables, ...command].map(quoted).join(" ");
    // What stands behind the program shows that it has ended, and how.
    const written = `${socket}.output`;
    await writeFile(written, "");
    const script = `${call}; echo "exit code $?"; exec cat`;
    const size = ["-x", String(columns), "-y", String(rows)];
    const session = ["new-session", "-d", "-s", "screen", ...size, "-c", cwd];
    await execute("tmux", ["-S", socket, "-f", "/dev/null", ...session, script]);
    const tmux = new Tmux(socket);
    try {
      // A control client has a size of its own, which must not become the window's.
      await tmux.#tell("set-option", "-g", "window-size", "manual");
      await tmux.resize(columns, rows);
      await tmux.#tell("pipe-pane", "-t", "screen", `exec cat > ${quoted(written)}`);
      return tmux;
    } catch (error) {
      await tmux[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Types a text as it is. */
  async type(text: string): Promise<void> {
    await this.#tell("send-keys", "-t", "screen", "-l", text);
  }

  /** Presses keys by their names, such as `Enter`, `Escape`, `C-c`, `Tab`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tell("send-keys", "-t", "screen", ...keys);
  }

  /** Types a line and sends it. */
  async enter(line: string): Promise<void> {
    await this.type(line);
    await this.press("Enter");
  }

  async paste(text: string): Promise<void> {
    await this.#tell("set-buffer", "--", text);
    await this.#tell("paste-buffer", "-p", "-t", "screen");
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tell("resize-window", "-t", "screen", "-x", String(columns), "-y", String(rows));
  }

  /** What is on the screen. */
  async screen(): Promise<string> {
    return (await this.#tell("capture-pane", "-p", "-t", "screen")).trimEnd();
  }

  /** What is on the screen, with its styles. */
  async styledScreen(): Promise<string> {
    return await this.#tell("capture-pane", "-p", "-e", "-t", "screen");
  }

  /** What is on the screen and above it, with styles where they are asked for. */
  async history({ hasStyles = false } = {}): Promise<string> {
    const styles = hasStyles ? ["-e"] : [];
    return await this.#tell("capture-pane", "-p", "-J", "-S", "-", "-t", "screen", ...styles);
  }

  /** Resolves to everything that the program has written since the start of a test, as it was, when that is so. */
  async hasWritten(isSo: (output: string) => boolean): Promise<string> {
    return await untilChanged(this.#written, async () => {
      const output = await readFile(this.#written, "utf8");
      return isSo(output) ? output : undefined;
    });
  }

  /** Has another program write to the terminal, in the way of `printf`. */
  async scribble(text: string): Promise<void> {
    const tty = (await this.format("#{pane_tty}")).trim();
    await execute("sh", ["-c", 'printf "$0" > "$1"', text, tty]);
  }

  /** A text of tmux, such as `#{pane_title}`. */
  async format(text: string): Promise<string> {
    return (await this.#tell("display-message", "-p", "-t", "screen", text)).trimEnd();
  }

  /** Sets an option of tmux. */
  async set(option: string, value: string): Promise<void> {
    await this.#tell("set-option", "-g", option, value);
  }

  /** The process that runs in the terminal now. */
  async pid(): Promise<number> {
    const shell = Number(await this.format("#{pane_pid}"));
    return await this.childOf(shell);
  }

  async childOf(parent: number): Promise<number> {
    const { stdout } = await execute("ps", ["-o", "pid=", "--ppid", String(parent)]);
    const [pid] = stdout.trim().split(/\s+/);
    if (!pid) throw new Error("Nothing runs in the terminal any more");
    return Number(pid);
  }

  /**
   * Resolves to the screen when it shows a text. One look may come in the middle of a redraw: what a test requires of the screen
   * belongs into the pattern, and not into a look of its own.
   */
  async shows(text: string | RegExp): Promise<string> {
    let screen = "";
    await this.until(async () => {
      screen = await this.screen();
      return typeof text === "string" ? screen.includes(text) : text.test(screen);
    }, String(text));
    return screen;
  }

  /** Resolves when something holds; it is looked at whenever the program has put out something. */
  async until(holds: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = AbortSignal.timeout(patienceMs);
    while (true) {
      const output = once(this.#control.stdout ?? this.#control, "data", { signal: deadline });
      output.catch(() => undefined);
      if (await holds()) return;
      if (deadline.aborted) throw new Error(`Not seen: ${what}\n${await this.history()}`);
      await output.catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#control, "exit");
    const pid = await this.pid().catch(() => undefined);
    // It must not write any more when its directory is taken away.
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    await this.#tell("kill-server");
    await ended;
  }

  async #tell(...argv: string[]): Promise<string> {
    const { stdout } = await execute("tmux", ["-S", this.#socket, ...argv]);
    return stdout;
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
