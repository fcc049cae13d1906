import { type KnownArgument, knownValue, literal } from "./argument.ts";
import { type OptionList, type ParsedArguments, parseArguments } from "./options.ts";

/** What is known about a program: the arguments with which it only reads. */
export interface ReadOnlyProgram extends OptionList {
  readonly operands: "none" | "text" | "paths";
  /** No argument is an option that matters: all of them are operands. */
  readonly takesAnything?: boolean;
  /** The first operand is text, unless one of these options has given it: `-e --regexp`. */
  readonly leading?: string;
  /** Every operand must be known, and look like this. */
  readonly eachOperand?: RegExp;
  /** Judges the little programs among the arguments: the leading operand and script options. */
  isHarmlessScript?(script: string): boolean;
  /** What it does with a folder, besides listing names. */
  folders?(call: ParsedArguments): FolderUse | undefined;
  /** True when it shows the contents of files that its words do not name, such as old versions. */
  showsOthers?(call: ParsedArguments): boolean;
  /** Another reason to ask, such as an operand that names a file to write. */
  problem?(call: ParsedArguments): string | undefined;
}

/** Programs whose operands are files to read, only text, or absent. */
export const files = { operands: "paths" } as const;
export const texts = { operands: "text" } as const;
/** Programs that only print or compare their arguments. */
export const anything = { operands: "text", takesAnything: true } as const;
export const nothing = { operands: "none" } as const;

/**
 * How a program uses a folder: it reads all files in it, also those behind links, or it must not
 * get one.
 */
type FolderUse = "tree" | "linked-tree" | "never";

/** The files that a call of the program reads, or why it asks. */
export type ProgramReading =
  | {
      readonly type: "reads";
      readonly paths: readonly KnownArgument[];
      readonly folders?: FolderUse | undefined;
      readonly showsOthers?: boolean | undefined;
    }
  | { readonly type: "problem"; readonly problem: string };

export function readCall(
  program: ReadOnlyProgram,
  words: readonly KnownArgument[],
): ProgramReading {
  const call = program.takesAnything ? allOperands(words) : parseArguments(program, words);
  if ("problem" in call) return { type: "problem", problem: call.problem };
  const { operands, given, paths, scripts } = call;
  const isLed = program.leading?.split(" ").every((name) => !given.has(name)) ?? false;
  const leading = isLed ? operands.slice(0, 1) : [];
  if (program.isHarmlessScript) {
    for (const script of [...leading, ...scripts]) {
      if (
        script.type !== "literal" ||
        script.isOneOfMany ||
        !program.isHarmlessScript(script.value)
      ) {
        return { type: "problem", problem: "a script that may do more than to print" };
      }
    }
  }
  const problem =
    operandProblem(program, call) ?? program.problem?.(call) ?? splitProblem(program, call);
  if (problem) return { type: "problem", problem };
  const rest = operands.slice(leading.length);
  if (program.operands === "none" && rest.length > 0)
    return { type: "problem", problem: "operands" };
  const folders = program.folders?.(call);
  const isHere = folders?.endsWith("tree") && rest.length === 0;
  const named = program.operands === "paths" ? [...rest, ...paths] : paths;
  return {
    type: "reads",
    paths: isHere ? [...named, literal(".")] : named,
    folders,
    showsOthers: program.showsOthers?.(call),
  };
}

function operandProblem({ eachOperand }: ReadOnlyProgram, { operands }: ParsedArguments) {
  const odd = operands.find((operand) => eachOperand?.test(knownValue(operand) ?? "") === false);
  return odd && (knownValue(odd) ?? "an argument that is not known");
}

/** An argument that may become several words, or none, shifts all others. */
function splitProblem(program: ReadOnlyProgram, { operands, paths, scripts }: ParsedArguments) {
  if (program.operands === "text" && program.leading === undefined) return undefined;
  const isSplit = [...operands, ...paths, ...scripts].some(
    (word) => word.type === "unknown" && !word.isOneWord,
  );
  return isSplit ? "an argument that is not known" : undefined;
}

function allOperands(operands: readonly KnownArgument[]): ParsedArguments {
  return { given: new Set(), values: [], operands, paths: [], scripts: [] };
}
