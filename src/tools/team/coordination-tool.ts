import type { z } from "zod";
import { defineTool, success, type Tool, type ToolContext } from "../tool.ts";

/**
 * Makes a tool that acts only on the team. It throws refusals as `TeamError`, so whatever it
 * returns is a success.
 */
export function coordinationTool<Input extends z.ZodObject>(definition: {
  name: string;
  description: string;
  input: Input;
  /** True if such calls may run in any order. */
  isIndependent?: boolean;
  answer(input: z.infer<Input>, context: ToolContext): Promise<string>;
}): Tool {
  const { name, description, input, isIndependent = false } = definition;
  return defineTool({
    name,
    description,
    input,
    action: () => ({ type: "coordinate", isIndependent }),
    run: async (given, context) => success(await definition.answer(given, context)),
  });
}
