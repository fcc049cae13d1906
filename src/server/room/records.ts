import { Listeners } from "../../lib/listeners.ts";
import type {
  MemberView,
  MessageView,
  Obstacle,
  RequestView,
  RoomChange,
  RoomState,
  TaskView,
} from "../../protocol/dashboard.ts";
import { Keyed } from "./keyed.ts";
import { MessageWindow } from "./message-window.ts";
import { Problems } from "./problems.ts";

export interface RecordsOptions {
  /** Another one, other records: whoever has something of an earlier one begins anew. */
  epoch: string;
  version: string;
  directory: string;
  team: RoomState["team"];
  obstacle: Obstacle | null;
}

/**
 * What is known of a team, with the revision at which each piece last changed: whoever has got to a
 * revision lacks exactly what is newer, however long it was away.
 */
export class RoomRecords {
  readonly #options: RecordsOptions;
  readonly #members = new Keyed<MemberView>();
  readonly #tasks = new Keyed<TaskView>();
  readonly #requests = new Keyed<RequestView>();
  readonly #messages = new MessageWindow();
  readonly #problems = new Problems();
  readonly #grown = new Map<string, number>();
  readonly #listeners = new Listeners<void>();
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

  setMember(member: MemberView): void {
    if (this.#members.set(member.name, member, this.#revision + 1)) this.#next();
  }

  setTask(task: TaskView): void {
    if (this.#tasks.set(task.id, task, this.#revision + 1)) this.#next();
  }

  setRequest(request: RequestView): void {
    if (this.#requests.set(request.id, request, this.#revision + 1)) this.#next();
  }

  setMessage(message: MessageView): void {
    if (this.#messages.set(message, this.#revision + 1)) this.#next();
  }

  addProblem(text: string): void {
    if (this.#problems.add(text)) this.#problemsRevision = this.#next();
  }

  /** A member's transcript has more than before. */
  grow(member: string): void {
    this.#grown.set(member, this.#next());
  }

  message(id: string): MessageView | undefined {
    return this.#messages.get(id);
  }

  request(id: string): RequestView | undefined {
    return this.#requests.get(id);
  }

  requests(): RequestView[] {
    return this.#requests.values();
  }

  tasks(): TaskView[] {
    return this.#tasks.values();
  }

  /** Forgets what is gone. A change cannot say that, so everybody is told everything anew. */
  keepOnly(kind: "members" | "tasks" | "requests", keys: ReadonlySet<string>): void {
    const records = { members: this.#members, tasks: this.#tasks, requests: this.#requests }[kind];
    const gone = records.keys().filter((key) => !keys.has(key));
    if (gone.length === 0) return;
    for (const key of gone) records.delete(key);
    this.#renewals += 1;
    this.#next();
  }

  state(): RoomState {
    const { version, directory, team, obstacle } = this.#options;
    return {
      ...{ version, directory, team, obstacle, running: this.#running },
      members: this.#members.values(),
      tasks: this.#tasks.values(),
      requests: this.#requests.values(),
      messages: this.#messages.values(),
      problems: this.#problems.texts,
    };
  }

  /** What has changed since `revision`. */
  since(revision: number): RoomChange {
    const change: RoomChange = {};
    if (this.#runningRevision > revision) change.running = this.#running;
    if (this.#problemsRevision > revision) change.problems = this.#problems.texts;
    const members = this.#members.since(revision);
    if (members.length > 0) change.members = members;
    const tasks = this.#tasks.since(revision);
    if (tasks.length > 0) change.tasks = tasks;
    const requests = this.#requests.since(revision);
    if (requests.length > 0) change.requests = requests;
    const messages = this.#messages.since(revision);
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
