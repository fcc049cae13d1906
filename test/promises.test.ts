import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const rows = [
  ...readFileSync("docs/promises.md", "utf8").matchAll(/^\| (P\d\d) \|.*\| (\w+) \|$/gm),
].map(([, id, state]) => ({ id, state }));

const titles = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap((name) => [
    ...readFileSync(join("test", name), "utf8").matchAll(
      /\b(?:test|describe)\b[^"`]*["`](P\d\d) /g,
    ),
  ])
  .map(([, id]) => id);

test("every promise is listed once, in order", () => {
  expect(rows.map(({ id }) => id)).toEqual(
    Array.from({ length: 25 }, (_, index) => `P${String(index + 1).padStart(2, "0")}`),
  );
});

test("the titles of tests are found at all", () => {
  expect(new Set(titles).size).toBeGreaterThan(5);
});

test.each(rows.filter(({ state }) => state !== "coming"))("$id is named by a test", ({ id }) => {
  expect(titles).toContain(id);
});
