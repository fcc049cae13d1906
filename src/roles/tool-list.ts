/** More is no list that anybody wrote. */
const maxTools = 500;

/**
 * The tools of a list: a text with commas between them, or a list of texts. A comma in parentheses is
 * part of a pattern. Undefined for anything else.
 */
export function toolList(value: unknown): string[] | undefined {
  const texts = typeof value === "string" ? [value] : value;
  if (!Array.isArray(texts) || texts.length > maxTools) return undefined;
  const tools: string[] = [];
  for (const text of texts) {
    if (typeof text !== "string") return undefined;
    tools.push(...splitTools(text));
  }
  return tools.length > maxTools ? undefined : tools;
}

function splitTools(text: string): string[] {
  const tools = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth <= 0) tools.push("");
    else tools[tools.length - 1] += character;
  }
  return tools.map((tool) => tool.trim()).filter((tool) => tool !== "");
}
