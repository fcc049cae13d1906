import packageJson from "../../../package.json" with { type: "json" };
import { hasErrno, reasonOf, TeamError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { Listeners } from "../../lib/listeners.ts";
import { Serial } from "../../lib/serial.ts";
import type { OwnFacts } from "../../model/model-facts.ts";
import type { Obstacle, RoomState } from "../../protocol/dashboard.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { TeamChange, TeamView } from "../../team/view/team-view.ts";
import { PacedWork } from "./paced-work.ts";
import { RoomRecords } from "./records.ts";
import { TeamUpdater } from "./team-updater.ts";

export interface TeamFollowerOptions {
  view: TeamView;
  clock: Clock;
  /** What the person says of models and providers (default: nothing). */
  own?: OwnFacts;
  /** Makes the name of a set of records that nobody has had before. */
  newEpoch(): string;
}

const lookPaceMs = 50;
const retryMs = 1_000;

/** Follows what a view shows, from nothing to one team after another, as long as it is open. */
export class TeamFollower implements AsyncDisposable {
  readonly view: TeamView;
  /** Resolves when there is something to show. */
  readonly ready: Promise<void>;
  readonly #options: TeamFollowerOptions;
  readonly #listeners = new Listeners<void>();
  readonly #serial = new Serial();
  readonly #looking: PacedWork;
  readonly #unsubscribe: () => void;
  #cancelRetry = () => {};
  #records: RoomRecords;
  /** Of a team that is being read for the first time, and is not shown yet. */
  #loading: RoomRecords | undefined;
  /** Problems that were reported before there were records to add them to. */
  #unreported: string[] = [];
  #updater: TeamUpdater | undefined;
  #teamId: string | undefined;

  constructor(options: TeamFollowerOptions) {
    this.#options = options;
    const { clock, view } = options;
    this.view = view.reopen((message) => this.#report(message));
    this.#records = this.#newRecords(null, null);
    this.#looking = new PacedWork({
      ...{ clock, paceMs: lookPaceMs },
      work: () => this.#look(),
      onFailure: (error) => this.#fail(error),
    });
    this.ready = this.#look();
    this.#unsubscribe = this.view.onChange((change) => this.#onChange(change));
  }

  get records(): RoomRecords {
    return this.#records;
  }

  get updater(): TeamUpdater | undefined {
    return this.#updater;
  }

  /** Calls `listener` whenever there may be something new. Returns how to stop it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.ready;
    await this.#looking[Symbol.asyncDispose]();
    this.#cancelRetry();
    await this.#updater?.[Symbol.asyncDispose]();
  }

  #onChange(change: TeamChange): void {
    if (change.type === "team") this.#looking.want();
    else this.#updater?.onChange(change);
  }

  /** Never throws: what goes wrong is shown, and tried again. */
  #look(): Promise<void> {
    return this.#serial.run(async () => {
      this.#cancelRetry();
      this.#unreported = [];
      try {
        const team = await this.view.team();
        if (this.#updater && this.#teamId === team.team_id) this.#updater.setTeam(team);
        else await this.#showTeam(team);
      } catch (error) {
        const obstacle = obstacleOf(error);
        if (obstacle) await this.#showObstacle(obstacle);
        else this.#fail(error);
        this.#cancelRetry = this.#options.clock.schedule(retryMs, () => this.#looking.want());
      }
    });
  }

  async #showTeam(team: TeamRecord): Promise<void> {
    await this.#leaveTeam();
    const { team_id: id, team_name: name } = team;
    const records = this.#newRecords({ id, name }, null);
    for (const problem of this.#unreported) records.addProblem(problem);
    this.#loading = records;
    const updater = new TeamUpdater(this.view, team, {
      ...{ records, clock: this.#options.clock, own: this.#options.own ?? {} },
      onFailure: (error) => this.#fail(error),
      onLive: () => this.#listeners.emit(),
    });
    try {
      await updater.open();
    } catch (error) {
      await updater[Symbol.asyncDispose]();
      throw error;
    } finally {
      this.#loading = undefined;
    }
    this.#records = records;
    this.#updater = updater;
    this.#teamId = id;
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
    const updater = this.#updater;
    this.#updater = undefined;
    this.#teamId = undefined;
    await updater?.[Symbol.asyncDispose]();
  }

  #newRecords(team: RoomState["team"], obstacle: Obstacle | null): RoomRecords {
    const { version } = packageJson;
    const { newEpoch } = this.#options;
    const directory = this.view.location;
    const epoch = newEpoch();
    const records = new RoomRecords({ epoch, version, directory, team, obstacle });
    records.onChange(() => this.#listeners.emit());
    return records;
  }

  #fail(error: unknown): void {
    const reason = reasonOf(error);
    this.#report(`Part of the team could not be read: ${reason}`);
  }

  #report(problem: string): void {
    if (!this.#updater) this.#unreported.push(problem);
    (this.#loading ?? this.#records).addProblem(problem);
  }
}

/** Why no team can be shown; undefined where that is not what has failed. */
function obstacleOf(error: unknown): Obstacle | undefined {
  if (error instanceof TeamError) {
    const { code, message, hint = null } = error;
    return { code, message, hint };
  }
  if (error instanceof Error && hasErrno(error, "EACCES", "EPERM", "ELOOP", "EISDIR", "ENOTDIR")) {
    return {
      code: "team-unusable",
      message: `The team's directory cannot be read: ${error.message}`,
      hint: "Check its permissions and its owner.",
    };
  }
  return undefined;
}
