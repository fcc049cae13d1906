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
import { arrivalProblem, bringsFilesOnly, kindOf, linksBelow } from "./arriving-files.ts";
import { type Assessment, assess, opensOnly, type PathUse, pathUse } from "./assess.ts";
import type { DirectoryRoute } from "./directory-routes.ts";
import { type Expansion, expandPattern, lostPattern, searchedPaths } from "./expand-patterns.ts";
import { launchedCommands } from "./launchers.ts";
import type { LineCommands, SimpleCommand } from "./line-commands.ts";
import { flagMovedPaths } from "./moved-paths.ts";
import { isTroupeProgram, ProgramSearch } from "./program-search.ts";
import type { LineContext, PlaceUse, ResolvedCommand, ResolvedLine } from "./resolved-line.ts";

/** Devices that store nothing, reveal nothing and have an end. */
const harmlessDevice = /^\/dev\/(null|stdin|stdout|stderr|fd\/\d+)$/;
const endlessDevice = /^\/dev\/(zero|random|urandom)$/;
const nothing: Expansion = { words: [], folders: [], options: [] };
const mostPaths = 3_000;
/** Further words are not looked at as the program that another one runs. */
const mostScripts = 20;
/** No system opens a longer path. */
const longestPath = 4_096;

/** Follows every path of a line's commands, from each directory they may run in. */
export async function resolveLine(line: LineCommands, context: LineContext): Promise<ResolvedLine> {
  const resolver = new LineResolver(context);
  const commands: ResolvedCommand[] = [];
  for (const command of line.commands) {
    for (const route of command.routes) commands.push(await resolver.resolve(command, route));
  }
  return { ...line, commands: flagMovedPaths(commands) };
}

class LineResolver {
  readonly #context: LineContext;
  readonly #programs: ProgramSearch;
  readonly #places = new Map<string, Promise<Place>>();
  readonly #expanded = new Map<string, Promise<Expansion>>();
  #names = 0;

  constructor(context: LineContext) {
    this.#context = context;
    this.#programs = new ProgramSearch(context);
  }

