import { dirname, join, resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import type { Place } from "../../workspace/place.ts";
import { gitConfigurationProblem } from "../git-configuration.ts";
import {
  type Argument,
  anyWords,
  type FilePattern,
  type KnownArgument,
  knownValue,
} from "./argument.ts";
import { arrivalProblem, bringsFilesOnly, kindOf } from "./arriving-files.ts";
import { type Assessment, assess, opensOnly, type PathUse } from "./assess.ts";
import { expandPattern } from "./expand-patterns.ts";
import type { Line, SimpleCommand } from "./line.ts";
import { cautioned } from "./moved-paths.ts";
import type { Route } from "./routes.ts";
import { alsoRun } from "./told-programs.ts";

/** A command whose paths have been followed to where they lead. */
export interface ResolvedCommand {
  readonly words: readonly KnownArgument[];
  /** The words of everything it runs, wrappings and all, for rules that deny or ask. */
  readonly layers: readonly (readonly string[])[];
  readonly kind: Assessment["kind"];
  readonly uses: readonly PlaceUse[];
  readonly opened: readonly PlaceUse[];
  readonly directory: Place;
  /** Why no rule covers it. */
  readonly doubt: string | undefined;
  /** Why only a rule for its very words does. */
  readonly caution: string | undefined;
  /** Why it is not taken for a command that only reads, though its program could be. */
  readonly problem: string | undefined;
  readonly showsOthers: boolean;
  readonly moves: Assessment["moves"];
}

/** A use of a path, of which `word` is -1 when the shell itself opens it. */
export interface PlaceUse extends PathUse {
  readonly place: Place;
}

export interface ResolvedLine extends Omit<Line, "commands"> {
  readonly commands: readonly ResolvedCommand[];
}

type Locate = (path: string) => Promise<Place>;

/** Devices that keep nothing and tell nothing. */
const harmlessDevice = /^\/dev\/(null|zero|random|urandom|stdin|stdout|stderr|fd\/\d+)$/;
const mostPaths = 3_000;
/** Longer ones no system opens. */
const longestPath = 4_096;

/** Follows every path of a line's commands, from each directory they may run in. */
export async function resolveLine(line: Line, locate: Locate): Promise<ResolvedLine> {
  const resolver = new LineResolver(locate);
  const commands: ResolvedCommand[] = [];
  for (const command of line.commands) {
    for (const route of command.routes) commands.push(await resolver.resolve(command, route));
  }
  return { ...line, commands: cautioned(commands) };
}

class LineResolver {
  readonly #locate: Locate;
  readonly #places = new Map<string, Promise<Place>>();
  readonly #expanded = new Map<string, Promise<KnownArgument[]>>();
  #names = 0;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  async resolve(command: SimpleCommand, route: Route): Promise<ResolvedCommand> {
    const { directory, doubt: lost } = await this.#follow(route);
    const isTooMuch = this.#places.size > mostPaths;
    const words = isTooMuch
      ? command.words.map(unexpanded)
      : (await Promise.all(command.words.map((word) => this.#expand(word, directory.real)))).flat();
    const assessment = words.length > 0 ? assess(words) : opensOnly;
    const searched = [...command.words.flatMap(searchedFolder), ...words.flatMap(foundFile)];
    const uses = [
      ...(await this.#placeAll(assessment.uses, directory)),
      ...(await this.#placeAll(searched, directory)),
    ];
    const opened = await this.#opened(command, directory);
    const hostile = await this.#repositoryProblem(assessment, directory);
    const brought = await arrivalProblem(uses, directory);
    const folder = assessment.refusesFolders ? await folderProblem(uses) : undefined;
    return {
      words,
      layers: layersOf(command, words),
      kind: hostile === undefined ? assessment.kind : "runs",
      uses,
      opened: opened.uses,
      directory,
      doubt:
        command.doubt ??
        lost ??
        opened.doubt ??
        (isTooMuch ? "it names too many files" : undefined),
      caution: command.caution ?? hostile ?? brought ?? folder,
      problem: assessment.problem,
      showsOthers: assessment.showsOthers,
      moves: await movesOf(assessment, uses, directory),
    };
  }

  /** Where `cd` leads, step by step. It goes back the way it came, which after a link is not `..`. */
  async #follow(route: Route): Promise<{ directory: Place; doubt?: string }> {
    let directory = await this.#place(".");
    let isLinked = false;
    for (const step of route) {
      const name = typeof step === "string" ? step : await this.#onlyMatch(step, directory);
      const next = resolve(directory.real, name);
      const goesBack = name.split("/").includes("..");
      if (isLinked && goesBack) {
        return { directory, doubt: "it goes back from a linked directory" };
      }
      directory = await this.#place(next);
      isLinked ||= directory.real !== next;
      if (isLinked && goesBack) {
        return { directory, doubt: "it goes back from a linked directory" };
      }
    }
    return { directory };
  }

  /** `cd` goes nowhere when a pattern stands for several names. */
  async #onlyMatch(pattern: FilePattern, { real }: Place): Promise<string> {
    const [first] = await this.#expand(pattern, real);
    return knownValue(first) ?? ".";
  }

  async #expand(word: Argument, directory: string): Promise<KnownArgument[]> {
    if (word.type !== "pattern") return [word];
    const key = JSON.stringify([directory, word.pieces]);
    const known = this.#expanded.get(key) ?? expandPattern(word, directory);
    this.#expanded.set(key, known);
    const names = await known;
    this.#names += names.length;
    return this.#names > mostPaths ? [anyWords] : names;
  }

  async #placeAll(uses: readonly Omit<PlaceUse, "place">[], directory: Place): Promise<PlaceUse[]> {
    const named = uses.filter(({ path }) => !harmlessDevice.test(path)).slice(0, mostPaths);
    return await Promise.all(
      named.map(async (use) => ({
        ...use,
        place: await this.#placeFrom(directory.real, use.path),
      })),
    );
  }

  /** As the kernel does it: `..` leaves the real directory that a link has led to. */
  async #placeFrom(directory: string, path: string): Promise<Place> {
    if (path.length > longestPath) return { real: path, isInside: false, relative: undefined };
    let current = path.startsWith("/") ? "/" : directory;
    for (const name of path.split("/")) {
      current = name === ".." ? dirname((await this.#place(current)).real) : join(current, name);
    }
    return await this.#place(current);
  }

  async #repositoryProblem(
    { repository }: Assessment,
    { real }: Place,
  ): Promise<string | undefined> {
    if (repository === undefined) return undefined;
    return await gitConfigurationProblem((await this.#placeFrom(real, repository)).real);
  }

  #place(path: string): Promise<Place> {
    const known = this.#places.get(path);
    if (known) return known;
    const place = this.#locate(path).catch((error: unknown) => {
      if (!(error instanceof TeamError)) throw error;
      // A path that no file can have is in nobody's workspace.
      return { real: path, isInside: false, relative: undefined };
    });
    this.#places.set(path, place);
    return place;
  }

  async #opened(
    command: SimpleCommand,
    directory: Place,
  ): Promise<{ uses: PlaceUse[]; doubt?: string }> {
    const named: Omit<PlaceUse, "place">[] = [];
    for (const { use, target } of command.opened) {
      for (const name of await this.#expand(target, directory.real)) {
        const path = knownValue(name);
        if (path !== undefined) named.push({ use, path, word: -1, isTree: false });
      }
    }
    const uses = await this.#placeAll(named, directory);
    const isKnown = command.opened.every(({ target }) => target.type === "literal");
    return isKnown ? { uses } : { uses, doubt: "it opens a file that is not known" };
  }
}

