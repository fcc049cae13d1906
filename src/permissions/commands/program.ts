import { type KnownArgument, knownValue, literal } from "./argument.ts";
import { type OptionList, type ParsedArguments, parseArguments } from "./options.ts";

/** What is known of a program: the arguments with which it does what is expected of it. */
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
  /** What it does with a folder, if not to name it or what is in it. */
  folders?(call: ParsedArguments): FolderUse | undefined;
  /** True when it shows the contents of files that its words do not name, such as old versions. */
  showsOthers?(call: ParsedArguments): boolean;
  /** Says what else is wrong, such as an operand that names a file to write. */
  problem?(call: ParsedArguments): string | undefined;
}

/** Programs whose operands are files to read, only text, or not there at all. */
export const files = { operands: "paths" } as const;
export const texts = { operands: "text" } as const;
/** Whatever it is given, it does nothing with it but to print or to compare. */
export const anything = { operands: "text", takesAnything: true } as const;
export const nothing = { operands: "none" } as const;

/** All files in it are read, those behind its links too, or it must not be given one. */
type FolderUse = "tree" | "linked-tree" | "never";

/** The files a call of the program reads, or what is wrong with it. */
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

/** What may be several words, or none, moves all others to another place. */
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
