import { TeamError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import { parseRule } from "../../permissions/rule.ts";
import type { MemberRecord, OwnRules } from "../../protocol/team.ts";
import { foreignNames, isLackingTool, ownNamesOf } from "../../protocol/tool-names.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";
import type { FieldNote, RoleDefinition } from "../../roles/role.ts";
import { skillToolName } from "../../tools/skill.ts";
import { teamToolNames } from "../../tools/team/team-tools.ts";
import { workToolNames } from "../../tools/work-tools.ts";

/** What a role's lists of tools come to. */
export interface RoleTools {
  /** Undefined for all. */
  readonly tools: readonly string[] | undefined;
  readonly record: Pick<MemberRecord, "disallowed_tools" | "own_rules">;
  readonly notes: readonly FieldNote[];
}

/** A tool as a role names it. */
interface NamedTool {
  /** Those of troupe that it means: none for one that troupe lacks. */
  readonly names: readonly string[];
  /** The calls that it is about, where it has a pattern. */
  readonly rule: string | undefined;
}

/** The tools of a role among `toolNames`, those for work. Throws a `FieldNote` of what cannot be in force. */
export function roleTools(role: RoleDefinition, toolNames: readonly string[]): RoleTools {
  const read = (field: string, text: string) => readTool({ field, text, toolNames });
  const notes: FieldNote[] = [];
  const only: string[] = [];
  const tools = new Set<string>();
  const isAll = role.tools === undefined || role.tools.some((text) => allTools.has(text));
  for (const text of isAll ? [] : (role.tools ?? [])) {
    const { names, rule } = read("tools", text);
    if (names.length === 0)
      notes.push({ field: "tools", text: `names ${text}, which there is not` });
    if (rule !== undefined) only.push(rule);
    // Those for mail and tasks every member has, and where there are skills, the one for them.
    const isGiven = (name: string) => teamToolNames.includes(name) || name === skillToolName;
    for (const name of names) if (!isGiven(name)) tools.add(name);
  }
  // The whole tool beside a pattern of it is the whole tool.
  const isWhole = (role.tools ?? []).some((text) => commandTools.has(text));
  const denied = (role.disallowedTools ?? []).map((text) => read("disallowedTools", text));
  const asked = (role.askedTools ?? []).map((text) => read("permission", text));
  const disallowed = new Set<string>();
  for (const { names, rule } of denied) {
    if (rule !== undefined) continue;
    const fixed = names.find((name) => teamToolNames.includes(name));
    if (fixed !== undefined) {
      const text = `names ${fixed}, but every member has the tools for mail and tasks`;
      throw new WrongField({ field: "disallowedTools", text });
    }
    for (const name of names) for (const each of withAlikes(name)) disallowed.add(each);
  }
  const rules: OwnRules = {
    ...(only.length > 0 && !isWhole && { only }),
    ...filled(
      "ask",
      asked.flatMap(({ names, rule }) => rule ?? names),
    ),
    ...filled(
      "deny",
      denied.flatMap(({ rule }) => rule ?? []),
    ),
  };
  return {
    tools: isAll ? undefined : [...tools],
    record: {
      ...(disallowed.size > 0 && { disallowed_tools: [...disallowed] }),
      ...(Object.keys(rules).length > 0 && { own_rules: rules }),
    },
    notes,
  };
}

/** A field that cannot be in force as it is. */
export class WrongField extends Error {
  override readonly name = "WrongField";
  readonly note: FieldNote;

  constructor(note: FieldNote) {
    super(`${note.field} ${note.text}`);
    this.note = note;
  }
}

const allTools: ReadonlySet<string> = new Set(["*", "all", "All", "All tools"]);
const commandTools: ReadonlySet<string> = new Set(["Bash", "bash", "shell", "Bash(*)", "bash(*)"]);

interface ToolText {
  field: string;
  text: string;
  toolNames: readonly string[];
}

function readTool({ field, text, toolNames }: ToolText): NamedTool {
  const [, name = text, pattern] = /^([^()]+?)\s*(?:\((.*)\))?$/s.exec(text) ?? [];
  const known = [...toolNames, ...workToolNames, ...teamToolNames, skillToolName];
  const own = known.includes(name) ? [name] : ownNamesOf(name).filter((it) => known.includes(it));
  if (isServersTool(name)) return { names: [name], rule: undefined };
  if (own.length === 0) {
    if (isLackingTool(name) || ownNamesOf(name).length > 0) return { names: [], rule: undefined };
    const meant = nearest(name, [...known, ...foreignNames]);
    const advice = meant === undefined ? "" : `. Did you mean ${meant}?`;
    throw new WrongField({ field, text: `names ${shown(name)}, which is no known tool${advice}` });
  }
  if (pattern === undefined || pattern === "*") return { names: own, rule: undefined };
  return { names: own, rule: ruleFor({ field, text, toolNames }, own, pattern) };
}

/** A pattern of Claude Code as a rule. Only commands can be limited by one. */
function ruleFor({ field, text }: ToolText, names: readonly string[], pattern: string): string {
  if (!names.some((name) => traitsOf(name).ruleScope === "commands")) {
    const advice = "only commands can have a pattern; name the whole tool";
    throw new WrongField({ field, text: `has ${shown(text)}, but ${advice}` });
  }
  const rule = `bash(${pattern.trim().replace(/(?<!:)\s+\*$/, ":*")})`;
  const inner = rule.slice("bash(".length, -1).replace(/:\*$/, "");
  try {
    parseRule("deny", rule);
    if (!/[*?]/.test(inner)) return rule;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
  }
  const advice = "a pattern has the first words of a command, and may end in :*";
  throw new WrongField({ field, text: `has ${shown(text)}, but ${advice}` });
}

/** Without one of them, a command could be run by another. */
function withAlikes(name: string): readonly string[] {
  return traitsOf(name).ruleScope === "commands" ? ["bash", "background_run"] : [name];
}

function isServersTool(name: string): boolean {
  return /^mcp__[\w-]+(?:__[\w*-]+)?$/.test(name);
}

function filled(name: keyof OwnRules, rules: readonly string[]): OwnRules {
  return rules.length > 0 ? { [name]: [...new Set(rules)] } : {};
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
