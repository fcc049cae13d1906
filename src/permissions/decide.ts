import type { PermissionMode } from "../protocol/message.ts";
import type { Place } from "../workspace/place.ts";
import type { ResolvedLine } from "./commands/resolve-line.ts";
import { decideCommand } from "./decide-command.ts";
import { closedPlace, type Surroundings } from "./guard.ts";
import { isProtected } from "./protected-paths.ts";
import { coversPlace, coversTool, type Rule } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

/** What a call would do, with its paths followed and its command read. */
export type Subject =
  | { readonly type: "coordinate" }
  | { readonly type: "read" | "write"; readonly path: string; readonly place: Place }
  | { readonly type: "command"; readonly text: string; readonly line: ResolvedLine };

export interface Case {
  readonly tool: string;
  readonly subject: Subject;
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly surroundings: Surroundings;
}

/** Decides a call by mode and rules. It asks nobody and looks at nothing else. */
export function decide(given: Case): Verdict {
  const { tool, subject, rules } = given;
  const isReadOnly = subject.type === "coordinate" || subject.type === "read";
  const rule = strictest(rules.filter((each) => coversTool(each, tool)));
  if (rule && rule.decision !== "allow") return ruled(rule, isReadOnly);
  switch (subject.type) {
    case "coordinate":
      return { decision: "allow", reason: "it only talks to the team", isReadOnly };
    case "read":
      return decideReading(given, subject);
    case "write":
      return decideWriting(given, subject);
    case "command":
      return decideCommand(given, subject);
  }
}

type FileSubject = Extract<Subject, { place: Place }>;

function decideReading({ mode, rules, surroundings }: Case, { path, place }: FileSubject): Verdict {
  const isReadOnly = true;
  if (closedPlace(place, surroundings) === "keys") {
    return {
      decision: "deny",
      reason: `${path} is a key of the team, which nobody reads`,
      isReadOnly,
    };
  }
  const rule = strictest(rules.filter((each) => coversPlace(each, "reading", place)));
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  if (mode === "bypassPermissions") return bypassed(isReadOnly);
  if (rule) return ruled(rule, isReadOnly);
  return place.isInside
    ? { decision: "allow", reason: "it reads inside the workspace", isReadOnly }
    : { decision: "ask", reason: `${path} lies outside the workspace`, isReadOnly };
}

function decideWriting(given: Case, { path, place }: FileSubject): Verdict {
  const { mode, rules, surroundings } = given;
  const isReadOnly = false;
  if (closedPlace(place, surroundings)) {
    const reason = `${path} belongs to the team's own records: only troupe writes there`;
    return { decision: "deny", reason, isReadOnly };
  }
  const rule = strictest(rules.filter((each) => coversPlace(each, "writing", place)));
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  if (mode === "plan") return planned(`${path} would be changed`);
  if (mode === "bypassPermissions") return bypassed(isReadOnly);
  if (isProtected(place)) {
    const reason = `${path} can make other programs run code, so changing it is always asked`;
    return { decision: "ask", reason, isReadOnly };
  }
  if (rule) return ruled(rule, isReadOnly);
  if (!place.isInside) {
    return { decision: "ask", reason: `${path} lies outside the workspace`, isReadOnly };
  }
  if (mode === "acceptEdits") {
    return { decision: "allow", reason: "edits inside the workspace are accepted", isReadOnly };
  }
  return {
    decision: "ask",
    reason: `${path} would be changed`,
    isReadOnly,
    suggestedRule: `edit_file(${folderPattern(place)})`,
  };
}

function folderPattern({ relative = "" }: Place): string {
  const [top = relative, ...below] = relative.split("/");
  return below.length > 0 ? `${top}/**` : relative;
}

/** Deny beats ask beats allow. */
export function strictest(rules: readonly Rule[]): Rule | undefined {
  for (const decision of ["deny", "ask", "allow"]) {
    const rule = rules.find((each) => each.decision === decision);
    if (rule) return rule;
  }
  return undefined;
}

export function ruled({ decision, text }: Rule, isReadOnly: boolean): Verdict {
  return { decision, reason: `the rule ${decision} ${text}`, isReadOnly };
}

export function bypassed(isReadOnly: boolean): Verdict {
  return { decision: "allow", reason: "permissions are bypassed", isReadOnly };
}

export function planned(what: string): Verdict {
  const reason = `${what}, and nothing is changed while planning. Present your plan, and do it once the plan is approved.`;
  return { decision: "deny", reason, isReadOnly: false };
}
