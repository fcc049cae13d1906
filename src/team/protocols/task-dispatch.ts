import { TeamError } from "../../errors.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Task } from "../../protocol/task.ts";
import type { TaskBoard } from "../../tasks/task-board.ts";
import { Loop } from "../members/loop.ts";
import type { TeamTasks } from "./team-tasks.ts";

export interface TaskDispatchOptions {
  board: TaskBoard;
  tasks: TeamTasks;
  /** The teammates that have nothing to do and may take a task, longest idle first. */
  idle(): readonly MemberName[];
  /** Called whenever there may be no task left to give out. */
  onSleep(): void;
  onWarning(message: string): void;
}

/** Gives open tasks to idle teammates: first the claim is written, then the mail is sent. */
export class TaskDispatch {
  readonly #options: TaskDispatchOptions;
  readonly #loop: Loop;
  readonly #stopListening: () => void;

  constructor(options: TaskDispatchOptions) {
    this.#options = options;
    this.#loop = new Loop({
      work: () => this.#dispatch(),
      onSleep: options.onSleep,
      onCrash: (error) => options.onWarning(`Tasks could not be assigned: ${String(error)}`),
    });
    this.#stopListening = options.board.onChange(() => this.#loop.wake());
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  get isAsleep(): boolean {
    return this.#loop.isAsleep;
  }

  async stop(): Promise<void> {
    this.#stopListening();
    await this.#loop.stop();
  }

  async #dispatch(): Promise<boolean> {
    const { idle, tasks } = this.#options;
    if (idle().length === 0) return false;
    const [task] = await tasks.claimable();
    const [member] = idle();
    if (!task || !member) return false;
    return this.#give(task, member);
  }

  /** False where another claim was first or the task has changed: that change is a wake of its own. */
  async #give(task: Task, to: MemberName): Promise<boolean> {
    const { tasks } = this.#options;
    try {
      await tasks.assign(await tasks.claim(to, task.id), to);
      return true;
    } catch (error) {
      if (!(error instanceof TeamError) || !error.code.startsWith("task-")) throw error;
      return false;
    }
  }
}
