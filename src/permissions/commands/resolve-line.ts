import { dirname, join, resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import type { Place } from "../../workspace/place.ts";
import { gitConfigurationProblem } from "../git-configuration.ts";
import { type Argument, anyWords, type KnownArgument, knownValue } from "./argument.ts";
import { type Assessment, assess } from "./assess.ts";
import { expandPattern } from "./expand-patterns.ts";
import type { Line, SimpleCommand } from "./line.ts";
import type { Route } from "./routes.ts";
import { alsoRun } from "./wrappers.ts";

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
}

export interface PlaceUse {
  readonly path: string;
  readonly place: Place;
  readonly use: "read" | "write";
  /** Which word names it; -1 for what the shell opens. */
  readonly word: number;
  readonly isTree: boolean;
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
  return { ...line, commands };
}

class LineResolver {
  readonly #locate: Locate;
  readonly #places = new Map<string, Promise<Place>>();

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  async resolve(command: SimpleCommand, route: Route): Promise<ResolvedCommand> {
    const { directory, doubt: lost } = await this.#follow(route);
    const isTooMuch = this.#places.size > mostPaths;
    const words = isTooMuch
      ? command.words.map(unexpanded)
      : (await Promise.all(command.words.map((word) => expand(word, directory.real)))).flat();
    const assessment: Assessment =
      words.length > 0
        ? assess(words)
        : { kind: "reads", uses: [], problem: undefined, repository: undefined };
    const searched = [...command.words.flatMap(searchedFolder), ...words.flatMap(foundFile)];
    const uses = [
      ...(await this.#placeAll(assessment.uses, directory)),
      ...(await this.#placeAll(searched, directory)),
    ];
    const opened = await this.#opened(command, directory);
    const hostile = await repositoryProblem(assessment, directory);
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
      caution: command.caution ?? hostile,
      problem: assessment.problem,
    };
  }

  /** Where `cd` leads, step by step. It goes back the way it came, which after a link is not `..`. */
  async #follow(route: Route): Promise<{ directory: Place; doubt?: string }> {
    let directory = await this.#place(".");
    let isLinked = false;
    for (const step of route) {
      const next = resolve(directory.real, step);
      if (isLinked && step.split("/").includes("..")) {
        return { directory, doubt: "it goes back from a linked directory" };
      }
      directory = await this.#place(next);
      isLinked ||= directory.real !== next;
      if (isLinked && step.split("/").includes("..")) {
        return { directory, doubt: "it goes back from a linked directory" };
      }
    }
    return { directory };
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
    const targets = command.opened.map(({ use, target }) => ({ use, path: knownValue(target) }));
    const known = targets.flatMap(({ use, path }) =>
      path === undefined ? [] : [{ use, path, word: -1, isTree: false }],
    );
    const uses = await this.#placeAll(known, directory);
    return known.length < targets.length
      ? { uses, doubt: "it opens a file that is not known" }
      : { uses };
  }
}

async function expand(word: Argument, directory: string): Promise<KnownArgument[]> {
  return word.type === "pattern" ? await expandPattern(word, directory) : [word];
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

async function repositoryProblem(
  { repository }: Assessment,
  { real }: Place,
): Promise<string | undefined> {
  return repository === undefined
    ? undefined
    : await gitConfigurationProblem(resolve(real, repository));
}

function layersOf(command: SimpleCommand, words: readonly KnownArgument[]): string[][] {
  const layers = [...command.wrappings, words];
  return [...layers, ...layers.flatMap(alsoRun)].map((layer) =>
    layer.map((word) => knownValue(word) ?? (word.type === "unknown" ? word.start : "")),
  );
}
