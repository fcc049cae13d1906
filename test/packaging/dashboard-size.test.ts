import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

/** The dashboard's page, as it is published. */
const directory = resolve("dist/web");

test("the dashboard's script is at most 72 kB gzipped, and the page loads only it and its style", async () => {
  const names = await readdir(directory);
  const scripts = names.filter((name) => /\.m?js$/.test(name));
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await readFile(join(directory, name))).length),
  );

  expect(names.sort()).toEqual(["dashboard.css", "dashboard.js", "index.html"]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(72_000);
});
