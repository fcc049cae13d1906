import { ruleOf } from "../../permissions/persons-question.ts";
import type { Request } from "../../protocol/request.ts";
import { describeCall } from "./call.ts";
import { indented } from "./lines.ts";
import { localTime } from "./local-time.ts";
import { oneLine } from "./one-line.ts";
import { paintFor } from "./paint.ts";
import { shown } from "./shown.ts";

/** A request to the person: who asks, what exactly, and how to answer. */
export function approvalLines(request: Request): string[] {
  const { id, type, from, created_at, subject } = request;
  const rule = ruleOf(request);
  return [
    `${id}  ${type} of ${from}, since ${localTime(new Date(created_at))}`,
    ...indented(whatIsAsked(request), 4),
    ...(typeof subject.reason === "string" ? [`  asked because ${oneLine(subject.reason)}`] : []),
    `  troupe approve ${id}`,
    ...(rule
      ? [`  troupe approve ${id} --always`, `      allows ${oneLine(rule)} from now on`]
      : []),
    `  troupe deny ${id} --reason "…"`,
  ];
}

/** Plans that the lead decides, for information. */
export function plansForLead(requests: readonly Request[]): string[] {
  if (requests.length === 0) return [];
  return [
    "",
    "For the lead to decide:",
    ...requests.flatMap((request) => [
      `${request.id}  plan of ${request.from}, since ${localTime(new Date(request.created_at))}`,
      ...indented(whatIsAsked(request), 4),
    ]),
  ];
}

/** Long lines are not broken, so that they can be copied. */
const unbroken = 1_000_000;

function whatIsAsked({ type, subject }: Request): string[] {
  if (type === "permission") {
    return describeCall(String(subject.tool), subject.input, {
      width: unbroken,
      paint: paintFor(false),
    });
  }
  const text = typeof subject.plan === "string" ? subject.plan : JSON.stringify(subject, null, 2);
  return shown(text).split("\n");
}
