import { lead, type MemberName } from "../../protocol/ids.ts";
import type { Request } from "../../protocol/request.ts";
import type { EventHub } from "../event-hub.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface RequestNewsOptions {
  hub: EventHub;
  post: Post;
  /** Shows in the roster what a member waits for. */
  showWaiting(name: MemberName, detail: string | undefined): void;
  onWarning(message: string): void;
}

/** Tells whoever watches of every question and answer, and puts questions to the person on record. */
export class RequestNews {
  readonly #options: RequestNewsOptions;

  constructor(options: RequestNewsOptions) {
    this.#options = options;
  }

  tell(request: Request): void {
    const { hub, showWaiting } = this.#options;
    const { id, type: request_type, from, state } = request;
    hub.say({ type: "request-change", member: from, id, request_type, state });
    if (request_type !== "permission") return;
    const isOpen = state === "pending";
    showWaiting(from, isOpen ? "waiting for approval" : undefined);
    if (isOpen && from !== lead) this.#passOn(request);
  }

  /** The question is on disk and whoever watches has been told: this is for the lead's mailbox. */
  #passOn({ id, from, subject, created_at }: Request): void {
    const { post, onWarning } = this.#options;
    const sending = post.send(lead, {
      id: messageIdFor(`permission ${id}`, new Date(created_at)),
      type: "permission_request",
      from,
      request_id: id,
      tool: String(subject.tool),
      input: subject.input,
      reason: String(subject.reason),
    });
    sending.catch((error: unknown) =>
      onWarning(
        `The request of '${from}' could not be put into the lead's mailbox: ${String(error)}`,
      ),
    );
  }
}
