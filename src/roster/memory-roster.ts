import { Listeners } from "../lib/listeners.ts";
import { Serial } from "../lib/serial.ts";
import { TeamRecord } from "../protocol/team.ts";
import type { Roster } from "./roster.ts";

/** A roster for tests and single-process teams. */
export class MemoryRoster implements Roster {
  #team: TeamRecord;
  readonly #serial = new Serial();
  readonly #listeners = new Listeners<TeamRecord>();

  constructor(team: TeamRecord) {
    this.#team = team;
  }

  async read(): Promise<TeamRecord> {
    return structuredClone(this.#team);
  }

  /** As far as this process knows, without looking. Not to be changed. */
  get known(): TeamRecord {
    return this.#team;
  }

  update(change: (team: TeamRecord) => TeamRecord): Promise<TeamRecord> {
    return this.#serial.run(async () => {
      this.#team = TeamRecord.parse(change(structuredClone(this.#team)));
      this.#listeners.emit(structuredClone(this.#team));
      return structuredClone(this.#team);
    });
  }

  onChange(listener: (team: TeamRecord) => void): () => void {
    return this.#listeners.add(listener);
  }
}
