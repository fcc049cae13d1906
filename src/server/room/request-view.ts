import { firstCharacters } from "../../lib/cut-text.ts";
import { callSummary } from "../../lib/describe-input.ts";
import { isForPerson, ruleOf } from "../../permissions/persons-question.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { RequestView } from "../../protocol/dashboard.ts";
import type { Request } from "../../protocol/request.ts";
import { diffOfCall } from "./diff-lines.ts";

const reasonCharacters = 10_000;

/** A question as a person sees it: whole, because it may be answered by that alone. */
export function requestView(request: Request): RequestView {
  const { id, type, from, to, created_at, state, hash, subject } = request;
  const tool = type === "permission" && typeof subject.tool === "string" ? subject.tool : null;
  return {
    ...{ id, type, from, to, created_at, state, hash, tool },
    is_open: isForPerson(request),
    shown: showHidden(shownOf(request)),
    summary: tool === null ? null : showHidden(callSummary(tool, subject.input)),
    diff: tool === null ? null : diffOfCall(tool, subject.input),
    reason: typeof subject.reason === "string" ? showHidden(subject.reason) : null,
    rule: ruleOf(request) ?? null,
    decision: decisionView(request),
  };
}

function decisionView({ decision }: Request): RequestView["decision"] {
  if (!decision) return null;
  const { by, at, reason, rule } = decision;
  const shown = reason === undefined ? null : firstCharacters(reason, reasonCharacters);
  return { by, at, reason: shown, rule: rule ?? null };
}

/** Exactly what would run, or is planned. */
function shownOf({ type, subject }: Request): string {
  if (type === "plan" && typeof subject.plan === "string") return subject.plan;
  if (type !== "permission") return asJson(subject);
  const { tool, input } = subject;
  const command = tool === "bash" ? commandIn(input) : undefined;
  return command ?? `${String(tool)} ${asJson(input)}`;
}

/** The command, where nothing else is said that decides over what runs. */
function commandIn(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("command" in input)) return undefined;
  const isAlone = Object.keys(input).length === 1;
  return isAlone && typeof input.command === "string" ? input.command : undefined;
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
