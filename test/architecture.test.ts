import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What every folder may import without saying so. */
const leaves = ["protocol", "lib"];
const stores = ["mailbox", "roster", "tasks", "requests", "crons", "transcript", "fence", "logs"];

const workers = ["model", "workspace", "processes", "permissions", "tools", "agent"];

/** Folder → folders it may import. This table is the architecture; docs/architecture.md explains it. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  lib: ["protocol"],
  keys: leaves,
  mailbox: [...leaves, "keys"],
  roster: leaves,
  tasks: leaves,
  requests: [...leaves, "keys"],
  crons: leaves,
  transcript: leaves,
  fence: leaves,
  logs: leaves,
  model: leaves,
  workspace: leaves,
  processes: leaves,
  permissions: [...leaves, "requests", "workspace"],
  tools: [...leaves, "workspace", "processes"],
  agent: [
    ...leaves,
    ...["mailbox", "transcript", "logs", "model", "permissions", "processes", "tools"],
  ],
  team: [...leaves, "keys", ...stores, ...workers],
  server: [...leaves, "keys", "model", "workspace", "permissions", "team"],
  cli: [...leaves, "model", "permissions", "tools", "agent", "team", "server"],
  testing: [...leaves, "keys", ...stores, "processes", "model", "tools", "agent", "team"],
};

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\/.*\.ts$/.test(path),
);

test("every folder is in the import table", () => {
  expect(new Set(sources.map(folderOf))).toEqual(new Set(Object.keys(allowed)));
});

test.each(sources)("%s imports only what its folder may", (file) => {
  const folder = folderOf(file);

  const imported = importsOf(file)
    .filter((path) => path.startsWith("."))
    .map((path) => folderOf(join(file, "..", path)))
    .filter((other) => other !== folder && other !== "errors.ts" && other !== "..");

  expect(allowed[folder]).toEqual(expect.arrayContaining(imported));
});

test.each(sources.filter((file) => folderOf(file) === "protocol"))(
  "%s runs in a browser",
  (file) => {
    const foreign = importsOf(file).filter((path) => !path.startsWith("."));

    expect(foreign.filter((path) => path !== "zod")).toEqual([]);
    expect(readFileSync(join("src", file), "utf8")).not.toMatch(/\b(Buffer|process)\b\./);
  },
);

const pageSources = readdirSync("web/src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.tsx?$/.test(path),
);

/** What the page shares with the program. Of all other files of src/protocol it takes types alone. */
const shared = [
  ...["src/lib/markdown.ts", "src/lib/markdown-stream.ts"],
  ...["src/protocol/amounts.ts", "src/protocol/message-types.ts", "src/protocol/task-state.ts"],
];

test.each(pageSources)(
  "web/src/%s imports only types and shared files from the program",
  (file) => {
    const path = join("web/src", file);

    expect(foreignTo(path, readFileSync(path, "utf8"))).toEqual([]);
  },
);

test.each(shared)("%s adds only shared files to the page", (file) => {
  const values = importsIn(readFileSync(file, "utf8")).filter(({ isType }) => !isType);
  const own = values.map(({ path }) => (path.startsWith(".") ? join(file, "..", path) : path));

  expect([...shared, "marked"]).toEqual(expect.arrayContaining(own));
});

test.each([
  'import { systemClock } from "../../src/lib/clock.ts";',
  'import {\n  systemClock,\n} from "../../src/lib/clock.ts";',
  'export { systemClock } from "../../src/lib/clock.ts";',
  'export * from "../../src/lib/clock.ts";',
  'import "../../src/lib/clock.ts";',
  'const { systemClock } = await import("../../src/lib/clock.ts");',
  'import type { Clock } from "../../src/lib/clock.ts";',
  // A schema would bring zod into the page.
  'import { type Message, MessageId } from "../../src/protocol/message.ts";',
  'export { Message } from "../../src/protocol/message.ts";',
])("a page with %j would be detected", (text) => {
  expect(foreignTo("web/src/app.tsx", text)).toHaveLength(1);
});

/** What a file of the page imports and must not. */
function foreignTo(file: string, text: string): string[] {
  return importsIn(text).flatMap(({ path, isType }) => {
    const target = join(file, "..", path);
    if (!path.startsWith(".") || target.startsWith("web/") || shared.includes(target)) return [];
    return isType && target.startsWith("src/protocol/") ? [] : [path];
  });
}

/** Where a person waits for the first request, or for the end of the command. */
const quickStarts = ["cli/main.ts", "team/team.ts", "cli/commands/run.ts", "cli/commands/send.ts"];

