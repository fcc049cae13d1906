/** The argument that says most about a call: what it runs or where it works. */
export function describeInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input);
  const [first] = tellingNames.flatMap((key) => (key in input ? [Reflect.get(input, key)] : []));
  if (typeof first === "string") return first;
  return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
}

const tellingNames = ["command", "path", "pattern", "name", "to", "subject"];

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
