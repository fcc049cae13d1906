import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { linkedFiles } from "../docs/pages/links.ts";

const Packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

/** The paths of all files in the package, as `npm pack` would make it. */
function packedFiles(): string[] {
  const pack = ["pack", "--dry-run", "--ignore-scripts", "--json"];
  const json = execFileSync("npm", pack, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [{ files }] = Packed.parse(JSON.parse(json));
  return files.map(({ path }) => path);
}

test("every link of a page in the package leads to a file in the package", () => {
  const files = packedFiles();
  const isPacked = (target: string) =>
    files.some((path) => path === target || path.startsWith(`${target.replace(/\/$/, "")}/`));
  const pages = files.filter((path) => path.endsWith(".md"));

  const dead = pages.flatMap((path) =>
    [...linkedFiles({ path, text: readFileSync(path, "utf8") })]
      .filter((target) => !isPacked(target))
      .map((target) => `${path}: ${target}`),
  );

  expect(pages.length).toBeGreaterThan(40);
  expect(dead).toEqual([]);
});
