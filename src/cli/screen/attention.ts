import { basename } from "node:path";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import type { TerminalOutput } from "../command.ts";
import { oneLine } from "../render/one-line.ts";

/** `bell`: only the terminal's bell; `terminal`: also its notifications and its title. */
export type Notify = "off" | "bell" | "terminal";

export interface AttentionOptions {
  output: Pick<TerminalOutput, "write">;
  notify: Notify;
  env: EnvironmentVariables;
  /** Whether the tmux around the terminal passes on what is meant for the terminal outside. */
  passesThroughTmux(): Promise<boolean>;
  workspace: string;
  monotonicMs(): number;
  schedule(delayMs: number, run: () => void): () => void;
}

/** The least time between two notifications. */
const leastMs = 5_000;
/** Longer texts are cut by the terminals. */
const maxText = 120;

/** Calls the person, who may look at another window, by the means of the terminal. */
export class Attention {
  readonly #options: AttentionOptions;
  #isFocused = false;
  #lastMs = Number.NEGATIVE_INFINITY;
  #forgetNext: (() => void) | undefined;
  #title = "";

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  /** Takes note that the person has come to this terminal, or gone to another one. */
  setFocus(isFocused: boolean): void {
    this.#isFocused = isFocused;
    if (isFocused) this.forget();
  }

  /** Notifies the person at once, or of several things within a short time the last one later. */
  call(text: string): void {
    const { notify, monotonicMs, schedule } = this.#options;
    if (notify === "off" || this.#isFocused) return;
    const waitMs = this.#lastMs + leastMs - monotonicMs();
    this.forget();
    if (waitMs > 0) this.#forgetNext = schedule(waitMs, () => this.call(text));
    else {
      this.#lastMs = monotonicMs();
      this.#notify(text).catch(() => this.#options.output.write(bell));
    }
  }

  /** Drops what was not yet called: the person is here, or the screen ends. */
  forget(): void {
    this.#forgetNext?.();
    this.#forgetNext = undefined;
  }

  /** Shows what goes on in the title of the terminal; `undefined` restores the title from before. */
  setTitle(state: string | undefined): void {
    const { notify, output, workspace } = this.#options;
    if (notify !== "terminal") return;
    const title = state === undefined ? "" : titleText(state, basename(workspace));
    if (title === this.#title) return;
    if (this.#title === "") output.write(keepTitle);
    output.write(title === "" ? restoreTitle : `\x1b]2;${title}\x07`);
    this.#title = title;
  }

  async #notify(text: string): Promise<void> {
    const { notify, output, env, passesThroughTmux } = this.#options;
    const isInTmux = Boolean(env.TMUX);
    const isRinging = notify === "bell" || env.STY || (isInTmux && !(await passesThroughTmux()));
    const sequence = isRinging ? "" : notification(`troupe: ${oneLine(text, maxText)}`, env);
    output.write(bell + (isInTmux && sequence !== "" ? throughTmux(sequence) : sequence));
  }
}

const bell = "\x07";
const keepTitle = "\x1b[22;2t";
const restoreTitle = "\x1b[23;2t";

function titleText(state: string, directory: string): string {
  return oneLine([state, "troupe", directory].filter((part) => part !== "").join(" · "), maxText);
}

/** In the form that the terminal knows: some know both, and would show two. */
function notification(text: string, { TERM = "", VTE_VERSION }: EnvironmentVariables): string {
  const isByName = Boolean(VTE_VERSION) || /^(rxvt|foot)/.test(TERM);
  return isByName ? `\x1b]777;notify;troupe;${text}\x07` : `\x1b]9;${text}\x07`;
}

function throughTmux(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;
}
