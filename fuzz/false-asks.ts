import { z } from "zod";
import { judgeLine, project } from "../test/permissions/judge-lines.ts";

const Lines = z.array(z.string());

/**
 * Which of these lines, given as a JSON list, need approval in the default mode without any rule.
 */
export async function falseAsks(json: string): Promise<{ lines: string[]; asked: string[] }> {
  const lines = Lines.parse(JSON.parse(json));
  await using workspace = await project();
  const permissions = workspace.permissions();
  const asked: string[] = [];
  for (const line of lines) {
    const { decision } = await judgeLine(permissions, line);
    if (decision !== "allow") asked.push(line);
  }
  return { lines, asked };
}
