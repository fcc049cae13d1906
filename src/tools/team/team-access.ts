import type { CronEntry } from "../../protocol/cron.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { Request } from "../../protocol/request.ts";
import type { Task, TaskStatus } from "../../protocol/task.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { ReceivedMail } from "../../protocol/transcript.ts";

/*
 * What the tools of one member may ask of its team. Who asks is settled when the tools are made,
 * so no argument can pretend to be somebody else. A refusal is a `TeamError`, which the model is
 * shown with its hint.
 */

/** What every member may do. */
export interface TeamAccess {
  roster(): Promise<TeamRecord>;
  /** Leaves mail. The note, if there is one, says why it may not be read soon. */
  send(to: string, content: string): Promise<{ to: MemberName; note?: string | undefined }>;
  /** Mail that the member has not been shown, and will be by the call's result. */
  takeMail(): Promise<readonly ReceivedMail[]>;
}

/** The task board as one member uses it. Members that a change concerns are notified. */
export interface TaskAccess {
  create(draft: NewTask): Promise<Task>;
  list(): Promise<Task[]>;
  get(id: string): Promise<Task>;
  claim(id: string): Promise<Task>;
  /** Returns also the tasks that are no longer blocked. */
  complete(id: string, result: string | undefined): Promise<{ task: Task; unblocked: Task[] }>;
  update(id: string, change: TaskEdit): Promise<{ task: Task; unblocked: Task[] }>;
}

export interface NewTask {
  subject: string;
  description?: string | undefined;
  blocked_by?: readonly string[] | undefined;
  owner?: string | undefined;
}

export interface TaskEdit {
  status?: TaskStatus | undefined;
  /** `null` gives it up. */
  owner?: string | null | undefined;
  subject?: string | undefined;
  description?: string | undefined;
  blocked_by?: readonly string[] | undefined;
  result?: string | undefined;
}

/** What only the lead may do. */
export interface LeadAccess {
  /** Resolves to how many it was sent to. */
  broadcast(content: string): Promise<number>;
  spawn(request: SpawnRequest): Promise<{ name: MemberName; role: string }>;
  /** Resolves to why the waiting is over, in a sentence. */
  waitForTeammates(request: WaitRequest, signal: AbortSignal): Promise<string>;
  /** Resolves to the request, or to nothing where it was ended by force and nobody is asked. */
  requestShutdown(teammate: string, options: { force: boolean }): Promise<Request | undefined>;
  /** A requested shutdown; undefined for an unknown id. */
  findShutdown(id: string): Promise<Request | undefined>;
  /** Resolves to whose plan it was. Throws where it is unknown or already decided. */
  decidePlan(
    id: string,
    answer: { approve: boolean; feedback?: string | undefined },
  ): Promise<MemberName>;
}

export interface SpawnRequest {
  name: string;
  role: string;
  prompt: string;
  model?: string | undefined;
  tools?: readonly string[] | undefined;
  permission_mode?: PermissionMode | undefined;
  plan_required?: boolean | undefined;
  /** Its workspace; the lead's, where nothing is said. Only the library and the runtime choose one. */
  root?: string | undefined;
  cwd?: string | undefined;
  fresh?: boolean | undefined;
}

export interface WaitRequest {
  /** Default: everybody. */
  names: readonly string[] | undefined;
  mode: "all" | "any";
  timeoutMs: number;
}

/** What only a teammate may do. */
export interface TeammateAccess {
  /** Answers a shutdown request. Throws where it is not the member's own open one. */
  answerShutdown(
    id: string,
    answer: { approve: boolean; reason?: string | undefined },
  ): Promise<void>;
  /** Hands in a plan and closes the gate. Resolves to the request. */
  submitPlan(plan: string): Promise<Request>;
}

/** Prompts that come by the clock. */
export interface CronAccess {
  /** Throws where the pattern is invalid, or never matches. */
  schedule(entry: NewCron): Promise<CronEntry>;
  list(): Promise<CronEntry[]>;
  /** Throws for an unknown id. */
  cancel(id: string): Promise<CronEntry>;
}

export interface NewCron {
  cron: string;
  prompt: string;
  /** Default: the lead. */
  member: string | undefined;
  once: boolean;
  /** When it was asked for. */
  askedAt?: Date | undefined;
}
