import { type Argument, knownValue } from "./argument.ts";
import { isHarmlessSetting } from "./variables.ts";

/** The effects of a builtin on its shell, except for a change of directory. */
export interface BuiltinEffect {
  /** Variables that hold something else afterwards. */
  readonly assigned: readonly string[];
  /** True when any variable may. */
  readonly forgets: boolean;
  /** Why what follows cannot be judged. */
  readonly doubt?: string;
}

/** Builtins that assign variables of any name, or take them away. */
const assigning: ReadonlySet<string> = new Set(
  "unset declare typeset local readonly let mapfile readarray getopts".split(" "),
);
/** Builtins after which words, names and directories mean something else. */
const redefining: ReadonlySet<string> = new Set(
  "shopt alias unalias enable hash trap pushd popd bind complete compopt".split(" "),
);

export function builtinEffect(words: readonly Argument[]): BuiltinEffect {
  const [name = "", ...rest] = words.map(knownValue);
  if (redefining.has(name)) {
    return { assigned: [], forgets: true, doubt: `${name} changes how the rest is read` };
  }
  if (name === "read" || name === "export") return named(name, rest);
  const assigns = rest.some((word) => /^-[vp]|%[^%]*n/.test(word ?? ""));
  const forgets = assigning.has(name) || (/^(printf|wait)$/.test(name) && assigns);
  return { assigned: [], forgets };
}

function named(name: string, words: readonly (string | undefined)[]): BuiltinEffect {
  const assigned = words.map((word) => word?.replace(/=.*/s, "") ?? "");
  const isSafe = name === "read" || words.every((word) => isHarmlessSetting(word ?? ""));
  const doubt = `it sets ${assigned.join(", ")} for programs`;
  return { assigned, forgets: false, ...(isSafe ? {} : { doubt }) };
}
