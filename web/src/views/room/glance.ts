import type { MessageView, TaskView } from "../../../../src/protocol/dashboard.ts";
import type { Room } from "../../state/room.ts";

const shownMessages = 7;
const shownTasks = 6;

/** Newest first, without what the runtime alone is concerned with. */
export function newestMessages({ messages }: Room): MessageView[] {
  const newest: MessageView[] = [];
  for (let at = messages.length - 1; at >= 0 && newest.length < shownMessages; at--) {
    const message = messages[at];
    if (message && !quietTypes.has(message.type)) newest.push(message);
  }
  return newest;
}

const quietTypes: ReadonlySet<MessageView["type"]> = new Set<MessageView["type"]>([
  "idle_notification",
  "permission_request",
  "permission_response",
  "team_permission_update",
  "mode_set_request",
]);

export const taskWords: Readonly<Record<TaskView["status"], string>> = {
  in_progress: "in progress",
  failed: "failed",
  pending: "pending",
  completed: "completed",
  cancelled: "cancelled",
};

const urgency: readonly TaskView["status"][] = [
  "in_progress",
  "failed",
  "pending",
  "completed",
  "cancelled",
];

/** What is being worked on first, then what failed, what is open, and what was done last. */
export function pressingTasks({ tasks }: Room): TaskView[] {
  const byUrgency = (a: TaskView, b: TaskView) =>
    urgency.indexOf(a.status) - urgency.indexOf(b.status) ||
    (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0);
  return [...tasks.values()].sort(byUrgency).slice(0, shownTasks);
}

/** How many there are of each kind: `3 in progress, 12 completed`. */
export function taskLine({ tasks }: Room): string {
  const counts = new Map<TaskView["status"], number>();
  for (const { status } of tasks.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return urgency
    .flatMap((status) => {
      const count = counts.get(status);
      return count ? [`${count} ${taskWords[status]}`] : [];
    })
    .join(", ");
}
