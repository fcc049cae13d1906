import type { TeamRequest } from "../../protocol/request.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import { oneLine } from "./one-line.ts";

/** What the person has answered, in words. */
export function answerText(
  { from, type }: Pick<TeamRequest, "from" | "type">,
  { decision, reason }: PersonsAnswer,
): string {
  const why = reason ? `: ${oneLine(reason)}` : "";
  if (type === "plan") {
    return `${decision === "deny" ? "rejected" : "approved"} the plan of ${from}${why}`;
  }
  switch (decision) {
    case "allow-once":
      return `allowed ${from} once${why}`;
    case "allow-always":
      return `allowed ${from} from now on${why}`;
    case "deny":
      return `denied ${from}${why}`;
  }
}

/** What has become of a question that was not answered in this talk; undefined while it is open. */
export function elsewhereText(request: TeamRequest): string | undefined {
  const { from, state, decision } = request;
  switch (state) {
    case "pending":
      return undefined;
    case "approved": {
      const allowed = decision?.rule === undefined ? "allow-once" : "allow-always";
      return `${answerText(request, { decision: allowed })}, from another shell or the dashboard`;
    }
    case "rejected":
      return `${answerText(request, { decision: "deny" })}, from another shell or the dashboard`;
    case "expired":
    case "cancelled":
      return `the question of ${from} was withdrawn`;
  }
}
