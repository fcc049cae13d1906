import { z } from "zod";
import { TaskStatus } from "../../protocol/task.ts";
import type { Tool } from "../tool.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText, NoInput, TaskReference } from "./inputs.ts";
import { onOneLine } from "./on-one-line.ts";
import { blockedBy, taskList, taskState, unblockedLine } from "./task-text.ts";
import type { TaskAccess } from "./team-access.ts";

/** The tools of the team's task board. */
export function taskTools(desk: { tasks: TaskAccess }): Tool[] {
  return [
    createTaskTool(desk),
    listTasksTool(desk),
    getTaskTool(desk),
    claimTaskTool(desk),
    completeTaskTool(desk),
    updateTaskTool(desk),
  ];
}

const CreateTaskInput = z.object({
  subject: FilledText,
  description: z.string().optional(),
  blocked_by: z.array(TaskReference).optional(),
  owner: FilledText.optional(),
});

function createTaskTool({ tasks }: { tasks: TaskAccess }): Tool {
  return coordinationTool({
    name: "create_task",
    description: "Share out work: idle teammates take unowned, unblocked tasks.",
    input: CreateTaskInput,
    async answer(draft) {
      const { id, subject, blocked_by, owner } = await tasks.create(draft);
      const ownedBy = owner ? `, owned by ${owner}` : "";
      return `Created task ${id}: ${onOneLine(subject)}${blockedBy(blocked_by)}${ownedBy}`;
    },
  });
}

function listTasksTool({ tasks }: { tasks: TaskAccess }): Tool {
  return coordinationTool({
    name: "list_tasks",
    description: "All tasks.",
    input: NoInput,
    answer: async () => taskList(await tasks.list()),
  });
}

const TaskIdInput = z.object({ task_id: TaskReference });

function getTaskTool({ tasks }: { tasks: TaskAccess }): Tool {
  return coordinationTool({
    name: "get_task",
    description: "A task in full.",
    input: TaskIdInput,
    answer: async ({ task_id: id }) => JSON.stringify(await tasks.get(id)),
  });
}

function claimTaskTool({ tasks }: { tasks: TaskAccess }): Tool {
  return coordinationTool({
    name: "claim_task",
    description: "Take a task before working on it.",
    input: TaskIdInput,
    async answer({ task_id }) {
      const { id, subject, description } = await tasks.claim(task_id);
      return `Claimed task ${id}: ${onOneLine(subject)}${description ? `\n${description}` : ""}`;
    },
  });
}

const CompleteTaskInput = z.object({ task_id: TaskReference, result: z.string().optional() });

function completeTaskTool({ tasks }: { tasks: TaskAccess }): Tool {
  return coordinationTool({
    name: "complete_task",
    description: "Finish a task.",
    input: CompleteTaskInput,
    async answer({ task_id: id, result }) {
      const { task, unblocked } = await tasks.complete(id, result);
      return `Completed task ${task.id}${unblockedLine(unblocked)}`;
    },
  });
}

const TaskUpdate = z
  .object({
    task_id: TaskReference,
    status: TaskStatus.optional(),
    owner: FilledText.nullable().optional(),
    subject: FilledText.optional(),
    description: z.string().optional(),
    blocked_by: z.array(TaskReference).optional(),
    result: z.string().optional(),
  })
  .refine(
    ({ task_id: _, ...change }) => Object.values(change).some((value) => value !== undefined),
    "give what is to change: status, owner, subject, description, blocked_by or result",
  );

function updateTaskTool({ tasks }: { tasks: TaskAccess }): Tool {
  return coordinationTool({
    name: "update_task",
    description: "Edit, fail (result says why), hand over or release (owner null) a task.",
    input: TaskUpdate,
    async answer({ task_id: id, ...change }) {
      const { task, unblocked } = await tasks.update(id, change);
      // Some of the earlier blockers may be completed, which the task alone does not show.
      const blockers = change.blocked_by ? task.blocked_by : [];
      return `Updated task ${task.id}: ${taskState(task, blockers)}${unblockedLine(unblocked)}`;
    },
  });
}
