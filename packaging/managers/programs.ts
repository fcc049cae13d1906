import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";

/** The examples, and what only the compiler sees: a CommonJS module that uses the types. */
export async function exampleFiles(): Promise<Record<string, string>> {
  const names = (await readdir("examples")).filter((name) => /\.(ts|cjs)$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join("examples", name), "utf8")));
  const examples = Object.fromEntries(names.map((name, at) => [name, texts[at] ?? ""]));
  return { ...examples, "types.cts": commonJsTypes };
}

const commonJsTypes = `
import troupe = require("troupe");
export const open: (options: troupe.TeamOptions) => Promise<troupe.Team> = troupe.Team.open;
// @ts-expect-error The control: the types are found, and a number is no directory.
export const team = troupe.Team.open({ cwd: 1 });
`;

/** The programs among these files, as Node runs them. */
export function javaScriptOf(files: Readonly<Record<string, string>>): Record<string, string> {
  const programs = Object.entries(files).flatMap(([name, text]) => {
    if (name.endsWith(".cjs")) return [[name, text]];
    if (!name.endsWith(".ts")) return [];
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    return [[name.replace(/\.ts$/, ".js"), outputText]];
  });
  return Object.fromEntries(programs);
}

export type ModuleResolution = "nodenext" | "bundler";

/** A strict user's settings of the compiler, which checks the types of packages too. */
export function compilerSettings(moduleResolution: ModuleResolution): string {
  const module = moduleResolution === "nodenext" ? "nodenext" : "preserve";
  const compilerOptions = {
    ...{ target: "es2022", lib: ["es2023", "esnext.disposable"], types: ["node"] },
    ...{ module, moduleResolution, strict: true, exactOptionalPropertyTypes: true },
    ...{ noUncheckedIndexedAccess: true, skipLibCheck: false, noEmit: true },
  };
  return JSON.stringify({ compilerOptions, include: ["*.ts", "*.cts"] });
}
