/**
 * How deeply JSON may be nested. The limit is far below what overflows the stack of recursive
 * functions such as `JSON.stringify`, and leaves room for records around `maxInputDepth`.
 */
const maxDepth = 200;

/** How deeply the input of a tool call may be nested. */
export const maxInputDepth = 100;

/** JSON that is nested too deeply. Most callers treat it as invalid JSON. */
export class TooDeep extends SyntaxError {
  constructor(levels: number) {
    super(`is nested more than ${levels} levels deep`);
  }
}

/** Parses JSON. Throws a SyntaxError, which is `TooDeep` for a value that is nested too deeply. */
export function readJson(text: string, levels = maxDepth): unknown {
  const value: unknown = JSON.parse(text);
  if (isDeeper(value, levels)) throw new TooDeep(levels);
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // `for`, not `some`: every line of mail comes through here.
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeper(item, levels - 1)) return true;
  }
  return false;
}
