import { type KnownArgument, knownValue } from "./commands/argument.ts";
import type { PlaceUse, ResolvedCommand } from "./commands/resolved-line.ts";
import { uncoveredArgument } from "./commands/rule-coverage.ts";
import { programName } from "./commands/wrappers.ts";
import { tampering } from "./guard.ts";
import type { JudgedCall, Subject } from "./judged-call.ts";
import { evadedRule, ruleOn } from "./line-rules.ts";
import { isProtected } from "./protected-paths.ts";
import { coversPlace, parseRule, type Rule, wordsCovered } from "./rule.ts";
import { takesBack } from "./shared-directory.ts";
import { showHidden } from "./show-hidden.ts";
import { suggestRule } from "./suggest-rule.ts";
import { mayBeTried } from "./trial.ts";
import { bypassed, planned, ruled, type Verdict } from "./verdict.ts";

type CommandSubject = Extract<Subject, { type: "command" }>;

/** Decides a command line by the strictest verdict on its commands, and how it is to run in the sandbox. */
export function decideCommand(given: JudgedCall, subject: CommandSubject): Verdict {
  const verdict = decideLine(given, subject);
  if (!given.isConfined || (given.mode !== "default" && given.mode !== "plan")) return verdict;
  if (verdict.decision === "allow")
    return verdict.isReadOnly ? { ...verdict, confinement: "read-only" } : verdict;
  return mayBeTried(given, subject) ? { ...verdict, confinement: "trial" } : verdict;
}

function decideLine(given: JudgedCall, subject: CommandSubject): Verdict {
  const { mode, rules, directories, isConfined, isShared } = given;
  const { line, text, leaving } = subject;
  const isReadOnly = line.doubts.length === 0 && line.commands.every(isReading);
  const rule = ruleOn(line, rules);
  if (rule?.decision === "deny") return ruled(rule, isReadOnly);
  const [doubt] = line.doubts;
  if (mode === "plan" && !isReadOnly) return planned(`the command ${whatItDoes(given, subject)}`);
  const tampers = tampering(text, line, directories);
  const leaves =
    isConfined && leaving !== undefined
      ? `it would run outside the sandbox, because: ${shown(leaving)}`
      : undefined;
  if (tampers) {
    const decision = mode === "bypassPermissions" ? "deny" : "ask";
    // Both: in the sandbox it could not do what it tampers with.
    const also = leaves === undefined ? "" : `; and ${leaves}`;
    return { decision, reason: `${tampers}, which only troupe may do${also}`, isReadOnly };
  }
  if (leaves !== undefined) return { decision: "ask", reason: leaves, isReadOnly };
  if (mode === "bypassPermissions") {
    const evaded = evadedRule(line, rules, ["deny"]);
    return evaded ? { decision: "deny", reason: evaded, isReadOnly } : bypassed(isReadOnly);
  }
  const undone = isShared ? takesBack(text, line) : undefined;
  if (undone !== undefined) return { decision: "ask", reason: undone, isReadOnly };
  if (isConfined && mode === "acceptEdits") return decideConfined(given, subject, rule);
  if (doubt) return { decision: "ask", reason: `it cannot be judged: ${doubt}`, isReadOnly };
  if (rule?.decision === "ask") return ruled(rule, isReadOnly);
  const evaded = evadedRule(line, rules, ["deny", "ask"]);
  if (evaded) return { decision: "ask", reason: evaded, isReadOnly };
  const objection = objectionTo(given, line.commands);
  if (objection === undefined) {
    const reason = isReadOnly ? "it only reads inside the workspace" : "rules allow it";
    return { decision: "allow", reason, isReadOnly };
  }
  return { decision: "ask", reason: objection, isReadOnly, ...suggestion(given, line.commands) };
}

/** In a sandbox, only the person's rules stop a command: whatever it does, it changes only the workspace. */
function decideConfined(
  { rules }: JudgedCall,
  { line }: CommandSubject,
  rule: Rule | undefined,
): Verdict {
  const isReadOnly = false;
  if (rule?.decision === "ask") return ruled(rule, isReadOnly);
  const evaded = evadedRule(line, rules, ["deny", "ask"]);
  if (evaded) return { decision: "ask", reason: evaded, isReadOnly };
  return { decision: "allow", reason: "it runs in the sandbox", isReadOnly };
}

function whatItDoes({ rules, directories }: JudgedCall, { line }: CommandSubject): string {
  const [doubt] = line.doubts;
  if (doubt) return `cannot be judged: ${doubt}`;
  const command = line.commands.find((each) => !isReading(each));
  const reason = command && objection(command, { rules, directories, mode: "default" });
  return reason === undefined ? "may change something" : `may change something: ${reason}`;
}

/** Suggests the rule that would have allowed the line, if there is one. */
function suggestion(
  given: JudgedCall,
  commands: readonly ResolvedCommand[],
): { suggestedRule?: string } {
  const open = commands.filter((command) => objection(command, given) !== undefined);
  const candidates = new Set(open.map(suggestRule));
  const [text] = candidates;
  if (candidates.size !== 1 || text === undefined) return {};
  const rules = [...given.rules, parseRule("allow", text)];
  return objectionTo({ ...given, rules }, commands) === undefined ? { suggestedRule: text } : {};
}

