import { z } from "zod";
import { MemberName, RequestId, TaskId } from "./ids.ts";

/** How far a task has got. A `failed` one may still be done by another member. */
export type TaskStatus = "pending" | "in_progress" | "completed" | "failed" | "cancelled";
export const TaskStatus = z.enum(["pending", "in_progress", "completed", "failed", "cancelled"]);

/** One member's hold on one task. It outlives restarts and ends with the member or the work. */
export interface TaskLease {
  /** Who works on the task. */
  holder: MemberName;
  /** When it was claimed: ISO 8601, in UTC. */
  since: string;
  /** The approved plan that ended with this claim; null where there was none. */
  ended_plan?: RequestId | null | undefined;
}
export const TaskLease = z.object({
  holder: MemberName,
  since: z.iso.datetime(),
  ended_plan: RequestId.nullable().optional(),
}) satisfies z.ZodType<TaskLease>;

/** A shared work item: `tasks/<id>.json`. Every change raises `version` by one. */
export interface Task {
  /** Its number, as a text. */
  id: TaskId;
  /** What is to be done, in one line. */
  subject: string;
  /** What is to be done, in full; empty if the subject says everything. */
  description: string;
  /** Its state. */
  status: TaskStatus;
  /** Who is to do it; null until somebody claims it or is given it. */
  owner: MemberName | null;
  /** The tasks that have to be completed or cancelled before. */
  blocked_by: TaskId[];
  /** What came of it; null until it is completed or has failed. */
  result: string | null;
  /** Who created it. */
  created_by: MemberName;
  /** When it was created: ISO 8601, in UTC. */
  created_at: string;
  /** When it was last changed: ISO 8601, in UTC. */
  updated_at: string;
  /** The number of its changes, counted from 1. A change names the version that it is based on. */
  version: number;
  /** The hold of the member that works on it; null while nobody does. */
  lease: TaskLease | null;
  /** How often the task was given up unfinished. */
  releases: number;
}
/** Fields that are not ours are kept. */
export const Task = z.looseObject({
  id: TaskId,
  subject: z.string().min(1),
  description: z.string().default(""),
  status: TaskStatus,
  owner: MemberName.nullable().default(null),
  blocked_by: z.array(TaskId).default([]),
  result: z.string().nullable().default(null),
  created_by: MemberName,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  version: z.int().positive(),
  lease: TaskLease.nullable().default(null),
  releases: z.int().nonnegative().default(0),
}) satisfies z.ZodType<Task>;
