import { TeamError } from "../errors.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { Clock } from "../lib/clock.ts";
import { type FilePath, within } from "../lib/file-path.ts";
import { MemoryRecords } from "../lib/memory-records.ts";
import type { ChangeReports, RecordStore } from "../lib/record-store.ts";
import type { Signer } from "../lib/signed-record.ts";
import { VersionedRecords } from "../lib/versioned-records.ts";
import type { DirectoryChanges } from "../lib/wake-source.ts";
import { outside, TaskId } from "../protocol/ids.ts";
import { Task } from "../protocol/task.ts";
import type {
  TaskBoard,
  TaskChange,
  TaskChangeOptions,
  TaskCompletion,
  TaskDraft,
  TaskPatch,
  TaskRelease,
} from "./task-board.ts";
import { type Board, findUnblocked, requireNoCircle, requireTask } from "./task-dependencies.ts";
import {
  claimableTasks,
  claimTask,
  isHeldBy,
  newTask,
  releaseTask,
  requireVersion,
  type TaskRule,
  updateTask,
} from "./task-rules.ts";

export interface TaskBoardOptions {
  clock: Clock;
  /** Boards with the same records are the same board (default: records in memory). */
  records?: RecordStore<Task>;
  /** Verifies what troupe wrote. Without it, for readers only, every record counts as it is. */
  signature?: Signer | undefined;
  /** Called once for each record that is not as troupe wrote it. */
  onEdit?: (id: TaskId) => void;
}

export interface FileTaskBoardOptions extends Omit<TaskBoardOptions, "records" | "onEdit"> {
  /** `tasks` in the team directory. */
  directory: FilePath;
  /** Reports changes of the directory. Without it, only changes made through this object are seen. */
  watch?: DirectoryChanges | undefined;
  /** Called once for each record that cannot be read. The others are not harmed. */
  onDamage(problem: string): void;
  /** Called once for each record that is not as troupe wrote it. */
  onEdit?: (problem: string) => void;
  /** Checks the lease under which this process writes: throws where it is lost. */
  check?: () => Promise<void>;
}

/** A board over records that any number of processes may read and change. */
export class StoredTaskBoard implements TaskBoard, AsyncDisposable {
  readonly #records: RecordStore<Task>;
  readonly #clock: Clock;
  readonly #signature: Signer | undefined;
  readonly #changes: ChangeReports<Task>;
  /** Each task as far as it can be believed: what has not changed is not verified again. */
  readonly #verified = new WeakMap<Task, Task>();
  readonly #onEdit: (id: TaskId) => void;
  readonly #reportedEdits = new Set<TaskId>();

  constructor({ records = new MemoryRecords(), clock, signature, onEdit }: TaskBoardOptions) {
    this.#records = records;
    this.#changes = records.changes(async (id) => (isTaskId(id) ? this.#read(id) : undefined));
    this.#clock = clock;
    this.#signature = signature;
    this.#onEdit = onEdit ?? (() => undefined);
  }

  /** A board in files that any process may look at and change, and that survives every crash. */
  static inFiles(options: FileTaskBoardOptions): StoredTaskBoard {
    const { directory, watch, onDamage, onEdit, check, clock, signature } = options;
    const now = () => clock.now();
    return new StoredTaskBoard({
      ...{ clock, signature },
      records: new VersionedRecords({
        ...{ directory, watch, onDamage, check, now },
        ...{ schema: () => Task, isEditable: true },
      }),
      onEdit: (id) => {
        const path = within(directory, `${id}.json`);
        onEdit?.(`${path} was not written by troupe: its content is used, but nobody holds it`);
      },
    });
  }

  /** Brings the files for people up to date. Only for the one process that runs the team. */
  repair(): Promise<void> {
    return this.#records.repair();
  }

