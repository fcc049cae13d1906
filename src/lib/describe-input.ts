/** The argument that says most about a call: what it runs or where it works. */
export function describeInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input);
  const [first] = tellingNames.flatMap((key) => (key in input ? [Reflect.get(input, key)] : []));
  if (typeof first === "string") return first;
  return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
}

const tellingNames = ["command", "path", "pattern", "name", "to", "subject"];
