import { TeamError } from "../errors.ts";
import { Serial } from "../lib/serial.ts";
import { isBusy } from "./members/member-handle.ts";
import type { Members } from "./members/members.ts";

interface TeamPauseOptions {
  members: Pick<Members, "living" | "onChange">;
  /** True while no member is being spawned or ended, and no task given out. */
  isSettled(): boolean;
  /** Called when members may run again. */
  onEnd(): void;
}

/** Keeps all members from running while something is done that needs the whole team at rest. */
export class TeamPause {
  readonly #options: TeamPauseOptions;
  readonly #serial = new Serial();
  #isOn = false;

  constructor(options: TeamPauseOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Does `work` while no member runs, after all earlier work. Throws `team-busy` where one runs. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.run(async () => {
      this.#isOn = true;
      try {
        await this.#looked();
        this.#requireRest();
        return await work();
      } finally {
        this.#isOn = false;
        this.#options.onEnd();
      }
    });
  }

  /** A member that only looks for work is at rest when it has looked: it begins no run now. */
  async #looked(): Promise<void> {
    const { members } = this.#options;
    const isOver = () => this.#running.length > 0 || !members.living.some(isBusy);
    if (isOver()) return;
    await new Promise<void>((resolve) => {
      const stop = members.onChange(() => {
        if (!isOver()) return;
        stop();
        resolve();
      });
    });
  }

  get #running(): string[] {
    const { living } = this.#options.members;
    return living.filter(({ state }) => state.isRunning).map(({ name }) => name);
  }

  #requireRest(): void {
    const running = this.#running;
    if (running.length === 0 && this.#options.isSettled()) return;
    const problem = running.length > 0 ? `${running.join(", ")}: still working` : "Members change";
    throw new TeamError("team-busy", problem, {
      hint: "Interrupt the members first, and wait until the team is quiet.",
    });
  }
}
