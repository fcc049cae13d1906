import { entryOf, type KnownArgument, knownValue } from "./argument.ts";
import { type FileProgram, filePrograms } from "./changing-programs.ts";
import { readFindExpression } from "./find-expression.ts";
import { changingGit, readGit, readOnlyGit } from "./git-programs.ts";
import { parseArguments } from "./options.ts";
import { type ProgramReading, readCall } from "./program.ts";
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
  /** Where git would look for its repository, if it is git. */
  readonly repository: string | undefined;
  /** True when it shows the contents of files that its words do not name. */
  readonly showsOthers: boolean;
  /** True when it must not be given a folder. */
  readonly refusesFolders: boolean;
  /** True when it follows the links in a folder, so that none may lead out of the workspace. */
  readonly followsLinks: boolean;
  /** Which paths lead elsewhere once it has run: those it writes, or any. */
  readonly moves: "nothing" | "targets" | "anything";
}

export interface PathUse {
  readonly path: string;
  readonly use: "read" | "write";
  /** The word that names it, so that a rule which names that word itself covers it. */
  readonly word: number;
  /** True when everything under the path is concerned too. */
  readonly isTree: boolean;
  /** The file or folder that arrives there. */
  readonly arriving?: string;
}

/** The use of one path; without a word, the shell itself uses it. */
export function pathUse(path: string, use: PathUse["use"], word = -1): PathUse {
  return { path, use, word, isTree: false };
}

/** The assessment of a command that only opens files. */
export const opensOnly: Assessment = {
  kind: "reads",
  uses: [],
  problem: undefined,
  repository: undefined,
  showsOthers: false,
  refusesFolders: false,
  followsLinks: false,
  moves: "nothing",
};

/** Judges a command without looking at the files it names. Its words are the program's first. */
export function assess(words: readonly KnownArgument[]): Assessment {
  const name = isSystemProgram(words[0]) ? programName(words[0]) : undefined;
  const reading = name === undefined ? undefined : readAs(name, words.slice(1));
  if (reading?.type === "reads") {
    const paths = reading.paths.map(knownValue);
    if (paths.every((path) => path !== undefined)) return readOnly(words, reading);
    return running(words, "a path that is not known");
  }
  const list = entryOf(filePrograms, name);
  if (list) return changing(list, words);
  if (name === "sed") return editingInPlace(words) ?? running(words, reading?.problem);
  return running(words, reading?.problem);
}

type GitReading = ProgramReading & { readonly repository?: string };

function readAs(name: string, words: readonly KnownArgument[]): GitReading | undefined {
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
  const program = entryOf(readOnlyPrograms, name);
  return program && readCall(program, words);
}

function readAsGit(words: readonly KnownArgument[]): GitReading | undefined {
  const call = readGit(words);
  if ("problem" in call) return { type: "problem", problem: call.problem };
  const { subcommand, rest, directory } = call;
  const program = entryOf(readOnlyGit, subcommand);
  if (!program) return undefined;
  const reading = readCall(program, rest);
  if (reading.type === "problem") return reading;
  return { ...reading, repository: directory ?? "." };
}

function readOnly(
  words: readonly KnownArgument[],
  { paths, repository, folders, showsOthers = false }: GitReading & { type: "reads" },
): Assessment {
  const base = repository === undefined || repository === "." ? "" : `${repository}/`;
  const positions = new Map(words.map((word, index) => [word, index]));
  const isTree = folders === "tree" || folders === "linked-tree";
  const uses = paths.flatMap((argument): PathUse[] => {
    const path = knownValue(argument);
    if (path === undefined || path === "-" || path === "") return [];
    const word = positions.get(argument) ?? -1;
    return [{ path: pathFrom(base, path), use: "read", word, isTree }];
  });
  if (base !== "") uses.push(pathUse(base, "read"));
  return {
    ...opensOnly,
    uses,
    repository,
    showsOthers,
    refusesFolders: folders === "never",
    followsLinks: folders === "linked-tree",
  };
}

function pathFrom(base: string, path: string): string {
  return path.startsWith("/") ? path : `${base}${path}`;
}

