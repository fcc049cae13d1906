import { type KnownArgument, knownValue } from "./argument.ts";
import { type FileProgram, filePrograms } from "./changing-programs.ts";
import { readFindExpression } from "./find-expression.ts";
import { changingGit, readGit, readOnlyGit } from "./git-programs.ts";
import { parseArguments } from "./options.ts";
import { type Program, type Reading, readCall } from "./program.ts";
import { isVersionQuestion, readOnlyPrograms } from "./read-only-programs.ts";
import { isSystemProgram, programName } from "./wrappers.ts";

/** What one command would do, as far as its words tell. */
export interface Assessment {
  readonly kind: /** Reads the paths it uses, and no more. */
    | "reads"
    /** Changes the paths it uses, as editing a file could. */
    | "edits"
    /** Whatever its program does. */
    | "runs";
  readonly uses: readonly PathUse[];
  /** What keeps a program that could only read from being taken for one. */
  readonly problem: string | undefined;
  /** Where git would look for its repository, if it is git that reads. */
  readonly repository: string | undefined;
}

interface PathUse {
  readonly path: string;
  readonly use: "read" | "write";
  /** The word that names it, so that a rule which names that word itself covers it. */
  readonly word: number;
  /** True when everything under the path is concerned too. */
  readonly isTree: boolean;
}

/** Judges a command without looking at the files it names. Its words are the program's first. */
export function assess(words: readonly KnownArgument[]): Assessment {
  const name = isSystemProgram(words[0]) ? programName(words[0]) : undefined;
  const reading = name === undefined ? undefined : readAs(name, words.slice(1));
  if (reading?.type === "reads") {
    const paths = reading.paths.map(knownValue);
    if (paths.every((path) => path !== undefined)) return readOnly(words, reading);
    return running(words, "a path that is not known");
  }
  const list =
    name !== undefined && Object.hasOwn(filePrograms, name) ? filePrograms[name] : undefined;
  if (list) return changing(list, words);
  return running(words, reading?.problem);
}

type Read = Reading & { readonly repository?: string };

function readAs(name: string, words: readonly KnownArgument[]): Read | undefined {
  if (isVersionQuestion(name, words)) return { type: "reads", paths: [] };
  if (name === "git") return readAsGit(words);
  if (name === "find") {
    const found = readFindExpression(words);
    return "problem" in found ? { type: "problem", ...found } : { type: "reads", ...found };
  }
  if (name === "[") {
    const isClosed = knownValue(words.at(-1)) === "]";
    return isClosed ? readAs("test", words.slice(0, -1)) : { type: "problem", problem: "no ]" };
  }
  const program = Object.hasOwn(readOnlyPrograms, name) ? readOnlyPrograms[name] : undefined;
  return program && readCall(program, words);
}

function readAsGit(words: readonly KnownArgument[]): Read {
  const call = readGit(words);
  if ("problem" in call) return { type: "problem", problem: call.problem };
  const { subcommand, rest, directory } = call;
  const program: Program | undefined = Object.hasOwn(readOnlyGit, subcommand)
    ? readOnlyGit[subcommand]
    : undefined;
  if (!program) return { type: "problem", problem: subcommand };
  const reading = readCall(program, rest);
  if (reading.type === "problem") return reading;
  return { ...reading, repository: directory ?? "." };
}

function readOnly(
  words: readonly KnownArgument[],
  { paths, repository }: Read & { type: "reads" },
): Assessment {
  const base = repository === undefined || repository === "." ? "" : `${repository}/`;
  const uses = paths.flatMap((argument): PathUse[] => {
    const path = knownValue(argument);
    if (path === undefined || path === "-" || path === "") return [];
    const full = path.startsWith("/") ? path : `${base}${path}`;
    return [{ path: full, use: "read", word: words.indexOf(argument), isTree: false }];
  });
  if (base !== "") uses.push({ path: base, use: "read", word: -1, isTree: false });
  return { kind: "reads", uses, problem: undefined, repository };
}

function changing(list: FileProgram, words: readonly KnownArgument[]): Assessment {
  const call = parseArguments(list, words.slice(1));
  if ("problem" in call) return running(words, call.problem);
  const operands = call.operands.map((operand) => ({ operand, path: knownValue(operand) }));
  if (operands.some(({ path }) => path === undefined))
    return running(words, "a path that is not known");
  const isTree = ["-r", "-R", "-a", "--recursive", "--archive"].some((name) =>
    call.given.has(name),
  );
  const uses = operands.flatMap(({ operand, path = "" }, index): PathUse[] => {
    if (list.changes === "after-first" && index === 0) return [];
    const isRead = list.changes === "last" && index < operands.length - 1;
    const word = words.indexOf(operand);
    return [
      {
        path,
        use: isRead ? "read" : "write",
        word,
        isTree: isTree || (programName(words[0]) === "mv" && index < operands.length - 1),
      },
    ];
  });
  return {
    kind: list.isEdit ? "edits" : "runs",
    uses: [...uses, ...intoFolder(words, uses)],
    problem: undefined,
    repository: undefined,
  };
}

/** `cp` and `mv` into a folder make a file of the same name there. */
function intoFolder(words: readonly KnownArgument[], uses: readonly PathUse[]): PathUse[] {
  if (!/^(cp|mv|ln)$/.test(programName(words[0]) ?? "")) return [];
  const target = uses.at(-1);
  return uses.slice(0, -1).flatMap((source) => {
    const name = source.path.replace(/\/+$/, "").replace(/^.*\//s, "");
    return target ? [{ ...target, path: `${target.path}/${name}` }] : [];
  });
}

function running(words: readonly KnownArgument[], problem: string | undefined): Assessment {
  const uses = words.flatMap((word, index) =>
    index === 0 ? [] : mentionedPaths(knownValue(word) ?? "").map((path) => ({ path, index })),
  );
  const use = leavesFiles(words) ? "read" : "write";
  return {
    kind: "runs",
    uses: uses.map(({ path, index }) => ({ path, use, word: index, isTree: false })),
    problem,
    repository: undefined,
  };
}

/** Git records many files without changing them. */
function leavesFiles(words: readonly KnownArgument[]): boolean {
  const call = knownValue(words[0]) === "git" ? readGit(words.slice(1)) : undefined;
  if (!call || "problem" in call || !Object.hasOwn(changingGit, call.subcommand)) return false;
  return changingGit[call.subcommand]?.operands === "reads";
}

/** The paths an argument may name: all of it, what follows `=`, or what is glued to an option. */
function mentionedPaths(value: string): string[] {
  if (/^file:/i.test(value)) return ["/"];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return [];
  const [, assigned] = /^-{0,2}[\w.-]+=(.*)$/s.exec(value) ?? [];
  const [, glued] = /^-[A-Za-z](.*[/~].*|\.\..*)$/s.exec(value) ?? [];
  const candidates = value.startsWith("-") ? [assigned, glued] : [value, assigned];
  return candidates.flatMap((candidate) => {
    const path = candidate?.replace(/^@/, "");
    if (!path) return [];
    if (path.startsWith("~")) return ["/"];
    return isPlausiblePath(path) ? [path] : [];
  });
}

/** Prose, such as a commit's message, is no path. */
function isPlausiblePath(path: string): boolean {
  if (path.startsWith("/") && !/\s/.test(path)) return true;
  return (
    path.length < 1000 && !path.includes("\n") && path.split("/").every((name) => name.length < 200)
  );
}
