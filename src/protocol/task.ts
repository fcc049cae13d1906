import { z } from "zod";
import { MemberName, RequestId, TaskId } from "./ids.ts";

export const TaskStatus = z.enum(["pending", "in_progress", "completed", "failed", "cancelled"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** One member's hold on one task. It outlives restarts and ends with the member or the work. */
export const TaskLease = z.object({
  holder: MemberName,
  since: z.iso.datetime(),
  /** The approved plan that ended with this claim; null where there was none. */
  ended_plan: RequestId.nullable().optional(),
});

export type TaskLease = z.infer<typeof TaskLease>;

/** A shared work item: `tasks/<id>.json`. Every change raises `version` by one. */
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
  /** How often the task was given up unfinished. */
  releases: z.int().nonnegative().default(0),
});
export type Task = z.infer<typeof Task>;
