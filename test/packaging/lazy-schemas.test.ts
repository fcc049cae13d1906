import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { withLazySchemas } from "../../packaging/lazy-schemas.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const schemas = `
  export const made: string[] = [];
  /** As far as a schema is recognized. */
  class Schema {
    readonly _zod = {};
    constructor(readonly name: string) { made.push(name); }
  }
  export function schema(name: string): Schema { return new Schema(name); }
`;
const records = `
  import { schema } from "./schemas.ts";
  const inner = schema("inner");
  export const Task = schema(\`task of \${inner.name}\`);
  export type Task = string;
  export const Unused = schema("unused");
  export const limits = { Task: 3 };
`;
const user = `
  import { limits, Task, type Task as TaskType, Unused } from "./records.ts";
  export { made } from "./schemas.ts";
  export const names: TaskType[] = [];
  export interface Held { held: typeof Unused }
  export function hold() { return { Task, limit: limits.Task, other: Task === Task }; }
  export function shadow(Task: string) { return Task; }
  export async function load() {
    const { Task: loaded } = await import("./records.ts");
    return loaded.name;
  }
  export async function reach() { return (await import("./records.ts")).Task.name; }
`;

/** The module \`user\`, with everything that it imports. */
async function build(directory: string, change: typeof withLazySchemas) {
  const sources = { schemas, records, user };
  for (const [name, text] of Object.entries(sources)) {
    await writeFile(join(directory, `${name}.ts`), text);
  }
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, strict: true };
  const resolution = { allowImportingTsExtensions: true, noEmit: true, types: [] };
  const program = ts.createProgram([join(directory, "user.ts")], {
    ...{ ...options, ...resolution },
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const built = join(directory, "built");
  await mkdir(built);
  await writeFile(join(built, "package.json"), JSON.stringify({ type: "module" }));
  for (const name of Object.keys(sources)) {
    const file = program.getSourceFile(join(directory, `${name}.ts`));
    if (!file) throw new Error(`There is no ${name}.ts`);
    const code = change(file, program.getTypeChecker()).replaceAll('.ts"', '.js"');
    const { outputText } = ts.transpileModule(code, { compilerOptions: options });
    await writeFile(join(built, `${name}.js`), outputText);
  }
  return await import(pathToFileURL(join(built, "user.js")).href);
}

test("a schema is made when it is first used, once, and one that is not used never", async () => {
  await using directory = await temporaryDirectory();
  const { made, hold } = await build(directory.path, withLazySchemas);
  expect(made).toEqual([]);

  const held = hold();

  expect(held).toEqual({ Task: expect.anything(), limit: 3, other: true });
  expect(held.Task.name).toBe("task of inner");
  expect(hold().Task).toBe(held.Task);
  expect(made).toEqual(["inner", "task of inner"]);
});

test("control: without that, importing a module makes its schemas", async () => {
  await using directory = await temporaryDirectory();
  const { made } = await build(directory.path, (file) => file.text);

  expect(made).toEqual(["inner", "task of inner", "unused"]);
});

test("a schema of a module that is loaded later is made when it is used, and other names stay", async () => {
  await using directory = await temporaryDirectory();
  const { load, reach, shadow } = await build(directory.path, withLazySchemas);

  expect(shadow("mine")).toBe("mine");
  expect(await load()).toBe("task of inner");
  expect(await reach()).toBe("task of inner");
});
