import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Stay outside the bundles, and bring their own licences. */
const notBundled = ["@vscode/ripgrep", "vitest"];

/** Packages that only types are taken from leave nothing in a bundle. */
const importPattern =
  /^(?:import|export)(?! type) [^;]*?from "([^".][^"]*)"|import\("([^".][^"]*)"\)/gm;

test("every package in the program has its licence in the package", async () => {
  const packages = await importedBy("src", /\.ts$/);
  const files = ["dist/THIRD-PARTY-LICENSES.txt", "dist/cli/THIRD-PARTY-LICENSES.txt"];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const licensed = texts.join("\n");

  expect(packages.length).toBeGreaterThan(5);
  for (const name of packages) expect(licensed).toMatch(new RegExp(`^${name} \\d`, "m"));
  expect(licensed).toContain("Permission is hereby granted, free of charge");
});

test("every package in the page has its licence in the script, and so in every exported run", async () => {
  const packages = [
    ...(await importedBy("web/src", /\.tsx?$/)),
    ...(await importedBy("src/lib", /^markdown.*\.ts$/)),
  ];
  const script = await readFile("dist/web/dashboard.js", "utf8");
  const comment = script.slice(0, script.indexOf("*/"));

  expect(packages).toEqual(["preact", "marked"]);
  expect(comment).toMatch(/^\/\*!/);
  for (const name of packages) expect(comment).toMatch(new RegExp(`^${name} \\d`, "m"));
  expect(comment).toContain(
    "The above copyright notice and this permission notice shall be included",
  );
});

async function importedBy(directory: string, kind: RegExp): Promise<string[]> {
  const names = (await readdir(directory, { recursive: true })).filter((name) => kind.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  const found = texts.flatMap((text) =>
    [...text.matchAll(importPattern)].map(([, one, other]) => packageOf(one ?? other ?? "")),
  );
  return [...new Set(found)].filter(
    (name) => !name.startsWith("node:") && !notBundled.includes(name),
  );
}

function packageOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
