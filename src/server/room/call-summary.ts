import { describeInput } from "../../lib/describe-input.ts";

const fileTools: readonly string[] = ["read_file", "write_file", "edit_file"];

/**
 * The argument that says most about a call of `tool`. Of what works on a file it is always the path:
 * a model may add whatever it likes, which the tool leaves alone.
 */
export function callSummary(tool: string, input: unknown): string {
  if (fileTools.includes(tool) && typeof input === "object" && input !== null && "path" in input) {
    return String(input.path);
  }
  return describeInput(input);
}
