import { hasErrno, TeamError } from "../../errors.ts";
import { Listeners } from "../../lib/listeners.ts";
import type { Obstacle, RoomState } from "../../protocol/dashboard.ts";
import { TeamObserver } from "../../team/team-observer.ts";
import type { TeamPlace } from "../../team/team-place.ts";
import { pause } from "./pause.ts";
import { RoomRecords } from "./records.ts";
import { TeamSight } from "./team-sight.ts";

export interface FollowingOptions {
  place: TeamPlace;
  version: string;
  /** Makes the name of a set of records that nobody has had before. */
  newEpoch(): string;
}

const lookMs = 1_000;
/** Who runs the team, and how far mail has got, is looked at every so many looks. */
const looksPerSlowLook = 2;

/** What lies in a team's directory, from nothing to one team after another, as long as it is open. */
export class Following implements AsyncDisposable {
  readonly #options: FollowingOptions;
  readonly #place: TeamPlace;
  readonly #listeners = new Listeners<void>();
  readonly #closing = new AbortController();
  readonly #looking: Promise<void>;
  #records: RoomRecords;
  /** Of a team that is being read for the first time, and is not shown yet. */
  #loading: RoomRecords | undefined;
  /** What was told while a team was opened of which there are no records yet. */
  #untold: string[] = [];
  #sight: TeamSight | undefined;
  #roster: string | undefined;
  #looks = 0;
  /** Resolves when there is something to show. */
  readonly ready: Promise<void>;

  constructor(options: FollowingOptions) {
    this.#options = options;
    this.#place = { ...options.place, onWarning: (message) => this.#tell(message) };
    this.#records = this.#newRecords(null, null);
    this.ready = this.#look();
    this.#looking = this.#keepLooking();
  }

  get records(): RoomRecords {
    return this.#records;
  }

  get sight(): TeamSight | undefined {
    return this.#sight;
  }

  /** Calls `listener` whenever there may be something new. Returns how to stop it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#looking;
    await this.#sight?.[Symbol.asyncDispose]();
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#closing;
    await this.ready;
    for (;;) {
      await pause(this.#place.clock, lookMs, signal);
      if (signal.aborted) return;
      await this.#look();
    }
  }

  /** Never throws: what goes wrong is shown. */
  async #look(): Promise<void> {
    try {
      const sight = this.#sight;
      const roster = await this.#newRoster();
      if (roster.isNew) await this.#lookForTeam(roster.appearance);
      // One that has just been opened has looked at everything.
      if (sight && sight === this.#sight) await this.#lookOn(sight);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether the roster is to be read. What it looks like is taken before that. */
  async #newRoster(): Promise<{ isNew: boolean; appearance: string | undefined }> {
    const appearance = (await this.#sight?.observer.appearance())?.roster;
    return { isNew: appearance === undefined || appearance !== this.#roster, appearance };
  }

  async #lookOn(sight: TeamSight): Promise<void> {
    this.#looks += 1;
    await sight.look();
    if (this.#looks % looksPerSlowLook !== 0) return;
    await sight.lookForLead();
    await sight.lookAtMail();
  }

  async #lookForTeam(roster: string | undefined): Promise<void> {
    this.#untold = [];
    try {
      const observer = await TeamObserver.open(this.#place);
      const isSame = this.#sight?.observer.team.team_id === observer.team.team_id;
      if (this.#sight && isSame) await this.#sight.setTeam(observer);
      else await this.#showTeam(observer);
      this.#roster = roster;
    } catch (error) {
      const obstacle = obstacleOf(error);
      if (!obstacle) throw error;
      await this.#showObstacle(obstacle);
    }
  }

  async #showTeam(observer: TeamObserver): Promise<void> {
    await this.#leaveTeam();
    const { team_id: id, team_name: name } = observer.team;
    const records = this.#newRecords({ id, name }, null);
    for (const problem of this.#untold) records.addProblem(problem);
    this.#loading = records;
    const sight = new TeamSight(observer, {
      ...{ records, clock: this.#place.clock },
      onFailure: (error) => this.#fail(error),
      onLive: () => this.#listeners.emit(),
    });
    try {
      await sight.open();
    } catch (error) {
      await sight[Symbol.asyncDispose]();
      throw error;
    } finally {
      this.#loading = undefined;
    }
    this.#records = records;
    this.#sight = sight;
    this.#listeners.emit();
  }

  async #showObstacle(obstacle: Obstacle): Promise<void> {
    const isMissing = obstacle.code === "team-missing";
    const shown = isMissing ? null : obstacle;
    const { team, obstacle: known } = this.#records.state();
    if (team === null && JSON.stringify(known) === JSON.stringify(shown)) return;
    await this.#leaveTeam();
    this.#records = this.#newRecords(null, shown);
    this.#listeners.emit();
  }

  async #leaveTeam(): Promise<void> {
    const sight = this.#sight;
    this.#sight = undefined;
    this.#roster = undefined;
    await sight?.[Symbol.asyncDispose]();
  }

  #newRecords(team: RoomState["team"], obstacle: Obstacle | null): RoomRecords {
    const { version, newEpoch, place } = this.#options;
    const epoch = newEpoch();
    const records = new RoomRecords({
      ...{ epoch, version, directory: place.directory, team, obstacle },
    });
    records.onChange(() => this.#listeners.emit());
    return records;
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#tell(`Something of the team could not be read: ${reason}`);
  }

  #tell(problem: string): void {
    if (!this.#sight) this.#untold.push(problem);
    (this.#loading ?? this.#records).addProblem(problem);
  }
}

/** Why a directory shows no team; undefined where that is not what has failed. */
function obstacleOf(error: unknown): Obstacle | undefined {
  if (error instanceof TeamError) {
    const { code, message, hint = null } = error;
    return { code, message, hint };
  }
  if (error instanceof Error && hasErrno(error, "EACCES", "EPERM", "ELOOP", "EISDIR", "ENOTDIR")) {
    return {
      code: "team-unusable",
      message: `The team's directory cannot be read: ${error.message}`,
      hint: "See that you may read it, and whose it is.",
    };
  }
  return undefined;
}
