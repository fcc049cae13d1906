import type { z } from "zod";
import { defineTool, success, type Tool, type ToolContext } from "../tool.ts";

/**
 * Makes a tool that reaches nothing but the team. Its refusals are thrown as `TeamError`, so
 * whatever it returns is a success.
 */
export function coordinationTool<Input extends z.ZodObject>(definition: {
  name: string;
  description: string;
  input: Input;
  answer(input: z.infer<Input>, context: ToolContext): Promise<string>;
}): Tool {
  const { name, description, input } = definition;
  return defineTool({
    name,
    description,
    input,
    action: () => ({ type: "coordinate" }),
    run: async (given, context) => success(await definition.answer(given, context)),
  });
}