function changing(list: FileProgram, words: readonly KnownArgument[]): Assessment {
  const call = parseArguments(list, words.slice(1));
  if ("problem" in call) return running(words, call.problem);
  const operands = call.operands.map((operand) => ({ operand, path: knownValue(operand) }));
  if (operands.some(({ path }) => path === undefined))
    return running(words, "a path that is not known");
  const name = programName(words[0]) ?? "";
  const isRecursive = ["-r", "-R", "-a", "--recursive", "--archive"].some((it) =>
    call.given.has(it),
  );
  const uses = operands.flatMap(({ operand, path = "" }, index): PathUse[] => {
    if (list.changes === "after-first" && index === 0) return [];
    const isSource = index < operands.length - 1;
    const use = list.changes === "last" && isSource ? "read" : "write";
    const isTree = isRecursive || (name === "mv" && isSource);
    return [{ path, use, word: words.indexOf(operand), isTree }];
  });
  const isMoving = name === "mv" || name === "cp";
  return {
    ...opensOnly,
    kind: list.isEdit ? "edits" : "runs",
    uses: /^(cp|mv|ln)$/.test(name) ? [...uses, ...arrivals(uses)] : uses,
    // The target of a new link depends on where the link is.
    moves: name === "ln" ? "anything" : isMoving ? "targets" : "nothing",
  };
}

/** A file or folder becomes the last operand, or goes into it and keeps its name. */
function arrivals(uses: readonly PathUse[]): PathUse[] {
  const target = uses.at(-1);
  if (!target) return [];
  return uses.slice(0, -1).flatMap(({ path }) => {
    const name = path.replace(/\/+$/, "").replace(/^.*\//s, "");
    const arrival = { ...target, isTree: false, arriving: path };
    return [arrival, { ...arrival, path: `${target.path}/${name}` }];
  });
}

/** `sed -i`, whose script does no more than to change what it reads. */
function editingInPlace(words: readonly KnownArgument[]): Assessment | undefined {
  const sed = readOnlyPrograms.sed;
  const isInPlace = ({ type, value }: { type: string; value?: string }) =>
    type === "literal" && /^(-[Ernsz]*i|--in-place)$/.test(value ?? "");
  // Elsewhere the next word is what a copy's name ends with, and the one after it the script.
  if (!sed || !words.some(isInPlace) || process.platform !== "linux") return undefined;
  const reading = readCall(
    sed,
    words.slice(1).filter((word) => !isInPlace(word)),
  );
  if (reading.type !== "reads" || reading.paths.some((path) => knownValue(path) === undefined)) {
    return undefined;
  }
  const uses = reading.paths.map((path) =>
    pathUse(knownValue(path) ?? "", "write", words.indexOf(path)),
  );
  return { ...opensOnly, kind: "edits", uses };
}

function running(words: readonly KnownArgument[], problem: string | undefined): Assessment {
  const git = changingCall(words);
  const base = git?.directory === undefined ? "" : `${git.directory}/`;
  const use = git?.operands === "reads" ? "read" : "write";
  const isMove = git?.subcommand === "mv";
  const uses = words.flatMap((word, index): PathUse[] => {
    const paths = index === 0 ? [] : mentionedPaths(knownValue(word) ?? "");
    const isTree = isMove && index < words.length - 1;
    return paths.map((path) => ({ path: pathFrom(base, path), use, word: index, isTree }));
  });
  // It removes ignored files, too.
  const takesAll = git?.subcommand === "stash" && /\s(-[a-z]*a|--a)/.test(valuesOf(git.rest));
  if (takesAll) uses.push({ path: pathFrom(base, "."), use, word: -1, isTree: true });
  return {
    ...opensOnly,
    kind: "runs",
    uses: isMove ? [...uses, ...arrivals(uses)] : uses,
    problem,
    repository: git && (git.directory ?? "."),
    moves: git?.operands === "writes" ? "anything" : "nothing",
  };
}

function valuesOf(words: readonly KnownArgument[]): string {
  return words.map((word) => ` ${knownValue(word) ?? ""}`).join("");
}

/** A git command that changes something. Commands that only record leave the files unchanged. */
function changingCall(words: readonly KnownArgument[]) {
  const call = programName(words[0]) === "git" ? readGit(words.slice(1)) : undefined;
  if (!call || "problem" in call) return undefined;
  const change = entryOf(changingGit, call.subcommand);
  return change && { ...call, operands: change.operands };
}

/**
 * The paths an argument may name: all of it, the part after `=`, or the part attached to an option.
 */
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
