import type { RecordedEnd } from "../../agent/runner.ts";
import { TeamError } from "../../errors.ts";
import { lead, type MemberName, type RequestId, system, TaskId } from "../../protocol/ids.ts";
import type { Task, TaskLease } from "../../protocol/task.ts";
import { openBlockers } from "../../protocol/task-state.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { TaskBoard, TaskChange } from "../../tasks/task-board.ts";
import type { Board } from "../../tasks/task-dependencies.ts";
import { claimableTasks, releaseTask } from "../../tasks/task-rules.ts";
import type { NewTask, TaskAccess, TaskEdit } from "../../tools/team/team-access.ts";
import { findRecipient } from "../find-member.ts";
import type { TaskReview } from "../hooks/team-hooks.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface TeamTasksOptions {
  board: TaskBoard;
  post: { send(...given: Parameters<Post["send"]>): Promise<unknown> };
  roster(): Promise<TeamRecord>;
  /** True while a member waits for an answer, and cannot continue a task. */
  isWaiting(name: MemberName): boolean;
  /** The approved plan of a member, which ends when it takes a task. */
  approvedPlanOf(name: MemberName): RequestId | undefined;
  /** Called when a member has taken a task. */
  onTaken(name: MemberName): Promise<void>;
  /** Called before a task is added or completed. Throws where hooks refuse that. */
  review(task: TaskReview): Promise<void>;
}

/** The part of a run that matters for the tasks of its member. */
export interface EndedRun {
  end: RecordedEnd;
  remindedOf: ReadonlySet<TaskId>;
}

/** The task board in use: sends mail to the members that a change concerns. */
export class TeamTasks {
  readonly #options: TeamTasksOptions;
  /** The tasks: read once, and then kept up to date by the changes that the board reports. */
  readonly #known = new Map<TaskId, Task>();
  #reading: Promise<void> | undefined;

