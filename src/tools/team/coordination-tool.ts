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
  /** True where it does not matter in which order such calls run. */
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
