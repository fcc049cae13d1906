import { z } from "zod";
import { TeamError } from "../../errors.ts";
import { RequestId, user } from "../../protocol/ids.ts";
import type { MessageDraft } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Requests } from "../../requests/requests.ts";

/** The person's answer to a request. `allow-always` adds the rule that the request suggests, if any. */
export interface PersonsAnswer {
  /** Whether what is asked may be done. */
  decision: "allow-once" | "allow-always" | "deny";
  /** What the member that asked is told. */
  reason?: string | undefined;
  /** The hash of exactly what the person was shown, where that may not be what is asked by now. */
  hash?: string | undefined;
}
export const PersonsAnswer = z.object({
  decision: z.enum(["allow-once", "allow-always", "deny"]),
  reason: z.string().optional(),
  hash: z.string().optional(),
}) satisfies z.ZodType<PersonsAnswer>;

/** A question that is put to the person, and open. Throws where there is none of this id. */
export async function findQuestion(
  requests: Pick<Requests, "get">,
  text: string,
): Promise<TeamRequest> {
  const id = RequestId.safeParse(text);
  if (!id.success) {
    throw new TeamError("request-unknown", `There is no request ${text}`, {
      hint: "`troupe approvals` lists the open requests.",
    });
  }
  const request = await requests.get(id.data);
  if (request.state !== "pending" || request.to !== user) throw notOpen(request);
  return request;
}

/**
 * The message with the person's answer to the member that asked. Every answer comes by mail, from
 * this process or another one.
 */
export function answerMessage(
  { id: request_id, type, hash: asked }: TeamRequest,
  { decision, reason, hash = asked }: PersonsAnswer,
): MessageDraft {
  if (type !== "plan") {
    return { type: "permission_response", from: user, request_id, decision, reason, hash };
  }
  return {
    type: "plan_approval_response",
    from: user,
    request_id,
    approve: decision !== "deny",
    ...(reason && { feedback: reason }),
    hash,
  };
}

function notOpen({ id, state, to }: TeamRequest): TeamError {
  const message =
    state === "pending"
      ? `Request ${id} is for '${to}' to decide`
      : `Request ${id} is already ${state}`;
  return new TeamError("request-refused", message, { hint: "It stays as it is." });
}
