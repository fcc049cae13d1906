import { callParts } from "../../lib/call-parts.ts";
import { firstCharacters } from "../../lib/cut-text.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { isForPerson, ruleOf, summaryOf } from "../../permissions/persons-question.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { RequestView } from "../../protocol/dashboard.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";
import { diffOfCall } from "./diff-lines.ts";

const reasonCharacters = 10_000;

/** A question for a person: complete, because it may be answered without any other information. */
export function requestView(request: TeamRequest): RequestView {
  const { id, type, from, to, created_at, state, hash, subject } = request;
  const tool = type === "permission" && typeof subject.tool === "string" ? subject.tool : null;
  return {
    ...{ id, type, from, to, created_at, state, hash, tool },
    is_open: isForPerson(request),
    shown: showHidden(shownOf(request)),
    summary:
      tool === null ? null : showHidden(summaryOf(request) ?? summarizeCall(tool, subject.input)),
    diff: tool === null ? null : diffOfCall(tool, subject.input),
    reason: typeof subject.reason === "string" ? showHidden(subject.reason) : null,
    rule: ruleOf(request) ?? null,
    decision: decisionView(request),
  };
}

function decisionView({ decision }: TeamRequest): RequestView["decision"] {
  if (!decision) return null;
  const { by, at, reason, rule } = decision;
  const shown = reason === undefined ? null : firstCharacters(reason, reasonCharacters);
  return { by, at, reason: shown, rule: rule ?? null };
}

/** The exact call or plan; before the call what the tool says about it, if it does. */
function shownOf(request: TeamRequest): string {
  const { type, subject } = request;
  if (type === "plan" && typeof subject.plan === "string") return subject.plan;
  if (type !== "permission") return asJson(subject);
  const { input } = subject;
  const tool = String(subject.tool);
  const parts = callParts(tool, input);
  const isBare = parts.type === "command" && Object.keys(parts.others).length === 0;
  if (isBare && traitsOf(tool).isShownBare) return parts.command;
  return [summaryOf(request), `${tool} ${asJson(input)}`].filter(Boolean).join("\n\n");
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
