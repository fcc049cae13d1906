import { TeamError } from "../errors.ts";
import { type MemberName, type MessageId, RequestId } from "../protocol/ids.ts";
import type {
  PermissionRequest,
  PlanRequest,
  RequestState,
  RequestType,
  ResultRequest,
  ShutdownRequest,
  TeamRequest,
} from "../protocol/request.ts";

/**
 * The questions of a team's protocols and their answers. Any process may ask and answer.
 *
 * Every backend promises, and src/testing/conformance/requests.ts checks, that:
 * - once `open` resolves, the question survives a crash, pending, with the hash of its subject;
 * - only `to` approves or rejects, only that hash, and only while the request is pending: of
 *   several answers one counts, and the others are refused;
 * - `system` alone expires a request, and `system` or `from` cancels it;
 * - a decision counts only if troupe signed it; without one that counts the request is pending,
 *   whatever its record says, and can still be decided;
 * - a request that is not as it was asked can be cancelled or expire, and nothing else;
 * - a refused change changes nothing. It throws `request-unknown` or `request-refused`.
 */
export interface Requests {
  /** Asks a question, and resolves to it with its id, time and hash. */
  open(draft: RequestDraft): Promise<TeamRequest>;
  /** Throws `request-unknown` where there is none. */
  get(id: RequestId): Promise<TeamRequest>;
  /** Oldest first; those that one process has opened in the order in which it did. */
  list(filter?: RequestFilter): Promise<TeamRequest[]>;
  /** Approves or rejects a request, and resolves to it as it is then. */
  decide(id: RequestId, answer: RequestAnswer): Promise<TeamRequest>;
  /** Nobody answered in time, or nobody is there to. */
  expire(id: RequestId, reason?: string): Promise<TeamRequest>;
  /** Withdraws a request, and resolves to it as it is then. */
  cancel(id: RequestId, by: MemberName, reason?: string): Promise<TeamRequest>;
  /**
   * Calls `listener` after each change, of this process or another one; one that
   * throws breaks no change. Returns how to stop it.
   */
  onChange(listener: (request: TeamRequest) => void): () => void;
}

/** The requests to list. */
export interface RequestFilter {
  /** Only requests in this state (default: in any). */
  state?: RequestState;
  /** Only requests of this type (default: of any). */
  type?: RequestType;
  /** Only requests that this member made (default: anybody). */
  from?: MemberName;
}

/** A request before it has an id, a time and a signature. */
export type RequestDraft =
  | Pick<PlanRequest, DraftField>
  | Pick<PermissionRequest, DraftField>
  | Pick<ShutdownRequest, DraftField>
  | Pick<ResultRequest, DraftField>;
type DraftField = "type" | "from" | "to" | "subject" | "replaces";

/** A decision about a request. */
export interface RequestAnswer {
  /** The member, or the person, who decides: the request's `to`. */
  by: MemberName;
  /** The state that the request gets. */
  state: "approved" | "rejected";
  /** Of the subject that `by` was shown. */
  hash: string;
  /** Why, for the member that asked. */
  reason?: string | undefined;
  /** The rule that allows such calls from now on. */
  rule?: string | undefined;
  /** The value that a `result` asks for, as JSON. */
  value?: unknown;
  /** The message that brought the answer. */
  cause?: MessageId | undefined;
}

/** The request with this id; undefined where there is none. */
export async function findRequest(
  requests: Pick<Requests, "get">,
  text: string,
): Promise<TeamRequest | undefined> {
  const id = RequestId.safeParse(text);
  if (!id.success) return undefined;
  try {
    return await requests.get(id.data);
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "request-unknown") throw error;
    return undefined;
  }
}

/** Waits for a change of a request that may have been decided at the same moment. */
export async function unlessDecided(change: Promise<TeamRequest>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "request-refused") throw error;
  }
}
