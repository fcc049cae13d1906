import { z } from "zod";
import type { Isolation } from "../../protocol/checkout.ts";
import type { CronDraft, CronEntry } from "../../protocol/cron.ts";
import type { Effort } from "../../protocol/effort.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { SandboxMode } from "../../protocol/sandbox-mode.ts";
import { type Task, TaskStatus } from "../../protocol/task.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { ReceivedMail } from "../../protocol/transcript.ts";
import { FilledText, TaskReference } from "./inputs.ts";

/*
 * The operations on a team that the tools of one member can use. The member is fixed when the tools
 * are created, so no argument can pretend to be somebody else. A refusal is a `TeamError`, which
 * the model is shown with its hint.
 */

/** The operations of every member. */
export interface TeamAccess {
  roster(): Promise<TeamRecord>;
  /** Sends mail. The returned note, if there is one, says why it may not be read soon. */
  send(to: string, content: string): Promise<{ to: MemberName; note?: string | undefined }>;
  /** Mail that the member has not seen; the call's result shows it. */
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

export const NewTask = z.object({
  subject: FilledText,
  description: z.string().optional(),
  blocked_by: z.array(TaskReference).optional(),
  owner: FilledText.optional(),
});
export type NewTask = z.infer<typeof NewTask>;

export const TaskEdit = z.object({
  status: TaskStatus.optional(),
  /** `null` releases the task. */
  owner: FilledText.nullable().optional(),
  subject: FilledText.optional(),
  description: z.string().optional(),
  blocked_by: z.array(TaskReference).optional(),
  result: z.string().optional(),
});
export type TaskEdit = z.infer<typeof TaskEdit>;

/** The operations of the lead alone. */
export interface LeadAccess {
  /** Whether there are role files, or roles of the program, for teammates. */
  readonly hasRoles: boolean;
  /** Resolves to how many it was sent to. */
  broadcast(content: string): Promise<number>;
  spawn(request: SpawnRequest): Promise<SpawnedTeammate>;
  /** Resolves to why the waiting is over, in a sentence. */
  waitForTeammates(request: WaitRequest, signal: AbortSignal): Promise<string>;
  /** Resolves to the request, or to undefined if the teammate was ended by force. */
  requestShutdown(teammate: string, options: { force: boolean }): Promise<TeamRequest | undefined>;
  /**
   * Hands in a result that the program asked for: without an id, the only one. Throws if the request is
   * unknown, or the result wrong.
   */
  submitResult(id: string | undefined, value: unknown): Promise<void>;
  /** A requested shutdown; undefined for an unknown id. */
  findShutdown(id: string): Promise<TeamRequest | undefined>;
  /** Resolves to the plan's author. Throws if the request is unknown or already decided. */
  decidePlan(
    id: string,
    answer: { approve: boolean; feedback?: string | undefined },
  ): Promise<MemberName>;
}

/**
 * A teammate as it is asked for. What is left out of a request for a known name stays as it was; for a
 * new name it is as the lead's.
 */
export interface SpawnRequest {
  /** Up to 32 lower-case letters, digits, `_` and `-`, beginning with a letter. */
  name: string;
  /** What it does, in a word or two (default: the name of its `agent`). */
  role?: string | undefined;
  /** The name of a role, which says how it works and what it may do. What else is asked for never loosens that. */
  agent?: string | undefined;
  /** Its first message, which says all that it must know: it sees nothing of the lead's conversation. */
  prompt: string;
  /** Such as `anthropic/claude-…`. */
  model?: string | undefined;
  /** How much it thinks. */
  effort?: Effort | undefined;
  /** The names of its tools for work, beside those for mail and tasks (default: all). */
  tools?: readonly string[] | undefined;
  /** A text for its system prompt, which holds for all its work. Only the library gives one. */
  instructions?: string | undefined;
  /** Never wider than the lead's. */
  mode?: PermissionMode | undefined;
  /** Whether its commands run in a sandbox: never weaker than the lead's. */
  sandbox?: SandboxMode | undefined;
  /** Whether it works in the lead's directory, or in a checkout: a repository of its own. */
  isolation?: Isolation | undefined;
  /** Whether it may change nothing before its plan is approved. */
  planRequired?: boolean | undefined;
  /** Its workspace (default: the lead's). Only the library and the runtime choose one. */
  root?: string | undefined;
  /** The directory in its workspace where it works. */
  cwd?: string | undefined;
  /** Whether it forgets its history. */
  fresh?: boolean | undefined;
}

/** What the lead is told of a teammate that was spawned. */
interface SpawnedTeammate {
  name: MemberName;
  role: string;
  /** What its checkout lacks although it may be expected there. */
  notes?: readonly string[];
}

export interface WaitRequest {
  /** Default: everybody. */
  names: readonly string[] | undefined;
  mode: "all" | "any";
  timeoutMs: number;
}

/** The operations of a teammate alone. */
export interface TeammateAccess {
  /** Answers a shutdown request. Throws unless it is the member's own open one. */
  answerShutdown(
    id: string,
    answer: { approve: boolean; reason?: string | undefined },
  ): Promise<void>;
  /** Hands in a plan and closes the gate. Resolves to the request. */
  submitPlan(plan: string): Promise<TeamRequest>;
}

/** Scheduled prompts. */
export interface CronAccess {
  /** Throws if the pattern is invalid, or never matches. */
  schedule(draft: CronDraft): Promise<CronEntry>;
  list(): Promise<CronEntry[]>;
  /** Throws for an unknown id. */
  cancel(id: string): Promise<CronEntry>;
}
