import { firstCharacters } from "../../lib/cut-text.ts";
import { Listeners } from "../../lib/listeners.ts";
import type {
  LandingView,
  MemberView,
  Obstacle,
  RequestView,
  RoomChange,
  RoomState,
  RuleView,
  TaskView,
} from "../../protocol/dashboard.ts";
import { MessageWindow } from "./message-window.ts";
import { RecordTable } from "./record-table.ts";

export interface RecordsOptions {
  /**
   * The name of this set of records: a page that has records of another name gets all of them
   * again.
   */
  epoch: string;
  version: string;
  directory: string;
  team: RoomState["team"];
  obstacle: Obstacle | null;
}

const maxProblems = 50;
const maxProblemCharacters = 2_000;

/**
 * Everything that is known of a team, each record with the revision at which it last changed: a
 * page at a given revision lacks exactly the newer records, however long it was away.
 */
export class RoomRecords {
  readonly members = new RecordTable<MemberView>(({ name }) => name);
  readonly tasks = new RecordTable<TaskView>(({ id }) => id);
  readonly requests = new RecordTable<RequestView>(({ id }) => id);
  readonly messages = new MessageWindow();
  readonly #options: RecordsOptions;
  readonly #grown = new Map<string, number>();
  readonly #listeners = new Listeners<void>();
  /** Problems that a person should know of, each once, the newest last. */
  #problems: readonly string[] = [];
  #rules: readonly RuleView[] = [];
  #rulesRevision = 0;
  #landings: readonly LandingView[] = [];
  #landingsRevision = 0;
  #running: RoomState["running"] = null;
  #runningRevision = 0;
  #problemsRevision = 0;
  #revision = 1;
  #renewals = 0;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  get epoch(): string {
    return this.#renewals === 0 ? this.#options.epoch : `${this.#options.epoch}-${this.#renewals}`;
  }

  get revision(): number {
    return this.#revision;
  }

  get running(): RoomState["running"] {
    return this.#running;
  }

  /** Calls `listener` after every change. Returns how to stop it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  setRunning(running: RoomState["running"]): boolean {
    if (JSON.stringify(running) === JSON.stringify(this.#running)) return false;
    this.#running = running;
    this.#runningRevision = this.#next();
    return true;
  }

  setRules(rules: readonly RuleView[]): void {
    if (JSON.stringify(rules) === JSON.stringify(this.#rules)) return;
    this.#rules = rules;
    this.#rulesRevision = this.#next();
  }

  setLandings(landings: readonly LandingView[]): void {
    if (JSON.stringify(landings) === JSON.stringify(this.#landings)) return;
    this.#landings = landings;
    this.#landingsRevision = this.#next();
  }

  /** Puts a record into one of the tables of this object. */
  set<T>(table: { set(record: T, revision: number): boolean }, record: T): void {
    if (table.set(record, this.#revision + 1)) this.#next();
  }

  addProblem(whole: string): void {
    const text = firstCharacters(whole, maxProblemCharacters);
    if (this.#problems.includes(text)) return;
    this.#problems = [...this.#problems, text].slice(-maxProblems);
    this.#problemsRevision = this.#next();
  }

  /** A member's transcript has more than before. */
  grow(member: string): void {
    this.#grown.set(member, this.#next());
  }

  /** Drops removed records. A change cannot express that, so every page gets everything again. */
  keepOnly(table: Pick<RecordTable<unknown>, "keepOnly">, keys: ReadonlySet<string>): void {
    if (!table.keepOnly(keys)) return;
    this.#renewals += 1;
    this.#next();
  }

  state(): RoomState {
    const { version, directory, team, obstacle } = this.#options;
    return {
      ...{ version, directory, team, obstacle, running: this.#running },
      members: this.members.values(),
      tasks: this.tasks.values(),
      requests: this.requests.values(),
      rules: this.#rules,
      landings: this.#landings,
      messages: this.messages.values(),
      problems: this.#problems,
    };
  }

  since(revision: number): RoomChange {
    const change: RoomChange = {};
    if (this.#runningRevision > revision) change.running = this.#running;
    if (this.#problemsRevision > revision) change.problems = this.#problems;
    if (this.#rulesRevision > revision) change.rules = this.#rules;
    if (this.#landingsRevision > revision) change.landings = this.#landings;
    const members = this.members.since(revision);
    if (members.length > 0) change.members = members;
    const tasks = this.tasks.since(revision);
    if (tasks.length > 0) change.tasks = tasks;
    const requests = this.requests.since(revision);
    if (requests.length > 0) change.requests = requests;
    const messages = this.messages.since(revision);
    if (messages.length > 0) change.messages = messages;
    const grown = [...this.#grown].flatMap(([name, at]) => (at > revision ? [name] : []));
    if (grown.length > 0) change.grown = grown;
    return change;
  }

  #next(): number {
    this.#revision += 1;
    this.#listeners.emit();
    return this.#revision;
  }
}
