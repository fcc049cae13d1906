import { type Argument, knownValue } from "./argument.ts";

/** What the arguments of a shell ask for. */
export type ShellCall =
  /** To run a script in its arguments; `isPlain` when nothing else is asked of it. */
  | { readonly type: "script"; readonly script: string; readonly isPlain: boolean }
  /** To run a file. */
  | { readonly type: "file" }
  /** To read commands from where nobody looks. */
  | { readonly type: "hidden" }
  | { readonly type: "question" };

const shells: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh"]);

export function isShell(name: string): boolean {
  return shells.has(name);
}

/** Reads the arguments of a shell as bash does: options first, letters joined, `-c` takes none. */
export function readShellCall(words: readonly Argument[]): ShellCall {
  const values = words.map(knownValue);
  if (values.length === 1 && values[0] === "--version") return { type: "question" };
  let index = 0;
  let hasScript = false;
  for (let option = values[0]; /^[-+]./.test(option ?? ""); option = values[index]) {
    index++;
    if (option === "--" || option === undefined) break;
    if (option.startsWith("--")) index += /^--(rcfile|init-file)$/.test(option) ? 1 : 0;
    else hasScript ||= /^-[a-zA-Z]*c/.test(option);
    if (/^[-+][a-zA-Z]*[oO]$/.test(option)) index++;
  }
  const operand = values[index];
  if (operand === undefined || operand.startsWith("/dev/") || operand === "-") {
    return { type: "hidden" };
  }
  if (!hasScript) return { type: "file" };
  const isPlain = index === 1 && /^-[eux]*c$/.test(values[0] ?? "");
  return { type: "script", script: operand, isPlain };
}
