import type { Clock } from "../lib/clock.ts";
import { Listeners } from "../lib/listeners.ts";
import { TaskId } from "../protocol/ids.ts";
import type { Task } from "../protocol/task.ts";
import type {
  ChangeOptions,
  Completion,
  Release,
  TaskBoard,
  TaskChange,
  TaskDraft,
  TaskPatch,
} from "./task-board.ts";
import { type Board, findUnblocked, requireTask } from "./task-dependencies.ts";
import {
  claimableTasks,
  claimTask,
  isHeldBy,
  newTask,
  type Rule,
  releaseTask,
  requireVersion,
  updateTask,
} from "./task-rules.ts";

/** A board for tests and single-process teams. Keeps every promise except surviving a crash. */
export class MemoryTaskBoard implements TaskBoard {
  #board: Board = new Map();
  readonly #clock: Clock;
  readonly #listeners = new Listeners<Task>();

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  async create(draft: TaskDraft): Promise<Task> {
    const id = TaskId.parse(String(this.#board.size + 1));
    return this.#store(newTask(this.#board, draft, { id, at: this.#clock.now() }));
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

  async claim(id: TaskId, { by, version }: ChangeOptions): Promise<Task> {
    const at = this.#clock.now();
    return this.#change(id, (board, task) => claimTask(board, task, { by, at }), version);
  }

  complete(id: TaskId, { result, ...change }: Completion): Promise<TaskChange> {
    return this.update(id, { status: "completed", result }, change);
  }

  async update(id: TaskId, patch: TaskPatch, { by, version }: ChangeOptions): Promise<TaskChange> {
    const at = this.#clock.now();
    const before = this.#board;
    const rule: Rule = (board, task) => updateTask(board, task, patch, { by, at });
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
    return this.#listeners.add(listener);
  }

  #release(id: TaskId, release: Release): Task {
    const at = this.#clock.now();
    return this.#change(id, (_, task) => releaseTask(task, release, at));
  }

  #change(id: TaskId, rule: Rule, version?: number): Task {
    const current = requireTask(this.#board, id);
    requireVersion(current, version);
    const task = rule(this.#board, current);
    return task === current ? structuredClone(task) : this.#store(task);
  }

  #store(task: Task): Task {
    this.#board = new Map(this.#board).set(task.id, task);
    this.#listeners.emit(structuredClone(task));
    return structuredClone(task);
  }
}
