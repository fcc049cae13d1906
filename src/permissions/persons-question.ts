import { user } from "../protocol/ids.ts";
import type { Request } from "../protocol/request.ts";

/** True for a request that waits for the person's answer. */
export function isForPerson({ state, to }: Request): boolean {
  return state === "pending" && to === user;
}

/** The rule that "always" adds. */
export function ruleOf({ subject }: Request): string | undefined {
  return typeof subject.rule === "string" ? subject.rule : undefined;
}