  constructor(options: TeamTasksOptions) {
    this.#options = options;
    options.board.onChange((task) => this.#keep(task));
  }

  /** The tasks that the runtime may give to an idle member, oldest first. */
  async claimable(): Promise<Task[]> {
    return claimableTasks(await this.#all());
  }

  /** The board as one member uses it. */
  deskOf(by: MemberName): TaskAccess {
    const { board } = this.#options;
    return {
      create: (draft) => this.#create(by, draft),
      list: () => board.list(),
      get: async (id) => board.get(await this.#id(id)),
      claim: async (id) => this.claim(by, await this.#id(id)),
      complete: (id, result) => this.#complete(by, id, result),
      update: (id, edit) => this.#update(by, id, edit),
    };
  }

  async claim(by: MemberName, id: TaskId): Promise<Task> {
    const { board, onTaken, approvedPlanOf } = this.#options;
    const before = await board.get(id);
    const task = await board.claim(id, { by, endedPlan: approvedPlanOf(by) ?? null });
    if (task.version !== before.version) await onTaken(by);
    return task;
  }

  /** Gives a task that a member has just been given by the runtime into its hands. */
  async assign(task: Task, to: MemberName): Promise<void> {
    await this.#tell(task, { to, from: system, cause: "assigned" });
  }

  /**
   * A run has ended: a task that its member still holds is called to mind once, and taken back when
   * the run it was called to mind in ends so too. Done twice, it does no more than once.
   */
  async afterRun(name: MemberName, { end, remindedOf }: EndedRun): Promise<void> {
    if (end.outcome === "interrupted" || this.#options.isWaiting(name)) return;
    for (const task of await this.#heldBy(name)) {
      const isHopeless = end.outcome === "failed" || end.outcome === "budget";
      if (isHopeless || remindedOf.has(task.id)) await this.#release(task, name);
      else await this.#remind(task, name, end.reportId ?? "");
    }
  }

  /** The leases of the tasks that a member holds. */
  async leasesOf(name: MemberName): Promise<TaskLease[]> {
    return (await this.#heldBy(name)).flatMap(({ lease }) => lease ?? []);
  }

  /** For a start: an idle member that holds a task may not have received the mail about it. */
  async remindOfHeldTasks(name: MemberName): Promise<void> {
    for (const task of await this.#heldBy(name)) {
      await this.#remind(task, name, `version ${task.version}`);
    }
  }

  async releaseAll(holder: MemberName): Promise<void> {
    await this.#options.board.releaseAll({ holder, isCounted: false });
  }

  async #create(by: MemberName, { owner, blocked_by, ...draft }: NewTask): Promise<Task> {
    const assignee = owner === undefined ? undefined : await this.#member(owner);
    const { subject, description = "" } = draft;
    await this.#options.review({ change: "create", by, subject, description });
    const task = await this.#options.board.create({
      ...draft,
      created_by: by,
      blocked_by: blocked_by && (await this.#ids(blocked_by)),
      owner: assignee,
    });
    await this.#tellOwner(task, by);
    return task;
  }

  async #complete(by: MemberName, text: string, result: string | undefined) {
    const { board } = this.#options;
    const id = await this.#id(text);
    await this.#reviewEnd(by, await board.get(id));
    return this.#announce(await board.complete(id, { by, result }));
  }

  /** What has ended already, or is another one's, is the board's to refuse. */
  async #reviewEnd(by: MemberName, { id, status, owner, subject, description }: Task) {
    const isOver = status === "completed" || status === "cancelled";
    if (isOver || (owner !== by && owner !== null && by !== lead)) return;
    await this.#options.review({ change: "complete", by, id, subject, description });
  }

  async #update(by: MemberName, id: string, { owner, blocked_by, ...edit }: TaskEdit) {
    const { board, onTaken, approvedPlanOf } = this.#options;
    const taskId = await this.#id(id);
    const before = await board.get(taskId);
    const assignee = typeof owner === "string" ? await this.#member(owner) : owner;
    const patch = {
      ...edit,
      owner: assignee,
      blocked_by: blocked_by && (await this.#ids(blocked_by)),
    };
    if (edit.status === "completed") await this.#reviewEnd(by, before);
    const endedPlan = approvedPlanOf(assignee ?? before.owner ?? by) ?? null;
    const change = await board.update(taskId, patch, { by, endedPlan });
    const { task } = change;
    const wasHeld = before.status === "in_progress" && before.owner === task.owner;
    if (task.owner && task.status === "in_progress" && !wasHeld) await onTaken(task.owner);
    if (task.owner !== before.owner) await this.#tellOwner(task, by);
    return this.#announce(change);
  }

  /** Tells the owners of tasks that have just become free to start. */
  async #announce(change: TaskChange): Promise<TaskChange> {
    for (const task of change.unblocked) {
      if (task.owner && task.status === "pending") {
        await this.#tell(task, { to: task.owner, from: system, cause: "unblocked" });
      }
    }
    return change;
  }

  async #tellOwner(task: Task, by: MemberName): Promise<void> {
    if (!task.owner || task.owner === by) return;
    // The owner of a blocked task hears of it when the task can be started.
    if (await this.#isBlocked(task)) return;
    await this.#tell(task, { to: task.owner, from: by, cause: "assigned" });
  }

  async #tell(
    { id, subject, description, version, updated_at }: Task,
    { to, from, cause }: { to: MemberName; from: MemberName; cause: string },
  ): Promise<void> {
    await this.#sendUnlessGone(to, {
      id: messageIdFor(`task ${id} ${version} ${cause}`, new Date(updated_at)),
      type: "task_assignment",
      from,
      task_id: id,
      content: [`Task ${id} is yours: ${subject}`, description].filter(Boolean).join("\n\n"),
    });
  }

  async #remind({ id, subject, description, updated_at }: Task, to: MemberName, cause: string) {
    const text = `You still hold task ${id}: ${subject}. Complete it (complete_task), or give it up: update_task with status "failed" or "pending".`;
    await this.#sendUnlessGone(to, {
      id: messageIdFor(`task ${id} held by ${to} after ${cause}`, new Date(updated_at)),
      type: "message",
      from: system,
      task_id: id,
      content: [text, description].filter(Boolean).join("\n\n"),
    });
  }

  /** Sends mail about a task to its holder. A holder that has ended meanwhile loses the task. */
  async #sendUnlessGone(
    to: MemberName,
    draft: Parameters<Post["send"]>[1] & { task_id: TaskId },
  ): Promise<void> {
    try {
      await this.#options.post.send(to, draft);
    } catch (error) {
      const isGone = error instanceof TeamError && error.code.startsWith("member-");
      if (!isGone) throw error;
      // Its end may have released what it held before this was among it.
      await this.#options.board.release(draft.task_id, { holder: to, isCounted: false });
    }
  }

  /**
   * A task that fails by this is first reported to the lead: after a crash in between, the task is
   * as it was when the run is settled again, and the very same message is sent.
   */
  async #release(task: Task, holder: MemberName): Promise<void> {
    const release = { holder, isCounted: true };
    const { id, subject, updated_at } = task;
    const { status, result, version } = releaseTask(task, release, new Date(updated_at));
    if (status === "failed") {
      await this.#options.post.send(lead, {
        id: messageIdFor(`task ${id} ${version} failed`, new Date(updated_at)),
        type: "message",
        from: system,
        task_id: id,
        content: `Task ${id} has failed: ${result}. ${subject}`,
      });
    }
    await this.#options.board.release(id, release);
  }

  /** The unfinished tasks that a member could work on. */
  async #heldBy(name: MemberName): Promise<Task[]> {
    return (await this.#startable()).filter(({ owner }) => owner === name);
  }

  async #isBlocked({ id }: Task): Promise<boolean> {
    return !(await this.#startable()).some((task) => task.id === id);
  }

  /** The unblocked tasks of any owner that have not ended. */
  async #startable(): Promise<Task[]> {
    const board = await this.#all();
    return [...board.values()].filter(
      (task) =>
        task.status === "in_progress" ||
        (task.status === "pending" && openBlockers(board, task).length === 0),
    );
  }

  async #all(): Promise<Board> {
    this.#reading ??= this.#read();
    await this.#reading;
    return new Map([...this.#known].sort(([a], [b]) => Number(a) - Number(b)));
  }

  async #read(): Promise<void> {
    for (const task of await this.#options.board.list()) this.#keep(task);
  }

  #keep(task: Task): void {
    const known = this.#known.get(task.id);
    if (!known || known.version <= task.version) this.#known.set(task.id, task);
  }

  async #member(name: string): Promise<MemberName> {
    return findRecipient(await this.#options.roster(), name);
  }

  async #ids(texts: readonly string[]): Promise<TaskId[]> {
    return Promise.all(texts.map((text) => this.#id(text)));
  }

  async #id(text: string): Promise<TaskId> {
    const id = TaskId.safeParse(text.replace(/^#/, ""));
    if (id.success) return id.data;
    const known = (await this.#options.board.list()).map((task) => task.id).slice(-20);
    throw new TeamError("task-unknown", `There is no task '${text}'`, {
      hint: known.length > 0 ? `Tasks: ${known.join(", ")}.` : "There are no tasks yet.",
    });
  }
}
