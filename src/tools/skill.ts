import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "./tool.ts";

export const skillToolName = "skill";

const SkillInput = z.object({ name: z.string() });

/** Reads a skill. Members have it where there are skills. */
export function skillTool(read: (name: string) => Promise<ToolOutput>): Tool {
  return defineTool({
    name: skillToolName,
    description: "Read a skill: its instructions, its directory, and the files in it.",
    input: SkillInput,
    action: () => ({ type: "coordinate", isIndependent: true }),
    run: ({ name }) => read(name),
  });
}
