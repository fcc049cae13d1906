import { lead } from "../protocol/ids.ts";
import type { Tool, ToolContext, ToolOutput } from "../tools/tool.ts";

/** Calls a tool as a member does, without asking anybody. Wrong input is an error output. */
export async function callTool(
  tool: Tool,
  input: unknown,
  context: Partial<ToolContext> = {},
): Promise<ToolOutput> {
  const call = tool.prepare(input);
  return call.type === "invalid" ? call.output : call.run(toolContext(context));
}

/** The context of a call by the lead; what is given replaces the rest. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: "call-1",
    member: lead,
    cwd: "/",
    model: "scripted",
    signal: new AbortController().signal,
    onOutput: () => undefined,
    ...given,
  };
}
