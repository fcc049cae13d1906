import { TeamError } from "../errors.ts";
import { isAllowedHost } from "../lib/allowed-hosts.ts";
import { coversMcpTool, isMcpToolName } from "../protocol/mcp-tool-names.ts";
import { isHostEntry } from "../protocol/sandbox-network.ts";
import { type RuleScope, traitsOf } from "../protocol/tool-traits.ts";
import type { Place } from "../workspace/place.ts";

/**
 * A person's decision about calls in advance, written `tool` or `tool(pattern)`.
 *
 * A rule for `bash` covers `background_run` too. One for `edit_file` or `write_file` covers both,
 * since each can do the other's work, and one for `read_file` covers every tool that reads. One for
 * `web_fetch` covers hosts. One for a tool of the library's user covers all that this tool does. `mcp__github__*` covers
 * all tools of an MCP server.
 */
export interface Rule {
  readonly decision: "allow" | "ask" | "deny";
  readonly scope: Scope;
  /** As it was written, for messages. */
  readonly text: string;
  /** Undefined covers every call. */
  readonly pattern: Pattern | undefined;
  /** Where it was given at the start, such as a flag or the path of a settings file. */
  readonly origin?: string;
}

type Scope = RuleScope | { readonly tool: string };

type Pattern =
  /** The words a command begins with, or all of them. */
  | { readonly type: "words"; readonly words: readonly string[]; readonly isPrefix: boolean }
  | {
      readonly type: "path";
      readonly matcher: RegExp;
      readonly isAbsolute: boolean;
      /** The common beginning of all paths it matches. */
      readonly start: string;
    }
  /** A host, all below it, or what a preset stands for. */
  | { readonly type: "host"; readonly entry: string };

/** Reads a rule as a person writes it; throws `config-invalid` for anything else. */
export function parseRule(decision: Rule["decision"], text: string): Rule {
  const [, tool, inner] = toolAndPattern.exec(text.trim()) ?? [];
  if (tool === undefined) throw malformedRule(text);
  const scope = traitsOf(tool).ruleScope ?? { tool };
  if (inner === undefined) return { decision, scope, text, pattern: undefined };
  if (typeof scope !== "string" || inner.trim() === "") throw malformedRule(text);
  const pattern = patternOf(scope, inner);
  if (!pattern) throw malformedRule(text);
  return { decision, scope, text, pattern };
}

/** Only names of MCP tools may end in `*`. */
const toolAndPattern = /^(mcp__[a-z0-9_-]*\*|[a-z_][a-z0-9_-]*)(?:\((.*)\))?$/is;

/**
 * Throws for a rule that covers nothing: the names of built-in tools are lower case, so `Bash` is only
 * the name of a tool that the library's user has added.
 */
export function requireKnownTool({ scope, text }: Rule, ownTools: readonly string[]): void {
  if (typeof scope === "string" || /^[a-z0-9_]+$/.test(scope.tool)) return;
  if (isMcpToolName(scope.tool)) return;
  if (!ownTools.includes(scope.tool)) throw malformedRule(text);
}

function malformedRule(text: string): TeamError {
  const meant = inLowerCase(text);
  const advice =
    meant === undefined ? "" : `Did you mean ${meant}? Names of tools are lower case. `;
  return new TeamError("config-invalid", `"${text}" is not a permission rule`, {
    hint: `${advice}Write a tool's name, such as write_file, or add in parentheses what it covers: bash(npm test:*) for commands that begin so, bash(git status) for exactly that one, edit_file(src/**) or read_file(.env) for paths from the workspace, web_fetch(*.example.com) for hosts.`,
  });
}

