import { lead, type MemberName } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { EventHub } from "../event-hub.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface ReportRequestOptions {
  hub: EventHub;
  post: Post;
  /** Shows in the roster what a member waits for. */
  showWaiting(name: MemberName, detail: string | undefined): void;
  onWarning(message: string): void;
}

/** Reports a question or its answer to observers, and a teammate's question by mail to the lead. */
export function reportRequest(
  request: TeamRequest,
  { hub, post, showWaiting, onWarning }: ReportRequestOptions,
): void {
  const { id, type: request_type, from, state, created_at } = request;
  hub.say({ type: "request-change", member: from, id, request_type, state });
  if (request.type !== "permission") return;
  const { tool, input, reason, host } = request.subject;
  const isOpen = state === "pending";
  showWaiting(from, isOpen ? "waiting for approval" : undefined);
  if (!isOpen || from === lead) return;
  const message = {
    id: messageIdFor(`permission ${id}`, new Date(created_at)),
    from,
    request_id: id,
  };
  const sending = post.send(
    lead,
    host === undefined
      ? { ...message, type: "permission_request", tool, input, reason }
      : { ...message, type: "sandbox_permission_request", host, reason },
  );
  sending.catch((error: unknown) =>
    onWarning(
      `The request of '${from}' could not be put into the lead's mailbox: ${String(error)}`,
    ),
  );
}
