import type { Place } from "../workspace/place.ts";
import { decideCommand } from "./decide-command.ts";
import { closedPlace } from "./guard.ts";
import type { JudgedCall, Subject } from "./judged-call.ts";
import { isProtected } from "./protected-paths.ts";
import { coversPlace, coversTool, mayCoverWithin, strictest } from "./rule.ts";
import { bypassed, planned, ruled, type Verdict } from "./verdict.ts";

/** Decides a call by mode and rules. It neither asks nor looks at files. */
export function decide(given: JudgedCall): Verdict {
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
