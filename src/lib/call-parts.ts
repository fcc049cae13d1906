import { traitsOf } from "../protocol/tool-traits.ts";

/** A call as a person decides on it: a command, a change of a file, or neither. */
export type CallParts =
  | { type: "command"; command: string; others: CallArguments }
  /** `before` is undefined if the whole file is written. */
  | {
      type: "change";
      path: string;
      before: string | undefined;
      after: string;
      others: CallArguments;
    }
  | { type: "other" };

/** Arguments that the parts do not name. */
type CallArguments = Record<string, unknown>;

/**
 * Splits a call into its parts. A model may send anything, so input that does not fit its tool is
 * `other`.
 */
export function callParts(tool: string, input: unknown): CallParts {
  const { ruleScope, change } = traitsOf(tool);
  const others: CallArguments = typeof input === "object" ? { ...input } : {};
  const take = (field: string | undefined) => {
    const value = field === undefined ? undefined : others[field];
    if (field !== undefined && typeof value === "string") delete others[field];
    return typeof value === "string" ? value : undefined;
  };
  if (ruleScope === "commands") {
    const command = take("command");
    if (command !== undefined) return { type: "command", command, others };
  }
  if (!change) return { type: "other" };
  const [path, before, after] = [take("path"), take(change.before), take(change.after)];
  const isWhole = path !== undefined && after !== undefined;
  if (!isWhole || (change.before !== undefined && before === undefined)) return { type: "other" };
  return { type: "change", path, before, after, others };
}
