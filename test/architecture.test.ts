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
  server: [...leaves, "keys", "mailbox", "logs", "model", "workspace", "permissions", "team"],
  cli: [...leaves, "mailbox", "model", "permissions", "tools", "agent", "team", "server"],
  testing: [...leaves, "keys", ...stores, "processes", "model", "agent", "team"],
};

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\/.*\.ts$/.test(path),
);

test("every folder has its line in the table", () => {
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

test.each(pageSources)(
  "web/src/%s takes nothing but types of src/protocol from the program",
  (file) => {
    const text = readFileSync(join("web/src", file), "utf8");
    const imports = [...text.matchAll(/import ([^;"]*)"([^"]+)"/g)];

    const foreign = imports.filter(([, , path = ""]) => {
      const target = join("web/src", file, "..", path);
      return path.startsWith(".") && !target.startsWith("web/");
    });

    for (const [, names, path = ""] of foreign) {
      expect(join("web/src", file, "..", path)).toMatch(/^src\/protocol\//);
      // A schema would bring zod into the page.
      expect(names).toMatch(/^type /);
    }
  },
);

/** The two places that look at the process's surroundings: what a team runs on, and the program. */
const compositions = ["team/system-place.ts", "cli/main.ts"];

test.each(sources.filter((file) => !compositions.includes(file)))(
  "%s leaves environment, arguments and output alone",
  (file) => {
    expect(readFileSync(join("src", file), "utf8")).not.toMatch(
      /\bprocess\.(env|argv|cwd|exit|std)|\bconsole\./,
    );
  },
);

function importsOf(file: string): string[] {
  const text = readFileSync(join("src", file), "utf8");
  return [...text.matchAll(/(?:from|import) ?\(?"([^"]+)"/g)].flatMap(([, path]) => path ?? []);
}

function folderOf(file: string): string {
  return file.split("/")[0] ?? "";
}