function isReading({ kind, doubt, caution, opened }: ResolvedCommand): boolean {
  return (
    kind === "reads" &&
    (doubt ?? caution) === undefined &&
    opened.every(({ use }) => use === "read")
  );
}

type JudgedPolicy = Pick<JudgedCall, "rules" | "mode" | "directories">;

function objectionTo(
  given: JudgedPolicy,
  commands: readonly ResolvedCommand[],
): string | undefined {
  for (const command of commands) {
    const reason = objection(command, given);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Strict: why nothing allows this command, or undefined if something does. */
function objection(command: ResolvedCommand, standards: JudgedPolicy): string | undefined {
  const { uses, opened, kind, directory } = command;
  const { programDirectories } = standards.directories;
  const protects = [...uses, ...opened].find(
    ({ use, place }) => use === "write" && isProtected(place, programDirectories),
  );
  if (protects)
    return `it may change ${shown(protects.path)}, which can make other programs run code`;
  const whole = uses.find(
    ({ use, place, isTree }) => use === "write" && isTree && place.relative === ".",
  );
  if (whole) return "it would change the whole workspace";
  const written = opened
    .map((use) => openedObjection(use, standards))
    .find((it) => it !== undefined);
  if (written !== undefined) return written;
  if (!directory.isInside) return "it leaves the workspace";
  if (command.doubt !== undefined) return command.doubt;
  if (isExactlyAllowed(command, standards.rules)) return undefined;
  if (command.caution !== undefined) return command.caution;
  if (kind === "reads") return outsideObjection(uses, standards.rules);
  if (kind === "edits" && (standards.mode === "acceptEdits" || mayEditAll(uses, standards.rules))) {
    return outsideObjection(uses, standards.rules);
  }
  return uncovered(command, standards.rules);
}

/** Changes that editing a file could do as well are covered by the rules for editing. */
function mayEditAll(uses: readonly PlaceUse[], rules: readonly Rule[]): boolean {
  const written = uses.filter(({ use }) => use === "write");
  const isAllowed = ({ place }: PlaceUse) =>
    rules.some(
      (rule) => rule.decision === "allow" && rule.pattern && coversPlace(rule, "writing", place),
    );
  return written.length > 0 && written.every(isAllowed);
}

function openedObjection(
  { use, path, place }: PlaceUse,
  { rules, mode }: JudgedPolicy,
): string | undefined {
  const scope = use === "read" ? "reading" : "writing";
  if (rules.some((rule) => rule.decision === "allow" && coversPlace(rule, scope, place))) {
    return undefined;
  }
  if (!place.isInside) return `${shown(path)} is outside the workspace`;
  return use === "read" || mode === "acceptEdits" ? undefined : `it would write ${shown(path)}`;
}

function outsideObjection(uses: readonly PlaceUse[], rules: readonly Rule[]): string | undefined {
  const isAllowed = ({ use, place }: PlaceUse) =>
    place.isInside ||
    (use === "read" &&
      rules.some(
        (rule) => rule.decision === "allow" && rule.pattern && coversPlace(rule, "reading", place),
      ));
  const outside = uses.find((use) => !isAllowed(use));
  return outside && `${shown(outside.path)} is outside the workspace`;
}

/**
 * A rule for the exact words of a command, wrapping included, is the person's decision on all of
 * it.
 */
function isExactlyAllowed({ layers, words }: ResolvedCommand, rules: readonly Rule[]): boolean {
  const [outermost = []] = layers;
  if (words.some(({ type }) => type !== "literal")) return false;
  return rules.some((rule) => {
    if (rule.decision !== "allow" || rule.scope !== "commands") return false;
    return (
      rule.pattern === undefined || (isExact(rule) && wordsCovered(rule, outermost) !== undefined)
    );
  });
}

function isExact({ pattern }: Rule): boolean {
  return pattern?.type === "words" && !pattern.isPrefix;
}

/** Why no rule covers the command: the objection to the rule that comes nearest. */
function uncovered(command: ResolvedCommand, rules: readonly Rule[]): string | undefined {
  const { words, uses, problem } = command;
  const values = words.map((word) => knownValue(word) ?? "\0");
  const given = problem && `${shown(summary(words))} has ${shown(problem)}`;
  let nearest = given ?? `it runs ${shown(summary(words))}`;
  for (const rule of rules) {
    const covered = rule.decision === "allow" ? wordsCovered(rule, values) : undefined;
    if (covered === undefined) continue;
    const isOwn = isExact(rule);
    const argument = isOwn ? undefined : uncoveredArgument(words, covered);
    const unusual = isOwn || programName(words[0]) === "git" ? undefined : given;
    const elsewhere = outsideObjection(
      uses.filter(({ word }) => word >= covered),
      rules,
    );
    const reason = argument ?? unusual ?? elsewhere;
    if (reason === undefined) return undefined;
    nearest = reason;
  }
  return nearest;
}

function summary(words: readonly KnownArgument[]): string {
  return words
    .slice(0, 3)
    .map((word) => knownValue(word) ?? "…")
    .join(" ");
}

function shown(text: string): string {
  return showHidden(text).slice(0, 200);
}
