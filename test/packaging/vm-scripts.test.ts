import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { CodeCache } from "../../packaging/launcher/code-cache.ts";
import { Scripts } from "../../packaging/launcher/scripts.ts";
import { toScripts } from "../../packaging/vm-scripts.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const program = "program.js";

/** The scripts of a program whose entry is `code`, beside other chunks. */
function scriptsOf(code: string, others: Record<string, string> = {}) {
  const chunks = Object.entries({ [program]: code, ...others });
  return toScripts(
    chunks.map(([fileName, text]) => ({ fileName, code: text, isEntry: fileName === program })),
  );
}

/** What a program exports when the launcher runs it. */
async function run(code: string, others?: Record<string, string>): Promise<object> {
  await using directory = await temporaryDirectory();
  for (const [name, text] of scriptsOf(code, others)) {
    await writeFile(join(directory.path, name), text);
  }
  const env = { TROUPE_NO_CODE_CACHE: "1" };
  const cache = new CodeCache({ env, home: directory.path, uid: undefined, name: "test" });
  return { ...new Scripts(directory.path, cache).run(program) };
}

test("a module of Node is required when it is first used, and not before", async () => {
  const exported = await run(`
let node_path = require("node:path");
let node_nothing = require("node:nothing-of-that-name");
const base = node_path.basename("/a/b");
exports.base = base;
`);

  expect(exported).toEqual({ base: "b" });
});

test("a module of Node with a default import is wrapped as the bundler does it, when it is first used", async () => {
  const exported = await run(
    `
const require_runtime = require("./runtime.js");
let node_path = require("node:path");
node_path = require_runtime.__toESM(node_path, 1);
let node_nothing = require("node:nothing-of-that-name");
node_nothing = require_runtime.__toESM(node_nothing, 1);
const base = node_path.default.basename("/a/b");
exports.base = base;
`,
    {
      "runtime.js":
        "const __toESM = (module) => ({ default: module });\nexports.__toESM = __toESM;\n",
    },
  );

  expect(exported).toEqual({ base: "b" });
});

test("another chunk runs when it is first used, and once", async () => {
  const exported = await run(
    `
let ran = globalThis.chunksRun = [];
const require_other = require("./other.js");
ran.push("entry");
const values = [require_other.value, require_other.value, ran];
exports.values = values;
`,
    {
      "other.js": 'globalThis.chunksRun.push("other");\nconst value = 1;\nexports.value = value;\n',
    },
  );

  expect(exported).toEqual({ values: [1, 1, ["entry", "other"]] });
});

test.each([
  [
    "a property of that name",
    "const it = new Map(); it.require_other = 5; const value = it.require_other;",
    5,
  ],
  [
    "an optional property of that name",
    "const it = new Map(); it.require_other = 5; const value = it?.require_other;",
    5,
  ],
  ["a longer name", "const require_other2 = 5; const value = require_other2;", 5],
  ["a name with a dollar sign", "const require_other$1 = 5; const value = require_other$1;", 5],
  ["a spread", "const value = { ...require_other }.name;", "chunk"],
  ["a call", "const value = require_other.call();", "called"],
])(
  "where a required module has the name of something else, only the module is replaced: %s",
  async (_, code, value) => {
    const exported = await run(
      `const require_other = require("./other.js");\n${code}\nexports.value = value;\n`,
      {
        "other.js":
          'const name = "chunk";\nexports.name = name;\nconst call = () => "called";\nexports.call = call;\n',
      },
    );

    expect(exported).toEqual({ value });
  },
);

test("exports are read when they are used: two chunks may need each other", async () => {
  const exported = await run(
    `
const require_other = require("./other.js");
const ask = () => require_other.answer();
const name = "entry";
exports.name = name;
const answer = ask();
exports.answer = answer;
`,
    {
      "other.js": `
const require_program = require("./program.js");
const answer = () => \`asked by \${require_program.name}\`;
exports.answer = answer;
`,
    },
  );

  expect(exported).toEqual({ name: "entry", answer: "asked by entry" });
});

test("an export has the value that its variable has at the time", async () => {
  await using directory = await temporaryDirectory();
  const [[, code] = []] = scriptsOf(
    "let count = 0;\nconst add = () => count++;\nexports.count = count;\nexports.add = add;\n",
  );
  const env = { TROUPE_NO_CODE_CACHE: "1" };
  const cache = new CodeCache({ env, home: directory.path, uid: undefined, name: "test" });
  const exported = new Scripts(directory.path, cache).run(program, code);

  Reflect.get(exported, "add")();

  expect(Reflect.get(exported, "count")).toBe(1);
});

test("a script is ASCII, and its texts are what they were", async () => {
  const text = "ä € 😀 \u2028 café";
  const code = `const text = ${JSON.stringify(text)};\nconst has = /€/u.test(text);\nexports.text = text;\nexports.has = has;\n`;

  expect(scriptsOf(code).get(program)).toMatch(/^[\0-\x7f]+$/);
  expect(await run(code)).toEqual({ text, has: true });
});

test("import() of a module of Node is answered by the launcher", async () => {
  const exported = await run(
    '#!/usr/bin/env node\nconst base = import("node:path").then(({ basename }) => basename("/a/b"));\nexports.base = base;\n',
  );

  expect(await Reflect.get(exported, "base")).toBe("b");
});

test("import() of a package that is neither bundled nor known fails the build", () => {
  expect(() => scriptsOf('import("left-pad");\n')).toThrow("neither bundled nor known");
});

test("import() of code that the person has installed is answered by the launcher", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "installed.mjs");
  await writeFile(file, "export const name = 'installed';\n");
  const code = `const load = (installedCode) => import(installedCode);
const loaded = load(${JSON.stringify(pathToFileURL(file).href)});
exports.loaded = loaded;
`;

  expect(await Reflect.get(await run(code), "loaded")).toMatchObject({ name: "installed" });
});

test("a program without an entry fails the build", () => {
  expect(() => toScripts([{ fileName: "other.js", code: "", isEntry: false }])).toThrow("no entry");
});

test("small chunks are in the program's file, and large ones in files of their own", async () => {
  const large = `const size = ${JSON.stringify("x".repeat(10_000))}.length;\nexports.size = size;\n`;
  const small = "const size = 1;\nexports.size = size;\n";
  const code = `const require_large = require("./large.js");\nconst require_small = require("./small.js");\nconst sizes = [require_large.size, require_small.size];\nexports.sizes = sizes;\n`;

  expect([...scriptsOf(code, { "large.js": large, "small.js": small }).keys()].sort()).toEqual([
    "large.js",
    program,
  ]);
  expect(await run(code, { "large.js": large, "small.js": small })).toEqual({ sizes: [10_000, 1] });
});

test("the program's first line changes with every script, and with nothing else", () => {
  const large = (text: string) => ({ "large.js": `const text = "${text.repeat(10_000)}";\n` });
  const hashes = [
    scriptsOf("1;\n", large("a")),
    scriptsOf("1;\n", large("a")),
    scriptsOf("2;\n", large("a")),
    scriptsOf("1;\n", large("b")),
  ].map((scripts) => scripts.get(program)?.split("\n")[0]);

  expect(hashes[0]).toMatch(/^\/\/[0-9a-f]{16}$/);
  expect(hashes[1]).toBe(hashes[0]);
  expect(new Set(hashes).size).toBe(3);
});
