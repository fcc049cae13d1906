import { TeamError } from "../../errors.ts";
import { parseRule, type Rule, requireKnownTool } from "../../permissions/rule.ts";
import { isMcpToolName } from "../../protocol/mcp-tool-names.ts";
import { isLackingTool, ownNamesOf } from "../../protocol/tool-names.ts";
import { type PathBase, pathRule } from "./claude-path.ts";

/** What a rule of Claude Code is in Troupe. */
export type Translation = TranslatedRule | UntranslatedRule;

interface TranslatedRule {
  readonly rule: string;
  /** What the original denies or asks about, and this rule does not. */
  readonly gap?: string;
}

export interface UntranslatedRule {
  /** Why there is none: the end of a sentence. */
  readonly reason: string;
  /** True if Troupe is as strict without it. */
  readonly isNeedless?: true;
}

type StatedDecision = Rule["decision"];

/**
 * Translates a permission rule of Claude Code. A rule that allows becomes one for the same calls or fewer,
 * and one that denies or asks becomes one for the same calls or more, or has a `gap`.
 */
export function translateRule(decision: StatedDecision, text: string, base: PathBase): Translation {
  const [, tool, inner] = toolAndPattern.exec(text.trim()) ?? [];
  if (tool === undefined) return { reason: "it is not a rule as Claude Code has them" };
  const translated = translate(tool, inner?.trim(), { decision, base });
  return "rule" in translated ? checked(decision, translated) : translated;
}

const toolAndPattern = /^([A-Za-z_][\w*-]*)(?:\((.*)\))?$/s;

/** What is no rule for Troupe's own reader is not written into a file for it. */
function checked(decision: StatedDecision, translated: TranslatedRule): Translation {
  try {
    requireKnownTool(parseRule(decision, translated.rule), []);
    return translated;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return { reason: "Troupe has no such rule" };
  }
}

interface RuleContext {
  decision: StatedDecision;
  base: PathBase;
}

function translate(tool: string, inner: string | undefined, context: RuleContext): Translation {
  if (isMcpToolName(tool)) {
    if (inner === undefined) return { rule: tool };
    return { reason: "rules for tools of MCP servers have no pattern in Troupe" };
  }
  switch (tool) {
    case "Bash":
      return commandRule(context.decision, inner);
    case "Read":
      return pathRule("read_file", inner, context);
    case "Edit":
    case "MultiEdit":
      return pathRule("edit_file", inner, context);
    case "Write":
      return pathRule("write_file", inner, context);
    case "Glob":
    case "Grep":
    case "LS":
      return searchRule(context.decision);
    case "WebFetch":
      return hostRule(inner);
    case "Skill":
      return skillRule(context.decision, inner);
    case "Agent":
    case "Task":
      return subagentRule(context.decision);
    default:
      return toolRule(tool, inner);
  }
}

function commandRule(decision: StatedDecision, inner: string | undefined): Translation {
  if (inner === undefined) return { rule: "bash" };
  const [, beginning = inner, ending = ""] = /^(.*?)(:\*| \*|\*)$/s.exec(inner) ?? [];
  if (beginning.trim() === "") return ending === "" ? { reason: "it is empty" } : { rule: "bash" };
  const words = beginning.trim().split(/\s+/);
  const problem = wordsProblem(words);
  if (problem !== undefined) return { reason: problem };
  const rule = `bash(${words.join(" ")}${ending === "" ? "" : ":*"})`;
  if (ending !== "*" || decision === "allow") return { rule };
  const last = words.at(-1);
  return { rule, gap: `Troupe compares whole words, so it is not about ${last}… in one word` };
}

/** Why these words do not mean the same in a rule of Troupe. */
function wordsProblem(words: readonly string[]): string | undefined {
  if (words.some((word) => word.includes("*"))) return "Troupe's rules have * only at the end";
  if (words[0]?.includes("=")) return "Troupe's rules are for commands without variables";
  if (words.every((word) => /^[\w@%+=:,./-]+$/.test(word))) return undefined;
  return "it has quotes, operators or other signs of the shell, and Troupe's rules are for plain words";
}

function searchRule(decision: StatedDecision): Translation {
  if (decision === "allow") return { reason: "searching the workspace is free", isNeedless: true };
  return {
    reason:
      "in Troupe, a rule for one tool that reads is for all of them; write read_file(…) with what must not be read",
  };
}

/** Names without a dot would be presets of Troupe, such as `npm`. */
function hostRule(inner: string | undefined): Translation {
  if (inner === undefined || inner === "domain:*") return { rule: "web_fetch" };
  const [, host] = /^domain:((?:\*\.)?(?:[a-z0-9_-]+\.)+[a-z0-9-]+)$/i.exec(inner) ?? [];
  if (host !== undefined) return { rule: `web_fetch(${host.toLowerCase()})` };
  return { reason: "Troupe's rules for pages are for hosts such as example.com or *.example.com" };
}

function skillRule(decision: StatedDecision, inner: string | undefined): Translation {
  if (decision === "allow") return { reason: "skills need no rule", isNeedless: true };
  if (inner === undefined) return { rule: "skill" };
  return {
    reason:
      "Troupe has no rules for single skills; write `disable-model-invocation: true` into the skill",
  };
}

function subagentRule(decision: StatedDecision): Translation {
  if (decision === "allow") return { reason: "teammates need no rule", isNeedless: true };
  return { reason: "Troupe's teammates are no subagents; deny spawn_teammate to have none" };
}

function toolRule(tool: string, inner: string | undefined): Translation {
  const [own, ...others] = ownNamesOf(tool);
  if (own === undefined) {
    return isLackingTool(tool)
      ? { reason: `Troupe has no tool like ${tool}`, isNeedless: true }
      : { reason: `${tool} is not a tool that Troupe knows` };
  }
  if (others.length === 0 && inner === undefined) return { rule: own };
  return { reason: `Troupe's rules for ${[own, ...others].join(", ")} are others` };
}
