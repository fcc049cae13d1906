import type { z } from "zod";
import { defineTool, success, type Tool, type ToolContext } from "../tool.ts";

/**
 * Defines a tool that acts only on the team, to be made for one member with that member's access.
 * It throws refusals as `TeamError`, so whatever it returns is a success.
 */
export function coordinationTool<Input extends z.ZodObject, Access>(definition: {
  name: string;
  description: string;
  input: Input;
  /** True if such calls may run in any order. */
  isIndependent?: boolean;
  answer(input: z.infer<Input>, access: Access, context: ToolContext): Promise<string>;
}): (access: Access) => Tool {
  const { name, description, input, isIndependent = false } = definition;
  return (access) =>
    defineTool({
      name,
      description,
      input,
      action: () => ({ type: "coordinate", isIndependent }),
      run: async (given, context) => success(await definition.answer(given, access, context)),
    });
}