  async resolve(command: SimpleCommand, route: DirectoryRoute): Promise<ResolvedCommand> {
    const { directory, doubt: lost } = await this.#follow(route);
    const isTooMuch = this.#places.size > mostPaths;
    const expanded = await this.#expandAll(command.words, directory, isTooMuch);
    const listed = await this.#expandAll(command.listed, directory, isTooMuch);
    const { words } = expanded;
    const assessment = words.length > 0 ? assess(words) : opensOnly;
    const searched = [...searchedPaths(expanded), ...searchedPaths(listed)];
    const uses = [
      ...(await this.#placeAll(boundedUses(assessment, words), directory)),
      ...(await this.#placeAll(searched, directory)),
    ];
    const opened = await this.#opened(command, directory);
    const hostile = await this.#repositoryProblem(assessment, directory);
    const foreign = await this.#foreignPrograms(command, directory);
    return {
      words,
      layers: layersOf(command, words),
      kind: (hostile ?? foreign.program) === undefined ? assessment.kind : "runs",
      uses,
      opened: opened.uses,
      directory,
      doubt:
        command.doubt ??
        lost ??
        opened.doubt ??
        (isTooMuch ? "it names too many files" : undefined),
      caution:
        command.caution ??
        hostile ??
        foreign.wrapper ??
        (await this.#pathCaution(assessment, uses, directory)) ??
        lostPattern(command.words, words) ??
        lostPattern(command.listed, listed.words),
      problem: assessment.problem ?? foreign.program,
      showsOthers: assessment.showsOthers,
      moves: await movesOf(assessment, uses, directory),
      isMoved: false,
      namesTroupe: await this.#namesTroupe(words, directory),
      foundOptions: expanded.options,
    };
  }

  async #linkProblem(uses: readonly PlaceUse[]): Promise<string | undefined> {
    for (const { place, isTree } of uses) {
      if (!isTree || (await kindOf(place.real)) !== "folder") continue;
      const links = await linksBelow(place.real);
      if (!links) return "it may follow links that cannot be looked at";
      const places = await Promise.all(links.map((link) => this.#place(link)));
      if (places.some(({ isInside }) => !isInside))
        return "it may follow a link out of the workspace";
    }
    return undefined;
  }

  async #pathCaution(
    { refusesFolders, followsLinks }: Assessment,
    uses: readonly PlaceUse[],
    directory: Place,
  ): Promise<string | undefined> {
    const { programDirectories } = this.#context;
    const brought = await arrivalProblem(uses, directory, programDirectories);
    const followed = followsLinks ? await this.#linkProblem(uses) : undefined;
    return brought ?? followed ?? (refusesFolders ? await folderProblem(uses) : undefined);
  }

  /** Why a program is not the system's: it is in the workspace. */
  async #foreignPrograms(
    { words, wrappings }: SimpleCommand,
    { real }: Place,
  ): Promise<{ program: string | undefined; wrapper: string | undefined }> {
    const names = [words, ...wrappings].map(([first]) => knownValue(first));
    const found = await Promise.all(names.map((name) => this.#programs.foreign(name, real)));
    return { program: found[0], wrapper: found.slice(1).find((reason) => reason !== undefined) };
  }

  async #namesTroupe(words: readonly KnownArgument[], { real }: Place): Promise<boolean> {
    const paths = words.map((word) => knownValue(word) ?? "").filter((path) => path.includes("/"));
    const places = await Promise.all(
      paths.slice(0, mostScripts).map((path) => this.#placeFrom(real, path)),
    );
    const found = await Promise.all(places.map((place) => isTroupeProgram(place.real)));
    return found.includes(true);
  }

  /**
   * The target of `cd`, step by step. `cd ..` goes back the way it came, which after a link is not
   * the parent.
   */
  async #follow(route: DirectoryRoute): Promise<{ directory: Place; doubt?: string }> {
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
    const { words } = await this.#expand(pattern, real);
    return knownValue(words[0]) ?? ".";
  }

  async #expandAll(
    words: readonly Argument[],
    { real }: Place,
    isTooMuch: boolean,
  ): Promise<Expansion> {
    if (isTooMuch) return { ...nothing, words: words.map(unexpanded) };
    const expanded = await Promise.all(words.map((word) => this.#expand(word, real)));
    return {
      words: expanded.flatMap((each) => each.words),
      folders: expanded.flatMap((each) => each.folders),
      options: expanded.flatMap((each) => each.options),
    };
  }

  async #expand(word: Argument, directory: string): Promise<Expansion> {
    if (word.type !== "pattern") return { ...nothing, words: [word] };
    const key = JSON.stringify([directory, word.pieces]);
    const known = this.#expanded.get(key) ?? expandPattern(word, directory, this.#context);
    this.#expanded.set(key, known);
    const expansion = await known;
    this.#names += expansion.words.length + expansion.folders.length;
    return this.#names > mostPaths ? { ...expansion, words: [anyWords] } : expansion;
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

  /**
   * Resolves as the kernel does: `..` is the parent of the real directory that a link has led to.
   */
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
    const { real: start } = await this.#placeFrom(real, repository);
    const problem = await gitConfigurationProblem(start);
    // Where there is no .git, a bare repository can be made by writing plain files.
    const isSettled = this.#context.isStill || (await kindOf(`${start}/.git`)) !== "other";
    return problem ?? (isSettled ? undefined : "a repository may be made in that folder");
  }

  #place(path: string): Promise<Place> {
    const known = this.#places.get(path);
    if (known) return known;
    const place = this.#context.locate(path).catch((error: unknown) => {
      if (!(error instanceof TeamError)) throw error;
      // A path that no file can have is not in the workspace.
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
      for (const name of (await this.#expand(target, directory.real)).words) {
        const path = knownValue(name);
        if (path !== undefined) named.push(pathUse(path, use));
      }
    }
    const uses = await this.#placeAll(named, directory);
    const isKnown = command.opened.every(({ target }) => target.type === "literal");
    return isKnown ? { uses } : { uses, doubt: "it opens a file that is not known" };
  }
}

/** Reading a limited number of bytes of an endless device ends. */
function boundedUses({ uses }: Assessment, words: readonly KnownArgument[]): readonly PathUse[] {
  const isCounted = words.some((word) => /^(-c|--bytes)/.test(knownValue(word) ?? ""));
  const isBounded = knownValue(words[0]) === "head" && isCounted;
  return isBounded ? uses.filter(({ path }) => !endlessDevice.test(path)) : uses;
}

function unexpanded(word: Argument): KnownArgument {
  return word.type === "pattern" ? anyWords : word;
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
  return [...layers, ...layers.flatMap(launchedCommands)].map((layer) =>
    layer.map((word) => knownValue(word) ?? (word.type === "unknown" ? word.start : "")),
  );
}
