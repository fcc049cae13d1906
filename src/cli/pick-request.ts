import { TeamError } from "../errors.ts";
import { summarizeCall } from "../lib/summarize-call.ts";
import { isForPerson } from "../permissions/persons-question.ts";
import type { TeamRequest } from "../protocol/request.ts";
import { oneLine } from "./render/one-line.ts";

/**
 * The open request to the person whose id starts with `beginning`. Throws if there is none or
 * several. An id is needed even for a single request, because another one may have replaced it
 * since the person looked. `all` must include decided requests: a short id may mean one of those.
 */
export function pickRequest(
  all: readonly TeamRequest[],
  beginning: string | undefined,
): TeamRequest {
  const open = all.filter(isForPerson);
  if (beginning === undefined) {
    throw open.length === 0
      ? new TeamError("request-unknown", "No request waits for your answer")
      : unclear("Which request? Give its id", open);
  }
  const start = beginning.toLowerCase();
  const [found, ...others] = all.filter(({ id }) => id.startsWith(start));
  if (!found) throw unknown(beginning, open);
  if (others.length > 0) throw unclear(`Several requests start with ${beginning}`, open);
  return openOnly(found);
}

function openOnly(request: TeamRequest): TeamRequest {
  if (isForPerson(request)) return request;
  const { id, type, state, from, to, decision } = request;
  if (state === "pending") {
    throw new TeamError("request-refused", `Request ${id} is for '${to}' to decide, not for you`, {
      hint:
        type === "plan"
          ? `Tell the lead what you think with \`troupe send ${to} "…"\`, or run the team with --plan-approval user.`
          : `It is a ${type} request of '${from}'. \`troupe approvals\` lists what waits for you.`,
    });
  }
  const when = decision ? ` by '${decision.by}' at ${decision.at}` : "";
  throw new TeamError("request-refused", `Request ${id} is already ${state}${when}`, {
    hint: "A decision is final. `troupe approvals` lists what waits for you.",
  });
}

function unknown(beginning: string, open: readonly TeamRequest[]): TeamError {
  return new TeamError("request-unknown", `No request starts with ${beginning}`, {
    hint: waiting(open),
  });
}

function unclear(message: string, open: readonly TeamRequest[]): TeamError {
  return new TeamError("usage-wrong", message, { hint: waiting(open) });
}

/** The open requests in a sentence, with enough of each to tell them apart. */
function waiting(requests: readonly TeamRequest[]): string {
  if (requests.length === 0) return "No request waits for your answer.";
  return `Waiting: ${requests.map((request) => `${request.id} (${briefly(request)})`).join(", ")}.`;
}

/** A question in a few words. */
export function briefly({ type, from, subject }: TeamRequest): string {
  if (type !== "permission") return `${type} of ${from}`;
  const { tool, input, summary = summarizeCall(tool, input) } = subject;
  return oneLine(`${from}: ${tool} ${summary}`, 60);
}
