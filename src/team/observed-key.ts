import { TeamError } from "../errors.ts";
import type { FenceHolder } from "../fence/fence.ts";
import type { Signature } from "../keys/signature.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { findSignature, foreignTeam } from "./ownership.ts";
import type { TeamPlace } from "./team-place.ts";

/** The key of a team in a process that is not its lead. */
export class ObservedKey {
  readonly #place: TeamPlace;
  readonly #team: TeamRecord;
  #loaded: Signature | undefined;
  #isReported = false;

  constructor(place: TeamPlace, team: TeamRecord) {
    this.#place = place;
    this.#team = team;
  }

  /** Verifies what troupe has written; undefined without the key, which may appear later. */
  async verifier(): Promise<Signature | undefined> {
    if (this.#loaded) return this.#loaded;
    const { signature, reason } = await findSignature(this.#team, this.#place);
    this.#loaded = signature;
    if (!signature && !this.#isReported) {
      this.#isReported = true;
      this.#place.onWarning(
        `This team is not known to be yours: ${reason}. Everything shown, including senders, is only what its files claim.`,
      );
    }
    return signature;
  }

  /** The signature to sign with. Throws for a team that is not the person's. */
  async signer(findLead: () => Promise<FenceHolder | undefined>): Promise<Signature> {
    const { signature, reason, missing } = await findSignature(this.#team, this.#place);
    if (signature) return signature;
    const lead = missing ? await findLead() : undefined;
    if (!lead) throw foreignTeam(this.#place.directory, { team: this.#team, reason });
    throw new TeamError("key-unavailable", `The team's key ${missing} is missing`, {
      hint: `The lead (pid ${lead.pid}) keeps its key in memory, so no other process can sign. Write to the lead itself, or restart it where that file can be written.`,
    });
  }
}
