import { TeamError } from "../errors.ts";
import type { Holder } from "../fence/fence.ts";
import { Signature } from "../keys/signature.ts";
import { loadTeamKey, openTeamKey, teamKeyPath } from "../keys/team-key.ts";
import type { TeamId } from "../protocol/ids.ts";
import type { TeamPlace } from "./team-place.ts";

/** The key of a team as somebody else than its lead has it. */
export class ObservedKey {
  readonly #place: TeamPlace;
  readonly #path: string;
  #loaded: Signature | undefined;
  #isTold = false;

  constructor(place: TeamPlace, teamId: TeamId) {
    this.#place = place;
    this.#path = teamKeyPath({ teamId, ...place.keyPlace });
  }

  /** To tell what troupe has written; undefined where there is no key, which may come later. */
  async toSee(): Promise<Signature | undefined> {
    this.#loaded ??= await this.#load();
    return this.#loaded;
  }

  /** To sign with. It is made where there is none and nobody runs the team. */
  async toSign(findLead: () => Promise<Holder | undefined>): Promise<Signature> {
    const path = this.#path;
    const key = await loadTeamKey({ path });
    if (key) return new Signature(key);
    const lead = await findLead();
    if (lead) {
      throw new TeamError("key-unavailable", `The team's key ${path} is missing`, {
        hint: `The lead (pid ${lead.pid}) keeps its key in memory, so nobody else can sign. Write to the lead itself, or start it again where that file can be written.`,
      });
    }
    const made = await openTeamKey({ path });
    if (made.origin !== "memory") return made.signature;
    throw new TeamError("key-unavailable", `The team's key ${path} cannot be written`, {
      hint: "Make its directory writable, or set TROUPE_KEY_FILE.",
    });
  }

  async #load(): Promise<Signature | undefined> {
    const key = await loadTeamKey({ path: this.#path });
    if (key) return new Signature(key);
    if (this.#isTold) return undefined;
    this.#isTold = true;
    this.#place.onWarning(
      `The team's key ${this.#path} is missing: senders are shown as the messages claim.`,
    );
    return undefined;
  }
}
