import type { PermissionMode } from "../protocol/message.ts";
import { isHostEntry } from "../protocol/sandbox-network.ts";
import { traitsOf } from "../protocol/tool-traits.ts";
import type { Place } from "../workspace/place.ts";
import { decideCommand } from "./decide-command.ts";
import { closedPlace } from "./guard.ts";
import type { JudgedCall, Subject } from "./judged-call.ts";
import { isProtected } from "./protected-paths.ts";
import {
  coversHost,
  coversPlace,
  coversTool,
  mayCoverWithin,
  parseRule,
  type Rule,
  strictest,
} from "./rule.ts";
import { bypassed, planned, ruled, type Verdict } from "./verdict.ts";

/** Decides a call by mode and rules. It neither asks nor looks at files. */
export function decide(given: JudgedCall): Verdict {
  const { tool, rules } = given;
  const verdict = decideAction(given);
  if (verdict.decision !== "ask" || traitsOf(tool).ruleScope) return verdict;
  // "Always" is for the tool alone that asks, and not for all commands or edits that are alike.
  const always = { ...given, rules: [...rules, parseRule("allow", tool)] };
  const { suggestedRule: _, ...asked } = verdict;
  return decideAction(always).decision === "allow" ? { ...asked, suggestedRule: tool } : asked;
}

/** A rule for a tool of the library's user is about whatever that tool does. */
const scopes = { read: "reading", write: "writing", command: "commands" } as const;

function decideAction({ tool, subject, rules: all, ...rest }: JudgedCall): Verdict {
  const own = all.filter((each) => coversTool(each, tool));
  switch (subject.type) {
    case "coordinate":
      return decideCoordination(strictest(own));
    case "effect": {
      const { summary, isReadOnly } = subject;
      const place = "something outside the workspace";
      const effect = { what: `"${summary}" would change ${place}`, place, isReadOnly };
      return { ...decideEffect(rest.mode, effect, strictest(own)), summary };
    }
    case "mcp": {
      const place = `something by the MCP server ${subject.server}`;
      const effect = { what: `${tool} may change something`, place, ...subject };
      return decideEffect(rest.mode, effect, strictest(own));
    }
    case "fetch":
      return decideFetch(rest.mode, subject, all);
  }
  const scope = scopes[subject.type];
  const rules = [...all, ...own.map((rule) => ({ ...rule, scope }))];
  const given = { ...rest, tool, subject, rules };
  switch (subject.type) {
    case "read":
      return decideReading(given, subject);
    case "write":
      return decideWriting(given, subject);
    case "command":
      return decideCommand(given, subject);
  }
}

function decideCoordination(rule: Rule | undefined): Verdict {
  const isReadOnly = true;
  if (rule && rule.decision !== "allow") return ruled(rule, isReadOnly);
  return { decision: "allow", reason: "it only talks to the team", isReadOnly };
}

interface Effect {
  /** What would be changed, in a sentence. */
  what: string;
  /** Where. */
  place: string;
  isReadOnly: boolean;
}

function decideEffect(
  mode: PermissionMode,
  { what, place, isReadOnly }: Effect,
  rule: Rule | undefined,
): Verdict {
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  if (mode === "plan" && !isReadOnly) {
    return planned(what);
  }
  if (mode === "bypassPermissions") return bypassed(isReadOnly);
  if (rule) return ruled(rule, isReadOnly);
  const reason = `it ${isReadOnly ? "reads" : "changes"} ${place}`;
  return { decision: "ask", reason, isReadOnly };
}

type FetchSubject = Extract<Subject, { type: "fetch" }>;

function decideFetch(
  mode: PermissionMode,
  { host, port }: FetchSubject,
  rules: readonly Rule[],
): Verdict {
  const isReadOnly = true;
  const rule = strictest(rules.filter((each) => coversHost(each, { host, port })));
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  if (mode === "bypassPermissions") return bypassed(isReadOnly);
  if (rule) return ruled(rule, isReadOnly);
  const isUsual = port === 80 || port === 443;
  const entry = isUsual ? host : `${host}:${port}`;
  return {
    decision: "ask",
    reason: `no rule allows pages of ${entry}, which learns the whole address`,
    isReadOnly,
    ...(isHostEntry(entry) && { suggestedRule: `web_fetch(${entry})` }),
  };
}

type FileSubject = Extract<Subject, { place: Place }>;

function decideReading(
  { mode, rules, directories }: JudgedCall,
  { path, place, isTree }: FileSubject,
): Verdict {
  const isReadOnly = true;
  if (closedPlace(place, directories) === "keys") {
    return {
      decision: "deny",
      reason: `${path} is a key of the team, which no tool may read`,
      isReadOnly,
    };
  }
  const rule = strictest(rules.filter((each) => coversPlace(each, "reading", place)));
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  if (mode === "bypassPermissions") return bypassed(isReadOnly);
  if (rule?.decision === "ask") return ruled(rule, isReadOnly);
  // What is denied is left out of a search. What is to be asked cannot be.
  const below = isTree && rules.find((it) => it.decision === "ask" && mayCoverWithin(it, place));
  if (below) return ruled(below, isReadOnly);
  if (rule) return ruled(rule, isReadOnly);
  if (place.isReadable) return { decision: "allow", reason: "it reads a skill", isReadOnly };
  return place.isInside
    ? { decision: "allow", reason: "it reads inside the workspace", isReadOnly }
    : { decision: "ask", reason: `${path} is outside the workspace`, isReadOnly };
}

function decideWriting(given: JudgedCall, { path, place }: FileSubject): Verdict {
  const { mode, rules, directories } = given;
  const isReadOnly = false;
  if (closedPlace(place, directories)) {
    const reason = `${path} belongs to the team's own records: only troupe writes there`;
    return { decision: "deny", reason, isReadOnly };
  }
  const rule = strictest(rules.filter((each) => coversPlace(each, "writing", place)));
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  if (mode === "plan") return planned(`${path} would be changed`);
  if (mode === "bypassPermissions") return bypassed(isReadOnly);
  if (isProtected(place, directories.programDirectories)) {
    const reason = `${path} can make other programs run code, so changing it is always asked`;
    return { decision: "ask", reason, isReadOnly };
  }
  if (rule) return ruled(rule, isReadOnly);
  if (!place.isInside) {
    return { decision: "ask", reason: `${path} is outside the workspace`, isReadOnly };
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
