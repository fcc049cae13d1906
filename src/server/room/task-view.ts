import type { TaskView } from "../../protocol/dashboard.ts";
import type { Task } from "../../protocol/task.ts";

export function taskView(task: Task): TaskView {
  const { id, subject, description, status, owner, blocked_by, result } = task;
  const { created_by, created_at, updated_at } = task;
  return {
    ...{ id, subject, description, status, owner, blocked_by, result },
    ...{ created_by, created_at, updated_at },
  };
}
