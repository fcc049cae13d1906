import type { MessageView, TaskView } from "../../../../src/protocol/dashboard.ts";
import { isNews } from "../../../../src/protocol/message-types.ts";
import type { KnownRoom } from "../../state/known-room.ts";
import { rankOf, type Status, statuses } from "../../state/tasks.ts";

const shownMessages = 7;
const shownTasks = 6;

/**
 * Newest first, without messages for the runtime only, and without lines that were set aside, which
 * have no time.
 */
export function newestMessages({ messages }: KnownRoom): MessageView[] {
  const newest: MessageView[] = [];
  for (let at = messages.length - 1; at >= 0 && newest.length < shownMessages; at--) {
    const message = messages[at];
    if (message && message.type !== "set-aside" && isNews(message)) newest.push(message);
  }
  return newest;
}

/** Tasks in progress first, then failed ones, open ones, and the latest completed ones. */
export function pressingTasks({ tasks }: KnownRoom): TaskView[] {
  const byUrgency = (a: TaskView, b: TaskView) =>
    rankOf(a.status) - rankOf(b.status) ||
    (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0);
  return [...tasks.values()].sort(byUrgency).slice(0, shownTasks);
}

/** The number of tasks of each status: `3 in progress, 12 completed`. */
export function taskLine({ tasks }: KnownRoom): string {
  const counts = new Map<Status, number>();
  for (const { status } of tasks.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return statuses
    .flatMap(({ status, word }) => {
      const count = counts.get(status);
      return count ? [`${count} ${word}`] : [];
    })
    .join(", ");
}
