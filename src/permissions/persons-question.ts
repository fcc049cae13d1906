import { user } from "../protocol/ids.ts";
import type { TeamRequest } from "../protocol/request.ts";

/** True for a request that waits for the person's answer. */
export function isForPerson({ state, to }: TeamRequest): boolean {
  return state === "pending" && to === user;
}

/** What the call would do, in the words of its tool. */
export function summaryOf({ subject }: Pick<TeamRequest, "subject">): string | undefined {
  return typeof subject.summary === "string" ? subject.summary : undefined;
}

/** The rule that "always" adds. */
export function ruleOf({ subject }: TeamRequest): string | undefined {
  return typeof subject.rule === "string" ? subject.rule : undefined;
}