  async create(draft: TaskDraft): Promise<Task> {
    const at = this.#clock.now();
    const board = await this.#board();
    const newest = (await this.#ids()).at(-1) ?? "0";
    for (let number = Number(newest) + 1; ; number++) {
      const task = newTask(board, draft, { id: TaskId.parse(String(number)), at });
      // Where another process has just taken the number, the next one may be free.
      if (await this.#commit(task)) return this.#changes.report(task);
    }
  }

  async get(id: TaskId): Promise<Task> {
    return (await this.#read(id)) ?? requireTask(await this.#board(), id);
  }

  async list(): Promise<Task[]> {
    return [...(await this.#board()).values()];
  }

  async claimable(): Promise<Task[]> {
    return claimableTasks(await this.#board());
  }

  async claim(id: TaskId, { version, ...change }: TaskChangeOptions): Promise<Task> {
    const at = this.#clock.now();
    const rule: TaskRule = (board, task) => claimTask(board, task, { ...change, at });
    return (await this.#change(id, rule, version)).after;
  }

  complete(id: TaskId, { result, ...change }: TaskCompletion): Promise<TaskChange> {
    return this.update(id, { status: "completed", result }, change);
  }

  async update(
    id: TaskId,
    patch: TaskPatch,
    { version, ...change }: TaskChangeOptions,
  ): Promise<TaskChange> {
    const at = this.#clock.now();
    const rule: TaskRule = (board, task) => updateTask(board, task, patch, { ...change, at });
    const { board: old, before, after: task } = await this.#change(id, rule, version);
    // Read again: of two blockers that end at the same moment, the later one must see both ends.
    const board = await this.#board();
    if (patch.blocked_by) await this.#requireNoCircle(board, before, task);
    return { task, unblocked: findUnblocked(old, board, id) };
  }

  async release(id: TaskId, release: TaskRelease): Promise<Task> {
    const at = this.#clock.now();
    return (await this.#change(id, (_, task) => releaseTask(task, release, at))).after;
  }

  async releaseAll(release: TaskRelease): Promise<Task[]> {
    const released: Task[] = [];
    for (const task of await this.list()) {
      if (isHeldBy(task, release.holder)) released.push(await this.release(task.id, release));
    }
    return released;
  }

  onChange(listener: (task: Task) => void): () => void {
    return this.#changes.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#changes[Symbol.asyncDispose]();
  }

  /** The task before and after the change, and the board by which it was decided. */
  async #change(
    id: TaskId,
    rule: TaskRule,
    version?: number,
  ): Promise<{ board: Board; before: Task; after: Task }> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const board = await this.#board();
      const before = requireTask(board, id);
      requireVersion(before, version);
      const after = rule(board, before);
      if (after === before) return { board, before, after };
      if (await this.#commit(after)) return { board, before, after: this.#changes.report(after) };
    }
    throw new TeamError("task-conflict", `Task ${id} keeps changing`, { hint: "Try again." });
  }

  /**
   * Takes a change back that closed a circle. A version guards one task only, so changes of two
   * tasks at the same moment can each be right and yet be wrong together: the later one sees it.
   */
  async #requireNoCircle(board: Board, before: Task, after: Task): Promise<void> {
    try {
      requireNoCircle(board, after.id);
    } catch (error) {
      const { blocked_by } = before;
      await this.#change(after.id, (_, task) => ({
        ...(task.version === after.version ? before : task),
        blocked_by,
        version: task.version + 1,
      }));
      throw error;
    }
  }

  async #board(): Promise<Board> {
    const stored = await this.#records.readAll(await this.#ids());
    return new Map(stored.map((task) => [task.id, this.#verify(task)]));
  }

  async #ids(): Promise<TaskId[]> {
    return (await this.#records.ids()).filter(isTaskId).sort((a, b) => Number(a) - Number(b));
  }

  #commit(task: Task): Promise<boolean> {
    return this.#records.commit(this.#signature ? sealTask(task, this.#signature) : task);
  }

  async #read(id: TaskId): Promise<Task | undefined> {
    const stored = await this.#records.read(id);
    return stored && this.#verify(stored);
  }

  #verify(stored: StoredTask): Task {
    const known = this.#verified.get(stored);
    if (known) return known;
    const { sig, ...task } = stored;
    const isOurs =
      !this.#signature ||
      (typeof sig === "string" && this.#signature.verify(sealedText(task), sig));
    if (!isOurs) this.#reportEdit(task.id);
    const verified = isOurs ? task : asOutsiders(task);
    this.#verified.set(stored, verified);
    return verified;
  }

  #reportEdit(id: TaskId): void {
    if (this.#reportedEdits.has(id) || this.#reportedEdits.size >= maxReportedEdits) return;
    this.#reportedEdits.add(id);
    this.#onEdit(id);
  }
}

/** A task that was written or edited by hand: nobody holds it, and the runtime gives it to nobody. */
function asOutsiders(task: Task): Task {
  const status = task.status === "in_progress" ? "pending" : task.status;
  return { ...task, status, owner: null, lease: null, created_by: outside };
}

/** Further edited files are not reported: it would be too much to read. */
const maxReportedEdits = 20;

/** How often a change is tried again because another writer was faster. */
const maxAttempts = 32;

/** A task as it is on record. The signature of one that was edited can be anything. */
interface StoredTask extends Task {
  sig?: unknown;
}

/** The task with a signature of everything in it but its version. */
export function sealTask(task: Task, signature: Signer): StoredTask {
  return { ...task, sig: signature.sign(sealedText(task)) };
}

/** The version is the name of its file, and may be another where that cannot be read. */
function sealedText({ version: _, ...task }: Task): string {
  return `task ${canonicalJson(task)}`;
}

function isTaskId(name: string): name is TaskId {
  return TaskId.safeParse(name).success;
}
