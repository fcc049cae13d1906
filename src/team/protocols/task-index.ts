import type { TaskId } from "../../protocol/ids.ts";
import type { Task } from "../../protocol/task.ts";
import type { TaskBoard } from "../../tasks/task-board.ts";

/** The tasks as they are, read once and then kept up to date by the changes the board reports. */
export class TaskIndex {
  readonly #board: TaskBoard;
  readonly #tasks = new Map<TaskId, Task>();
  #reading: Promise<void> | undefined;

  constructor(board: TaskBoard) {
    this.#board = board;
    board.onChange((task) => this.#keep(task));
  }

  /** Oldest first. */
  async all(): Promise<Task[]> {
    this.#reading ??= this.#read();
    await this.#reading;
    return [...this.#tasks.values()].sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** What waits for nothing, whoever it belongs to, and has not ended. */
  async startable(): Promise<Task[]> {
    const tasks = await this.all();
    const over = new Set(tasks.filter(isOver).map(({ id }) => id));
    return tasks.filter(
      ({ status, blocked_by }) =>
        status === "in_progress" ||
        (status === "pending" && blocked_by.every((id) => over.has(id))),
    );
  }

  async #read(): Promise<void> {
    for (const task of await this.#board.list()) this.#keep(task);
  }

  #keep(task: Task): void {
    const known = this.#tasks.get(task.id);
    if (!known || known.version <= task.version) this.#tasks.set(task.id, task);
  }
}

function isOver({ status }: Task): boolean {
  return status === "completed" || status === "cancelled";
}