test.each(quickStarts)("%s does not load the Markdown parser at its start", (file) => {
  expect(loadedBy([file])).not.toContain("lib/markdown.ts");
});

test("control: the talk loads it, so the test above could fail", () => {
  expect(loadedBy(["cli/commands/talk.ts"])).toContain("lib/markdown.ts");
});

test("importing the library loads nothing of the dashboard's server", () => {
  const served = (file: string) =>
    loadedBy([file]).filter((path) =>
      /^server\/(app\.ts|dashboard\.ts|room\/|export\/)/.test(path),
    );

  expect(served("index.ts")).toEqual([]);
  expect(served("server/dashboard.ts")).toContain("server/app.ts");
});

test("troupe/testing works without vitest; only the suites need it", () => {
  const usesVitest = (entry: string) =>
    loadedBy([entry]).filter((file) => importsOf(file).includes("vitest"));

  expect(usesVitest("testing/index.ts")).toEqual([]);
  expect(usesVitest("testing/conformance/index.ts")).not.toEqual([]);
});

/** The files that are loaded with `files`, without those that are loaded when they are asked for. */
function loadedBy(files: readonly string[]): string[] {
  const loaded = new Set(files);
  for (const file of loaded) {
    for (const { path, isType, isLate } of importsIn(readFileSync(join("src", file), "utf8")))
      if (path.startsWith(".") && !isType && !isLate) loaded.add(join(file, "..", path));
  }
  return [...loaded];
}

/** The two places that look at the process's surroundings: what a team runs on, and the program. */
const compositions = ["team/system-place.ts", "cli/main.ts"];

test.each(sources.filter((file) => !compositions.includes(file)))(
  "%s does not use the environment, arguments or output directly",
  (file) => {
    expect(readFileSync(join("src", file), "utf8")).not.toMatch(
      /\bprocess\.(env|argv|cwd|exit|std)|\bconsole\./,
    );
  },
);

/** Where backends are chosen; everything else gets a `TeamView`, whatever store is behind it. */
const choosers = ["cli/main.ts", "server/room/file-room.ts"];

test.each(
  sources.filter((file) => ["server", "cli"].includes(folderOf(file)) && !choosers.includes(file)),
)("%s does not import a backend of a store", (file) => {
  const targets = importsOf(file).map((path) => join(file, "..", path));

  const backends = new RegExp(`^(${[...stores, "team"].join("|")})/(.*/)?(file|memory)-`);
  expect(targets.filter((path) => backends.test(path))).toEqual([]);
});

function importsOf(file: string): string[] {
  return importsIn(readFileSync(join("src", file), "utf8")).map(({ path }) => path);
}

interface Import {
  path: string;
  isType: boolean;
  /** True for `import()`. */
  isLate: boolean;
}

function importsIn(text: string): Import[] {
  const pattern =
    /\b(?:import|export)\s+(type\s+)?(?:[^"';()]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/g;
  return [...text.matchAll(pattern)].map(([, type, path, loaded]) => ({
    path: path ?? loaded ?? "",
    isType: type !== undefined,
    isLate: loaded !== undefined,
  }));
}

function folderOf(file: string): string {
  return file.split("/")[0] ?? "";
}

const declaration = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

/** The files that declare a type of each name. */
function filesByType(texts: ReadonlyMap<string, string>): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const [file, text] of texts) {
    const names = new Set([...text.matchAll(declaration)].map(([, name = ""]) => name));
    for (const name of names) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return files;
}

function declaredTwice(texts: ReadonlyMap<string, string>): string[] {
  const all = [...filesByType(texts)];
  return all.flatMap(([name, files]) => (files.length > 1 ? `${name}: ${files.join(", ")}` : []));
}

test("no two files declare a type of the same name", () => {
  const files = ["src", "web/src"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const texts = new Map(
    files
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [path, readFileSync(path, "utf8")] as const),
  );

  expect(texts.size).toBeGreaterThan(500);
  expect(declaredTwice(texts)).toEqual([]);
});

test("control: a type that two files declare is found, exported or not", () => {
  const texts = new Map([
    ["a.ts", "interface Line {}\nexport type Row = 1;\nfunction f() {\n  type Line = 2;\n}"],
    ["b.ts", "export type Line = string;\nexport abstract class Page {}"],
    ["c.ts", "export class Page<T> {}\nconst Row = 1;"],
  ]);

  expect(declaredTwice(texts)).toEqual(["Line: a.ts, b.ts", "Page: b.ts, c.ts"]);
});
