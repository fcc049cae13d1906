import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const page = readFileSync("docs/library.md", "utf8");
const snippets = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
const code = examples.map((name) => readFileSync(join("examples", name), "utf8"));

test("the page about the library has code examples", () => {
  expect(snippets.length).toBeGreaterThan(5);
});

test.each(snippets)("the code on the page about the library is in an example: %s", (snippet) => {
  // An example may import more from there than the page needs.
  const isImport = /^import \{ (\w+) \} from ("\w+");\n$/.exec(snippet);
  const pattern =
    isImport && new RegExp(`^import \\{.*\\b${isImport[1]}\\b.*\\} from ${isImport[2]};$`, "m");

  expect(code.some((text) => (pattern ? pattern.test(text) : text.includes(snippet)))).toBe(true);
});