function unexpanded(word: Argument): KnownArgument {
  return word.type === "pattern" ? anyWords : word;
}

/** A pattern lists the folder it is looked for in. */
function searchedFolder(word: Argument): Omit<PlaceUse, "place">[] {
  if (word.type !== "pattern") return [];
  const [first, ...others] = word.pieces;
  const isClimbing = others.some((piece) => piece.type === "text" && piece.value.includes(".."));
  if (isClimbing) return [{ path: "/", use: "read", word: -1, isTree: false }];
  const path = first?.type === "text" ? first.value.replace(/[^/]*$/, "") : "";
  return [{ path: path || ".", use: "read", word: -1, isTree: false }];
}

/** Whatever is done with the name of a found file, finding it has looked there. */
function foundFile(word: KnownArgument): Omit<PlaceUse, "place">[] {
  const isFound = word.type === "literal" && word.isOneOfMany;
  return isFound ? [{ path: word.value, use: "read", word: -1, isTree: false }] : [];
}

/** Plain files that are moved lead no later path elsewhere. */
async function movesOf(
  { moves }: Assessment,
  uses: readonly PlaceUse[],
  directory: Place,
): Promise<Assessment["moves"]> {
  return moves === "targets" && (await bringsFilesOnly(uses, directory)) ? "nothing" : moves;
}

async function folderProblem(uses: readonly PlaceUse[]): Promise<string | undefined> {
  for (const { path, place } of uses) {
    if ((await kindOf(place.real)) === "folder") return `it would follow the links in ${path}`;
  }
  return undefined;
}

function layersOf(command: SimpleCommand, words: readonly KnownArgument[]): string[][] {
  const layers = [...command.wrappings, words];
  return [...layers, ...layers.flatMap(alsoRun)].map((layer) =>
    layer.map((word) => knownValue(word) ?? (word.type === "unknown" ? word.start : "")),
  );
}
