import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const promises = [...readFileSync("docs/promises.md", "utf8").matchAll(/^\| (P\d\d) \|/gm)].map(
  ([, id]) => id,
);

/** The promises that the titles of end-to-end tests begin with. */
const named = readdirSync("test/e2e", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap((name) => promisesNamedIn(readFileSync(join("test/e2e", name), "utf8")));

function promisesNamedIn(text: string): string[] {
  return [...text.matchAll(/\b(?:test|describe)\b[^"`]*["`]((?:P\d\d[ ,]+)+)/g)].flatMap(
    ([, ids = ""]) => ids.match(/P\d\d/g) ?? [],
  );
}

test("every promise is listed once, in order", () => {
  expect(promises).toEqual(
    Array.from({ length: 25 }, (_, index) => `P${String(index + 1).padStart(2, "0")}`),
  );
});

test.each(promises)("%s is named by an end-to-end test", (id) => {
  expect(named).toContain(id);
});

test("control: a promise that only a comment names is not found", () => {
  expect(promisesNamedIn('// P07 is not here\ntest("shuts down", () => {});')).toEqual([]);
  expect(promisesNamedIn('test("P07 P08 shuts down", () => {});')).toEqual(["P07", "P08"]);
});
