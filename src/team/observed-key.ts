import { TeamError } from "../errors.ts";
import type { Holder } from "../fence/fence.ts";
import { hmacSignature, type Signature } from "../keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../keys/team-key.ts";
import { isProven } from "../keys/team-proof.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { foreignTeam, missingKey, notSigned } from "./ownership.ts";
import type { TeamPlace } from "./team-place.ts";

/** The key of a team as somebody else than its lead has it. */
export class ObservedKey {
  readonly #place: TeamPlace;
  readonly #team: TeamRecord;
  readonly #path: string;
  #loaded: Signature | undefined;
  #isTold = false;

  constructor(place: TeamPlace, team: TeamRecord) {
    this.#place = place;
    this.#team = team;
    this.#path = teamKeyPath({ teamId: team.team_id, ...place.keyPlace });
  }

  /** To tell what troupe has written; undefined where nobody can tell, which may change later. */
  async verifier(): Promise<Signature | undefined> {
    if (this.#loaded) return this.#loaded;
    const { signature, reason } = await this.#find();
    this.#loaded = signature;
    if (!signature && !this.#isTold) {
      this.#isTold = true;
      this.#place.onWarning(
        `This team is not known to be yours: ${reason}. What is shown, senders included, is what its files claim.`,
      );
    }
    return signature;
  }

  /** To sign with. Nobody signs for a team that is not theirs. */
  async signer(findLead: () => Promise<Holder | undefined>): Promise<Signature> {
    const { signature, reason, isMissing } = await this.#find();
    if (signature) return signature;
    const lead = isMissing ? await findLead() : undefined;
    if (!lead) throw foreignTeam(this.#place.directory, { team: this.#team, reason });
    throw new TeamError("key-unavailable", `The team's key ${this.#path} is missing`, {
      hint: `The lead (pid ${lead.pid}) keeps its key in memory, so no other process can sign. Write to the lead itself, or restart it where that file can be written.`,
    });
  }

  async #find(): Promise<{ signature?: Signature; reason: string; isMissing: boolean }> {
    const key = await loadTeamKey({ path: this.#path });
    if (!key) return { reason: missingKey(this.#path), isMissing: true };
    const signature = hmacSignature(key);
    if (isProven(this.#team, signature)) return { signature, reason: "", isMissing: false };
    return { reason: notSigned, isMissing: false };
  }
}
