import type { Message } from "./message.ts";

/** What concerns the runtime alone: no model is shown it. */
const hiddenTypes: ReadonlySet<string> = new Set<Message["type"]>([
  "permission_request",
  "permission_response",
  "team_permission_update",
  "mode_set_request",
  "sandbox_permission_request",
  "sandbox_permission_response",
]);

/** Whether a model is shown messages of this type. */
export function isShown({ type }: { type: string }): boolean {
  return !hiddenTypes.has(type);
}

/** Whether a person who looks on is told of it: not of that somebody is idle, which is seen anyway. */
export function isNews(message: { type: string }): boolean {
  return isShown(message) && message.type !== "idle_notification";
}
