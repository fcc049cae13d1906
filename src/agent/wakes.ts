import { lead } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";

/** Whether mail is worth a run of its own, at once. */
export function wakes(message: Message): boolean {
  switch (message.type) {
    case "message":
    case "broadcast":
    case "task_assignment":
    case "plan_approval_request":
    case "plan_approval_response":
      return true;
    case "shutdown_request":
      // The person's stop of everybody, which the runtime carries out: the lead itself stays.
      return message.to !== lead;
    case "result":
      return !message.woken_by_peers && message.outcome !== "interrupted";
    case "shutdown_response":
      return !message.approve;
    case "teammate_terminated":
      return !message.expected;
    case "idle_notification":
    case "permission_request":
    case "permission_response":
    case "team_permission_update":
    case "mode_set_request":
    case "sandbox_permission_request":
    case "sandbox_permission_response":
      return false;
  }
}

/** Whether mail is worth a run once nobody works any more, at the latest. */
export function wakesInTheEnd(message: Message): boolean {
  return message.type === "result" && message.outcome !== "interrupted";
}