/** The rule for a built-in tool that is meant by one in capitals, as other programs have it: `Bash(npm test:*)`. */
function inLowerCase(text: string): string | undefined {
  const [, tool = "", rest = ""] = /^(\w+)((?:\(.*)?)$/s.exec(text.trim()) ?? [];
  const name = tool.toLowerCase();
  return name === tool || traitsOf(name).ruleScope === undefined ? undefined : `${name}${rest}`;
}

function patternOf(scope: RuleScope, inner: string): Pattern | undefined {
  switch (scope) {
    case "commands":
      return wordPattern(inner);
    case "reading":
    case "writing":
      return pathPattern(inner.trim());
    case "hosts": {
      const entry = inner.trim().toLowerCase();
      return isHostEntry(entry) ? { type: "host", entry } : undefined;
    }
  }
}

function wordPattern(inner: string): Pattern | undefined {
  const isPrefix = inner.endsWith(":*");
  const words = (isPrefix ? inner.slice(0, -2) : inner).trim().split(/\s+/);
  return words[0] ? { type: "words", words, isPrefix } : undefined;
}

function pathPattern(glob: string): Pattern {
  const fromRoot = glob.replace(/^\.\//, "");
  const [start = ""] = /^[^*?]*/.exec(fromRoot) ?? [];
  return { type: "path", matcher: globMatcher(fromRoot), isAbsolute: glob.startsWith("/"), start };
}

/** `**` crosses folders, `*` and `?` do not; a folder's name covers what is in it. */
function globMatcher(glob: string): RegExp {
  const source = glob
    .replace(/\/+$/, "")
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      return part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}(?:/.*)?$`, "su");
}

export function coversTool({ scope, pattern }: Rule, tool: string): boolean {
  return pattern === undefined && typeof scope === "object" && coversMcpTool(scope.tool, tool);
}

/** True when the rule is about this use of this place. */
export function coversPlace(rule: Rule, use: "reading" | "writing", place: Place): boolean {
  if (rule.scope !== use) return false;
  if (!rule.pattern) return true;
  if (rule.pattern.type !== "path") return false;
  const path = rule.pattern.isAbsolute ? place.real : place.relative;
  return path !== undefined && rule.pattern.matcher.test(path);
}

/** True when the rule is about fetching from this host. What permits nothing is about all its ports. */
export function coversHost(rule: Rule, { host, port }: { host: string; port: number }): boolean {
  if (rule.scope !== "hosts") return false;
  if (rule.pattern?.type !== "host") return rule.pattern === undefined;
  const { entry } = rule.pattern;
  const counts = rule.decision === "allow" || entry.includes(":") ? port : 443;
  return isAllowedHost([entry], host, counts);
}

/** True when the rule may be about reading something in this folder. */
export function mayCoverWithin({ scope, pattern }: Rule, folder: Place): boolean {
  if (scope !== "reading") return false;
  if (pattern?.type !== "path") return true;
  const path = pattern.isAbsolute ? folder.real : folder.relative;
  if (path === undefined) return false;
  const inside = path === "." ? "" : `${path.replace(/\/$/, "")}/`;
  return inside.startsWith(pattern.start) || pattern.start.startsWith(inside);
}

/**
 * How many of the command's words the rule itself names; undefined if it does not cover this
 * command. All of them for an exact rule, none for one without a pattern.
 */
export function wordsCovered(rule: Rule, words: readonly string[]): number | undefined {
  if (rule.scope !== "commands") return undefined;
  if (!rule.pattern) return 0;
  if (rule.pattern.type !== "words") return undefined;
  const { words: named, isPrefix } = rule.pattern;
  const fits = isPrefix ? named.length <= words.length : named.length === words.length;
  return fits && named.every((word, index) => word === words[index]) ? named.length : undefined;
}

/** Deny beats ask beats allow. */
export function strictest(rules: readonly Rule[]): Rule | undefined {
  for (const decision of ["deny", "ask", "allow"]) {
    const rule = rules.find((each) => each.decision === decision);
    if (rule) return rule;
  }
  return undefined;
}

/**
 * True if a rule that denies or asks covers this command, with any other options before or between
 * its words: `git push` covers `git -C sub push`, `git push --force` covers `git push origin
 * --force`.
 */
export function isMeantBy(rule: Rule, words: readonly string[]): boolean {
  if (wordsCovered(rule, words) !== undefined) return true;
  if (rule.pattern?.type !== "words" || !rule.pattern.isPrefix) return false;
  let position = 0;
  for (const named of rule.pattern.words) {
    const found = words.indexOf(named, position);
    if (found < 0 || (!named.startsWith("-") && !areOptions(words.slice(position, found)))) {
      return false;
    }
    position = named.startsWith("-") ? position : found + 1;
  }
  return true;
}

/** Each word is an option or directly follows one. */
function areOptions(words: readonly string[]): boolean {
  return words.every((word, index) => word.startsWith("-") || words[index - 1]?.startsWith("-"));
}
