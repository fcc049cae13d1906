import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { optionNames } from "../../src/team/check-options.ts";
import { markdownTables } from "../support/markdown-tables.ts";
import { allPages } from "./pages/markdown-page.ts";
import { unrunCode } from "./pages/program-code.ts";

const pages = allPages();
const library = pages.find(({ path }) => path === "docs/library.md") ?? expect.fail();
const options = markdownTables(library.text).find(({ header }) =>
  header[0]?.includes("option of `Team.open`"),
);
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
const programs = [
  ...examples.map((name) => join("examples", name)),
  "test/mailbox/memory-mailbox.test.ts",
].map((path) => readFileSync(path, "utf8"));

test("the page about the library lists all options of Team.open", () => {
  const named = options?.rows.flatMap(([names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );

  expect(named?.sort()).toEqual([...optionNames].sort());
});

test.each(pages)("all code of programs on $path is part of one that the tests run", ({ text }) => {
  expect(unrunCode(text, programs)).toEqual([]);
});

test("control: without those programs, the code of the page about the library and of the README is found", () => {
  const readme = pages.find(({ path }) => path === "README.md");

  expect(unrunCode(library.text, []).length).toBeGreaterThan(15);
  expect(unrunCode(readme?.text ?? "", [])).toHaveLength(2);
});

test("control: code that no program has is found, however its block is written", () => {
  const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;
  const text = [
    block("ts", "const none = 1;"),
    block("js", "const none = 2;"),
    block("typescript", "const none = 3;"),
    block("", 'const { Team } = require("troupe");'),
    block("text", "await team.none();"),
    `- A list:\n  ${block("ts", "const none = 4;").replaceAll("\n", "\n  ")}`,
    block("ts", 'import { Team } from "troupe";'),
    block("", "lead  working"),
    block("sh", "troupe run hello"),
  ].join("\n");

  const found = unrunCode(text, ['import { systemPlace, Team } from "troupe";\n']);

  expect(found.map((code) => code.trim())).toEqual([
    ...["const none = 1;", "const none = 2;", "const none = 3;"],
    'const { Team } = require("troupe");',
    ...["await team.none();", "const none = 4;"],
  ]);
});
