import type { z } from "zod";
import { coordinationTool } from "../../tools/team/coordination-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { PersonAccess } from "./person-access.ts";

/** Defines a tool of a person's client. It throws refusals as `TeamError`. */
export function personTool<Input extends z.ZodObject>(definition: {
  name: string;
  description: string;
  input: Input;
  answer(input: z.infer<Input>, access: PersonAccess, context: ToolContext): Promise<string>;
}): (access: PersonAccess) => Tool {
  return coordinationTool({
    ...definition,
    answer: async (input: z.infer<Input>, access: PersonAccess, context) =>
      access.belowWarnings(await definition.answer(input, access, context)),
  });
}
