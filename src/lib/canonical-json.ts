/**
 * `value` as JSON in the one spelling that does not depend on the order of its keys. Everything
 * that JSON drops or converts is gone, so a value and its parsed copy have the same text.
 */
export function canonicalJson(value: unknown): string {
  return write(JSON.parse(JSON.stringify(value)));
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  // Text, not a sorted object: assigning the key `__proto__` would lose it.
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`);
  return `{${members.join(",")}}`;
}
