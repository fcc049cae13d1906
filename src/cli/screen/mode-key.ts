import { lead } from "../../protocol/ids.ts";
import type { MemberOverview } from "../talk/member-overview.ts";
import { nextMode } from "../talk/modes.ts";
import type { TalkTeam } from "../talk/talk.ts";

interface ModeKeyOptions {
  team: Pick<TalkTeam, "modes" | "setMode">;
  overview: MemberOverview;
  /** Called with a note about the mode when it has changed. */
  onChange(note: string): void;
  onError(error: unknown): void;
}

/** The key that changes the lead's permission mode. */
export class ModeKey {
  readonly #options: ModeKeyOptions;
  #changes = Promise.resolve();

  constructor(options: ModeKeyOptions) {
    this.#options = options;
  }

  /** Each press goes one mode further, however fast they come. */
  press(): void {
    this.#changes = this.#changes.then(() => this.#change()).catch(this.#options.onError);
  }

  async #change(): Promise<void> {
    const { team, overview, onChange } = this.#options;
    const mode = nextMode(overview.get(lead)?.mode ?? "default");
    await team.setMode(lead, mode);
    overview.setModes(await team.modes());
    onChange(`The lead's permission mode is ${mode}. Shift-Tab changes it again.`);
  }
}
