import type { Clock } from "../lib/clock.ts";
import { MemoryRecords } from "../lib/memory-records.ts";
import { TaskId } from "../protocol/ids.ts";
import type { Task } from "../protocol/task.ts";
import type {
  Release,
  TaskBoard,
  TaskChange,
  TaskChangeOptions,
  TaskCompletion,
  TaskDraft,
  TaskPatch,
} from "./task-board.ts";
import { type Board, findUnblocked, requireTask } from "./task-dependencies.ts";
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

export interface MemoryTaskBoardOptions {
  clock: Clock;
  records?: MemoryRecords<TaskId, Task>;
}

/** A board for tests and single-process teams. Keeps every promise except surviving a crash. */
export class MemoryTaskBoard implements TaskBoard {
  readonly #clock: Clock;
  readonly #records: MemoryRecords<TaskId, Task>;

  /** Boards with the same `records` are the same board. */
  constructor({ clock, records = new MemoryRecords() }: MemoryTaskBoardOptions) {
    this.#clock = clock;
    this.#records = records;
  }

  async create(draft: TaskDraft): Promise<Task> {
    const id = TaskId.parse(String(this.#board.size + 1));
    return this.#records.put(newTask(this.#board, draft, { id, at: this.#clock.now() }));
  }

  async get(id: TaskId): Promise<Task> {
    return structuredClone(requireTask(this.#board, id));
  }

  async list(): Promise<Task[]> {
    return structuredClone([...this.#board.values()]);
  }

  async claimable(): Promise<Task[]> {
    return structuredClone(claimableTasks(this.#board));
  }

  async claim(id: TaskId, { version, ...change }: TaskChangeOptions): Promise<Task> {
    const at = this.#clock.now();
    return this.#change(id, (board, task) => claimTask(board, task, { ...change, at }), version);
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
    const before = this.#board;
    const rule: TaskRule = (board, task) => updateTask(board, task, patch, { ...change, at });
    const task = this.#change(id, rule, version);
    return { task, unblocked: structuredClone(findUnblocked(before, this.#board, id)) };
  }

  async release(id: TaskId, release: Release): Promise<Task> {
    return this.#release(id, release);
  }

  async releaseAll(release: Release): Promise<Task[]> {
    return [...this.#board.values()]
      .filter((task) => isHeldBy(task, release.holder))
      .map(({ id }) => this.#release(id, release));
  }

  onChange(listener: (task: Task) => void): () => void {
    return this.#records.listeners.add(listener);
  }

  #release(id: TaskId, release: Release): Task {
    const at = this.#clock.now();
    return this.#change(id, (_, task) => releaseTask(task, release, at));
  }

  #change(id: TaskId, rule: TaskRule, version?: number): Task {
    const current = requireTask(this.#board, id);
    requireVersion(current, version);
    const task = rule(this.#board, current);
    return task === current ? structuredClone(task) : this.#records.put(task);
  }

  get #board(): Board {
    return this.#records.byId;
  }
}
