import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { optionNames } from "../../src/team/check-options.ts";
import { markdownTables } from "../support/markdown-tables.ts";
import { allPages, fencesIn } from "./pages/markdown-page.ts";

const pages = allPages().filter(({ text }) => /^```ts\n/m.test(text));
const snippets = pages.flatMap(({ text }) =>
  fencesIn(text)
    .filter(({ language }) => language === "ts")
    .flatMap(({ code }) => code.split(/(?<=^import .*\n)\n/m)),
);
const options = markdownTables(readFileSync("docs/library.md", "utf8")).find(({ header }) =>
  header[0]?.includes("option of `Team.open`"),
);
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
const programs = [
  ...examples.map((name) => join("examples", name)),
  "test/mailbox/memory-mailbox.test.ts",
];
const code = programs.map((path) => readFileSync(path, "utf8"));

test("the page about the library lists all options of Team.open", () => {
  const named = options?.rows.flatMap(([names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );

  expect(named?.sort()).toEqual([...optionNames].sort());
});

test("the page about the library and the README have code examples", () => {
  expect(snippets.length).toBeGreaterThan(5);
  expect(pages.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["README.md", "docs/library.md"]),
  );
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
