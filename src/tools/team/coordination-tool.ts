import type { z } from "zod";
import { defineTool, success, type Tool, type ToolContext, type ToolInput } from "../tool.ts";

/**
 * Defines a tool that acts only on the team, to be made for one member with that member's access.
 * It throws refusals as `TeamError`, so whatever it returns is a success.
 */
export function coordinationTool<Input extends z.ZodObject, Access>(definition: {
  name: string;
  description: string;
  input: Input;
  /** The input that the model is told of, where that is less than is taken (default: all). */
  told?: z.ZodObject;
  /** True if such calls may run in any order. */
  isIndependent?: boolean;
  answer(input: z.infer<Input>, access: Access, context: ToolContext): Promise<string>;
}): (access: Access) => Tool {
  const { name, description, input, told = input, isIndependent = false } = definition;
  const schema: ToolInput<z.infer<Input>> = {
    safeParse: (given) => input.safeParse(given),
    toJSONSchema: (options) => told.toJSONSchema(options),
  };
  return (access) =>
    defineTool({
      name,
      description,
      input: schema,
      action: () => ({ type: "coordinate", isIndependent }),
      run: async (given, context) => success(await definition.answer(given, access, context)),
    });
}
