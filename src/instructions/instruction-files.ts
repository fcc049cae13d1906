import { lstat, stat } from "node:fs/promises";
import { dirname, extname, join, relative, resolve } from "node:path";
import { TeamError } from "../errors.ts";
import { closing } from "../lib/closing.ts";
import { contains } from "../lib/contains.ts";
import { orNothing } from "../lib/or-nothing.ts";
import type { Place } from "../workspace/place.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { importsIn, spellingsOf } from "./imports.ts";

/** In the order in which they are looked for in a directory; the first that says something counts. */
const fileNames = ["AGENTS.md", "CLAUDE.md"];

/** Of all files together. More would push the work itself out of the model's context. */
const maxBytes = 64 * 1024;
const maxDepth = 4;
/** Of all files together: each is looked for on the disk. */
const maxImports = 200;
const maxWarnings = 10;

/** A directory out of which a file of instructions does not lead. */
export interface InstructionScope {
  /** Opens its files. */
  readonly workspace: Workspace;
  /** True for the directory of the person's own instructions. */
  readonly isPersonal: boolean;
  /** Where a file in it may import from, this one first. */
  readonly imports: readonly InstructionScope[];
}

/** A file of instructions, or one that it imports. */
export interface InstructionFile {
  /** As the member can name it for its file tools, where they reach it. */
  readonly name: string;
  readonly text: string;
  /** The name of the file that imports it. */
  readonly importedBy: string | undefined;
}

export interface InstructionFilesOptions {
  /** Of the member. Names are relative to its directory. */
  member: Workspace;
  /** What `~` means in an import. */
  home: string;
  /** False for a file that a rule denies. */
  mayRead(place: Place): boolean;
  onWarning(message: string): void;
}

interface FoundImport {
  scope: InstructionScope;
  place: Place;
}

/**
 * Reads files of instructions, and what they import, as far as there is room. Whatever a repository
 * put there, this neither fails nor waits: what cannot be used is a warning.
 */
export class InstructionFiles {
  readonly #options: InstructionFilesOptions;
  readonly #known = new Set<string>();
  #bytesLeft = maxBytes;
  #importsLeft = maxImports;
  #warnings = 0;

  constructor(options: InstructionFilesOptions) {
    this.#options = options;
  }

  /** The instructions in one directory of a scope, and after them what they import. */
  async readDirectory(scope: InstructionScope, directory: string): Promise<InstructionFile[]> {
    for (const name of fileNames) {
      const path = join(directory, name);
      // Most directories have none, and to look is much cheaper than to open safely.
      if (!(await orNothing(lstat(path), undefined))) continue;
      const found = await this.readFile(scope, path);
      if (found.some(({ text }) => text !== "")) return found;
    }
    return [];
  }

  /** One file of a scope, and after it what it imports. */
  readFile(scope: InstructionScope, path: string): Promise<InstructionFile[]> {
    return this.#read(scope, path, { importedBy: undefined, depth: 0 });
  }

  async #read(
    scope: InstructionScope,
    path: string,
    from: { importedBy: string | undefined; depth: number },
  ): Promise<InstructionFile[]> {
    const { importedBy, depth } = from;
    const name = this.#nameOf(path);
    try {
      const place = await scope.workspace.locate(path);
      const { member, mayRead } = this.#options;
      if (!mayRead(member.placeAt(place.real)))
        return this.#unused(name, "a rule denies reading it");
      if (this.#known.has(place.real)) return [];
      const text = await this.#textOf(scope, path, name);
      if (text === undefined) return [];
      this.#known.add(place.real);
      const imported = await this.#imported(text, { scope, path, name, depth });
      return [{ name, text, importedBy }, ...imported];
    } catch (error) {
      // A repository must not be able to keep its team from starting.
      if (!(error instanceof TeamError)) throw error;
      return this.#unused(name, error.message);
    }
  }

  /** The text as far as there is room; undefined if there is no such file. */
  async #textOf({ workspace }: InstructionScope, path: string, name: string) {
    const file = await workspace.openFile(path);
    if (!file) return undefined;
    const { handle, stats } = file;
    await using _ = closing(handle);
    if (this.#bytesLeft === 0) return `... (left out; read ${name})`;
    const room = this.#bytesLeft;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(room), 0, room, 0);
    const content = buffer.subarray(0, bytesRead);
    if (content.includes(0)) throw new TeamError("path-refused", `${name} is not a text file`);
    this.#bytesLeft -= bytesRead;
    const text = content.toString().trim();
    return stats.size > room ? `${text}\n... (more; read ${name} for the rest)` : text;
  }

  async #imported(
    text: string,
    from: { scope: InstructionScope; path: string; name: string; depth: number },
  ): Promise<InstructionFile[]> {
    if (!text.includes("@")) return [];
    const { scope, path, name, depth } = from;
    const files: InstructionFile[] = [];
    for (const written of importsIn(text)) {
      if (this.#importsLeft-- <= 0) break;
      const found = await this.#find(written, { scope, directory: dirname(path), name });
      if (!found) continue;
      if (depth === maxDepth) {
        this.#unused(`@${written}`, `imports are followed ${maxDepth} deep, and ${name} is`);
      } else {
        const next = { importedBy: name, depth: depth + 1 };
        files.push(...(await this.#read(found.scope, found.place.real, next)));
      }
    }
    return files;
  }

  /** The file that an import means. What names none stays text: it may be a person or a package. */
  async #find(
    written: string,
    from: { scope: InstructionScope; directory: string; name: string },
  ): Promise<FoundImport | undefined> {
    let isOutside = false;
    for (const spelling of spellingsOf(written)) {
      const path = resolve(from.directory, spelling.replace(/^~(?=\/)/, this.#options.home));
      const found = await this.#locate(path, from.scope);
      if (found === "outside") isOutside = true;
      else if ((await orNothing(stat(found.place.real), undefined))?.isDirectory() === false) {
        return found;
      }
    }
    const { name } = from;
    if (isOutside) this.#unused(`@${written}`, `${name} may import only from ${reach(from.scope)}`);
    else if (extname(written) === ".md") this.#unused(`@${written}`, `${name} names no such file`);
    return undefined;
  }

  async #locate(path: string, importer: InstructionScope): Promise<FoundImport | "outside"> {
    for (const scope of importer.imports) {
      const place = await locate(scope, path);
      // What else is there may be private: settings, for example.
      const isClosed = scope.isPersonal && !importer.isPersonal && extname(path) !== ".md";
      if (place?.isInside && !isClosed) return { scope, place };
    }
    return "outside";
  }

  #unused(name: string, reason: string): [] {
    this.#warnings++;
    if (this.#warnings <= maxWarnings) {
      this.#options.onWarning(`${name} is not used as instructions: ${reason}`);
    }
    return [];
  }

  #nameOf(path: string): string {
    const { cwd } = this.#options.member;
    return contains(cwd, path) ? relative(cwd, path) : path;
  }
}

/** The place of a path; undefined for one that no file can have. */
async function locate({ workspace }: InstructionScope, path: string): Promise<Place | undefined> {
  try {
    return await workspace.locate(path);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return undefined;
  }
}

function reach({ imports }: InstructionScope): string {
  return imports
    .map(({ workspace, isPersonal }) => workspace.root + (isPersonal ? " (Markdown files)" : ""))
    .join(" and ");
}
