import { TeamError } from "../errors.ts";
import { isMcpToolName, mcpToolNames } from "../protocol/mcp-tool-names.ts";
import { skillToolName } from "./skill.ts";
import { teamToolNames } from "./team/team-tools.ts";
import type { Tool } from "./tool.ts";
import { workToolNames } from "./work-tools.ts";

/** Names that every provider takes: each has its own rule, and this is what they have in common. */
const namePattern = /^[a-z_][a-z0-9_-]{0,63}$/i;

/** The names of all built-in tools. */
export const builtInToolNames: ReadonlySet<string> = new Set<string>([
  ...workToolNames,
  ...teamToolNames,
  ...mcpToolNames,
  skillToolName,
]);

/**
 * Throws `config-invalid` for tools of the library's user with which a provider would refuse every
 * request.
 */
export function checkOwnTools(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { spec } of tools) {
    const problem = problemOf(spec, names);
    if (problem) throw new TeamError("config-invalid", problem.message, problem);
    names.add(spec.name);
  }
}

function problemOf(
  { name, input_schema: schema }: Tool["spec"],
  others: ReadonlySet<string>,
): { message: string; hint: string } | undefined {
  if (!namePattern.test(name)) {
    const hint = "Use up to 64 letters, digits, _ and -, and start with a letter or _.";
    return { message: `${JSON.stringify(name)} cannot be the name of a tool`, hint };
  }
  // Also in other capitals: a rule for one would seem to be about the other.
  if (builtInToolNames.has(name.toLowerCase())) {
    return { message: `${name} is the name of a built-in tool`, hint: "Choose another name." };
  }
  if (isMcpToolName(name.toLowerCase())) {
    const hint = "Choose another beginning: tools of MCP servers are named so.";
    return { message: `${name} is a name for the tool of an MCP server`, hint };
  }
  if (others.has(name)) {
    return { message: `Two tools are named ${name}`, hint: "Give each a name of its own." };
  }
  if (schema.type !== "object") {
    return {
      message: `The input of the tool ${name} is not an object`,
      hint: "Put it into a z.object({ … }): providers take nothing else.",
    };
  }
  return undefined;
}
