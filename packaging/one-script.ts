import { createHash } from "node:crypto";
import type { Rolldown } from "tsdown";

/**
 * Makes of a CommonJS chunk a script for `node:vm`: one function expression, which is given `require`,
 * `importPackage` and `__dirname`. A script has no `import()` of its own without a flag of Node's. The first line
 * tells the content by its hash, for files that are made from it.
 */
export function oneScript(): Rolldown.Plugin {
  return {
    name: "one-script",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const code = withoutImports(file.code);
        const hash = createHash("sha256").update(code).digest("hex").slice(0, hashLength);
        file.code = `//${hash}\n(function (require, importPackage, __dirname) {${code}\n})\n`;
      }
    },
  };
}

const hashLength = 16;

function withoutImports(code: string): string {
  const script = code
    .replace(/^#!.*\n/, "")
    .replace(/\bimport\((?="node:)/g, "importBuiltin(")
    .replace(/\bimport\((?="@vscode\/ripgrep")/g, "importPackage(");
  if (/\bimport\(/.test(script))
    throw new Error("The program imports what is neither bundled nor known");
  return `const importBuiltin = async (name) => require(name);\n${script}`;
}
