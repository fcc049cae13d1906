import { createHash } from "node:crypto";
import type { Rolldown } from "tsdown";

type Chunk = Pick<Rolldown.OutputChunk, "fileName" | "code" | "isEntry">;

/** Chunks smaller than this are added to the program's file: opening a file takes longer than reading them. */
const minOwnFileBytes = 10_000;
const hashLength = 16;

/** The build's step that runs `toScripts`. */
export function vmScripts(): Rolldown.Plugin {
  return {
    name: "vm-scripts",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const scripts = toScripts(chunks);
      for (const chunk of chunks) {
        const code = scripts.get(chunk.fileName);
        if (code === undefined) delete bundle[chunk.fileName];
        else chunk.code = code;
      }
    },
  };
}

/**
 * Turns CommonJS chunks into scripts for `node:vm`, by file name; `packaging/launcher` runs them. A script's file is one
 * function that returns the chunks in it by file name. The program's file starts with a hash of all
 * scripts, which names their code cache.
 *
 * Each chunk loads Node's modules and other chunks at first use. All is ASCII, so V8 can use the bytes
 * of the file as they are.
 */
export function toScripts(chunks: readonly Chunk[]): ReadonlyMap<string, string> {
  const entry = chunks.find((chunk) => chunk.isEntry);
  if (!entry) throw new Error("The program has no entry");
  const isOwnFile = (chunk: Chunk) => chunk !== entry && chunk.code.length >= minOwnFileBytes;
  const small = chunks.filter((chunk) => chunk !== entry && !isOwnFile(chunk));
  const scripts = new Map(
    chunks.filter(isOwnFile).map((chunk) => [chunk.fileName, script([chunk])]),
  );
  const program = script([entry, ...small]);
  const hash = createHash("sha256");
  for (const code of [program, ...scripts.values()]) hash.update(code);
  return scripts.set(entry.fileName, `//${hash.digest("hex").slice(0, hashLength)}\n${program}`);
}

function script(chunks: readonly Chunk[]): string {
  // V8 compiles a function in parentheses at once: the first chunk is needed whenever its file is.
  const functions = chunks.map(
    ({ fileName, code }, at) =>
      `${JSON.stringify(fileName)}: ${at === 0 ? "(" : ""}function (require, exports) {${chunkBody(code)}\n}${at === 0 ? ")" : ""}`,
  );
  return ascii(
    `(function (importBuiltin, importPackage, __dirname) { return {${functions.join(",\n")}}; })\n`,
  );
}

function chunkBody(code: string): string {
  const body = loadLazily(code)
    // A module's exports have no values before it runs, which may be after its chunk was loaded.
    .replace(
      /^exports\.(\w+) = ([\w$]+);$/gm,
      'Object.defineProperty(exports, "$1", { enumerable: true, get: () => $2 });',
    )
    .replace(/^#!.*\n/, "")
    .replace(/\bimport\((?="node:)/g, "importBuiltin(")
    // Beside the one package that is not bundled, only code that the person has installed is imported.
    .replace(/\bimport\((?="@vscode\/ripgrep"|installedCode\))/g, "importPackage(");
  // A script has no `import()` of its own without a flag of Node's.
  if (/\bimport\(/.test(body))
    throw new Error("The program imports a package that is neither bundled nor known");
  return body;
}

/** Replaces variables that hold a required module with functions that require it when first called. */
function loadLazily(code: string): string {
  const names = new Set<string>();
  const lazy = code.replace(
    // A module of Node whose default export is imported is wrapped in a second line.
    /^(?:let|const) (\w+) = (require\("(?:node:[^"]+|\.\/[^"]+)"\));(?:\n\1 = (\w+\.__toESM\()\1(, 1\));)?$/gm,
    (_lines, name: string, required: string, wrap = "", end = "") => {
      names.add(name);
      return `let ${name}$; const ${name}$load = () => (${name}$ ??= ${wrap}${required}${end});`;
    },
  );
  return lazy.replace(/(?<![\w$]|(?<!\.\.)\.)[a-z]\w+(?![\w$])/g, (name) =>
    names.has(name) ? `(${name}$load())` : name,
  );
}

function ascii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
