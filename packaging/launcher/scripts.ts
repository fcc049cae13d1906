import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type { CodeCache } from "./code-cache.ts";

/** The result of `packaging/vm-scripts.ts` for a file: its chunks by file name. */
type ChunksOf = (
  importBuiltin: (id: string) => Promise<unknown>,
  importPackage: (id: string) => Promise<unknown>,
  directory: string,
) => Record<string, Chunk>;
type Chunk = (require: (id: string) => unknown, exports: object) => void;

/** The scripts of the program, compiled when they are first needed. */
export class Scripts {
  /** Why the code cache should be written at the end: a script was compiled without it. */
  isAnyCompiled = false;
  readonly #directory: string;
  readonly #cache: CodeCache;
  readonly #compiled = new Map<string, Script>();
  readonly #chunks: Record<string, Chunk> = {};
  readonly #exports = new Map<string, object>();
  readonly #require: NodeJS.Require;

  constructor(directory: string, cache: CodeCache) {
    this.#directory = directory;
    this.#cache = cache;
    this.#require = createRequire(join(directory, "program.js"));
  }

  /** Runs a file's first chunk. Scripts have only ASCII, so V8 can use their bytes as they are. */
  run(fileName: string, source = readFileSync(join(this.#directory, fileName), "latin1")): object {
    this.#load(fileName, source);
    return this.#exportsOf(fileName);
  }

  compiled(): ReadonlyMap<string, Script> {
    return this.#compiled;
  }

  #load(fileName: string, source: string): void {
    const cachedData = this.#cache.read(fileName);
    const filename = join(this.#directory, fileName);
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected) this.isAnyCompiled = true;
    this.#compiled.set(fileName, script);
    const chunksOf: ChunksOf = script.runInThisContext();
    const importBuiltin = async (id: string) => this.#require(id);
    const importPackage = (id: string) => import(id);
    Object.assign(this.#chunks, chunksOf(importBuiltin, importPackage, this.#directory));
  }

  #exportsOf(fileName: string): object {
    const known = this.#exports.get(fileName);
    if (known) return known;
    const chunk = this.#chunks[fileName];
    if (!chunk) return this.run(fileName);
    const exports = {};
    this.#exports.set(fileName, exports);
    chunk((id) => this.#requireFrom(id), exports);
    return exports;
  }

  #requireFrom(id: string): unknown {
    return id.startsWith("./") ? this.#exportsOf(id.slice(2)) : this.#require(id);
  }
}
