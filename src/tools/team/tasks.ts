import { z } from "zod";
import { coordinationTool } from "./coordination-tool.ts";
import { NoInput, TaskReference } from "./inputs.ts";
import { onOneLine } from "./on-one-line.ts";
import { blockedBy, taskList, taskState, unblockedLine } from "./task-text.ts";
import { NewTask, type TaskAccess, TaskEdit } from "./team-access.ts";

interface TaskToolAccess {
  tasks: TaskAccess;
}

const createTask = coordinationTool({
  name: "create_task",
  description: "Share out work: idle teammates take unowned, unblocked tasks.",
  input: NewTask,
  async answer(draft, { tasks }: TaskToolAccess) {
    const { id, subject, blocked_by, owner } = await tasks.create(draft);
    const ownedBy = owner ? `, owned by ${owner}` : "";
    return `Created task ${id}: ${onOneLine(subject)}${blockedBy(blocked_by)}${ownedBy}`;
  },
});

const listTasks = coordinationTool({
  name: "list_tasks",
  description: "All tasks.",
  input: NoInput,
  answer: async (_, { tasks }: TaskToolAccess) => taskList(await tasks.list()),
});

const TaskIdInput = z.object({ task_id: TaskReference });

const getTask = coordinationTool({
  name: "get_task",
  description: "A task in full.",
  input: TaskIdInput,
  answer: async ({ task_id: id }, { tasks }: TaskToolAccess) => JSON.stringify(await tasks.get(id)),
});

const claimTask = coordinationTool({
  name: "claim_task",
  description: "Take a task before working on it.",
  input: TaskIdInput,
  async answer({ task_id }, { tasks }: TaskToolAccess) {
    const { id, subject, description } = await tasks.claim(task_id);
    return `Claimed task ${id}: ${onOneLine(subject)}${description ? `\n${description}` : ""}`;
  },
});

const completeTask = coordinationTool({
  name: "complete_task",
  description: "Finish a task.",
  input: z.object({ task_id: TaskReference, result: z.string().optional() }),
  async answer({ task_id: id, result }, { tasks }: TaskToolAccess) {
    const { task, unblocked } = await tasks.complete(id, result);
    return `Completed task ${task.id}${unblockedLine(unblocked)}`;
  },
});

const updateTask = coordinationTool({
  name: "update_task",
  description: "Edit, fail (result says why), hand over or release (owner null) a task.",
  input: z
    .object({ task_id: TaskReference, ...TaskEdit.shape })
    .refine(
      ({ task_id: _, ...change }) => Object.values(change).some((value) => value !== undefined),
      "give what is to change: status, owner, subject, description, blocked_by or result",
    ),
  async answer({ task_id: id, ...change }, { tasks }: TaskToolAccess) {
    const { task, unblocked } = await tasks.update(id, change);
    // Some of the earlier blockers may be completed, which the task alone does not show.
    const blockers = change.blocked_by ? task.blocked_by : [];
    return `Updated task ${task.id}: ${taskState(task, blockers)}${unblockedLine(unblocked)}`;
  },
});

export const taskTools = {
  create_task: createTask,
  list_tasks: listTasks,
  get_task: getTask,
  claim_task: claimTask,
  complete_task: completeTask,
  update_task: updateTask,
};
