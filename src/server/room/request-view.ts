import { callParts } from "../../lib/call-parts.ts";
import { firstCharacters } from "../../lib/cut-text.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import { isForPerson, ruleOf } from "../../permissions/persons-question.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { RequestView } from "../../protocol/dashboard.ts";
import type { PermissionSubject, TeamRequest } from "../../protocol/request.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";
import { diffOfCall } from "./diff-lines.ts";

const reasonCharacters = 10_000;

/** A question for a person: complete, because it may be answered without any other information. */
export function requestView(request: TeamRequest): RequestView {
  const { id, type, from, to, created_at, state, hash } = request;
  return {
    ...{ id, type, from, to, created_at, state, hash },
    is_open: isForPerson(request),
    shown: showHidden(shownOf(request)),
    ...(type === "permission" ? callView(request.subject) : noCall),
    rule: ruleOf(request) ?? null,
    decision: decisionView(request),
  };
}

const noCall = { tool: null, summary: null, diff: null, reason: null };

function callView({ tool, input, summary, reason }: PermissionSubject) {
  return {
    tool,
    summary: showHidden(summary ?? summarizeCall(tool, input)),
    diff: diffOfCall(tool, input),
    reason: reason === undefined ? null : showHidden(reason),
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
  if (request.type === "plan") return request.subject.plan;
  if (request.type !== "permission") return asJson(request.subject);
  const { tool, input, summary } = request.subject;
  const parts = callParts(tool, input);
  const isBare = parts.type === "command" && Object.keys(parts.others).length === 0;
  if (isBare && traitsOf(tool).isShownBare) return parts.command;
  return [summary, `${tool} ${asJson(input)}`].filter(Boolean).join("\n\n");
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
