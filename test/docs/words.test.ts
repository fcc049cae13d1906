import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Words that nobody would say to a colleague, in texts, comments or names. */
const archaic = /\b(?:afresh|anew|hence|lest|thereof|unless said|whence|whoever|whomever)\b/i;

const files = ["src", "web/src", "docs", "examples"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:tsx?|md)$/.test(path))
    .map((path) => join(folder, path)),
);

test.each(["README.md", "CONTRIBUTING.md", ...files])("%s has no archaic words", (file) => {
  const lines = readFileSync(file, "utf8").split("\n");

  expect(lines.filter((line) => archaic.test(line))).toEqual([]);
});

test("control: such a word is found at the beginning of a sentence, too", () => {
  expect("Whoever leaves leaves.").toMatch(archaic);
});
