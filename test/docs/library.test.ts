import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { optionNames } from "../../src/team/check-options.ts";
import { markdownTables } from "../support/markdown-tables.ts";

const pages = ["docs/library.md", "README.md"].map((path) => readFileSync(path, "utf8"));
/** The README leaves the choice of a model to the reader. */
const snippets = pages.flatMap((page) =>
  [...page.matchAll(/^```ts\n(.*?)^```$/gms)].flatMap(([, code = ""]) =>
    code.replaceAll("<model>", "scripted").split(/(?<=^import .*\n)\n/m),
  ),
);
const options = markdownTables(pages[0] ?? "").find(({ header }) =>
  header[0]?.includes("option of `Team.open`"),
);
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
const code = examples.map((name) => readFileSync(join("examples", name), "utf8"));

test("the page about the library lists all options of Team.open", () => {
  const named = options?.rows.flatMap(([names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );

  expect(named?.sort()).toEqual([...optionNames].sort());
});

test("the page about the library and the README have code examples", () => {
  expect(snippets.length).toBeGreaterThan(5);
  expect(pages.every((page) => page.includes("```ts\n"))).toBe(true);
});

test.each(snippets)(
  "the code on the pages is part of a program that the tests run: %s",
  (snippet) => {
    // An example may import more from there than the page needs.
    const isImport = /^import \{ (\w+) \} from ("\w+");\n$/.exec(snippet);
    const pattern =
      isImport && new RegExp(`^import \\{.*\\b${isImport[1]}\\b.*\\} from ${isImport[2]};$`, "m");

    expect(code.some((text) => (pattern ? pattern.test(text) : text.includes(snippet)))).toBe(true);
  },
);
