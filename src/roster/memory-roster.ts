import { Listeners } from "../lib/listeners.ts";
import { Serial } from "../lib/serial.ts";
import { Team } from "../protocol/team.ts";
import type { Roster } from "./roster.ts";

/** A roster for tests and single-process teams. */
export class MemoryRoster implements Roster {
  #team: Team;
  readonly #serial = new Serial();
  readonly #listeners = new Listeners<Team>();

  constructor(team: Team) {
    this.#team = team;
  }

  async read(): Promise<Team> {
    return structuredClone(this.#team);
  }

  update(change: (team: Team) => Team): Promise<Team> {
    return this.#serial.run(async () => {
      this.#team = Team.parse(change(structuredClone(this.#team)));
      this.#listeners.emit(structuredClone(this.#team));
      return structuredClone(this.#team);
    });
  }

  onChange(listener: (team: Team) => void): () => void {
    return this.#listeners.add(listener);
  }
}
