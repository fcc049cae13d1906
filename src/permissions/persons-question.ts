import { user } from "../protocol/ids.ts";
import type { TeamRequest } from "../protocol/request.ts";

/** True for a request that waits for the person's answer. */
export function isForPerson({ state, to }: TeamRequest): boolean {
  return state === "pending" && to === user;
}

/** The rule that "always" adds. */
export function ruleOf(request: TeamRequest): string | undefined {
  return request.type === "permission" ? request.subject.rule : undefined;
}
