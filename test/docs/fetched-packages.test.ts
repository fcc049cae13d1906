import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { fetchedPackages } from "./pages/fetched-packages.ts";
import { allPages } from "./pages/markdown-page.ts";

/** Published by others, and named on our pages without being installed here. */
const published = ["@ai-sdk/groq"];

const Lock = z.object({
  packages: z.record(z.string(), z.object({ bin: z.record(z.string(), z.string()).optional() })),
});

/** What `npm ci` installs: names of packages, and of their programs. */
function installed(): Set<string> {
  const { packages } = Lock.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
  const own = new Set(["", "node_modules/troupe"]);
  const others = Object.entries(packages).filter(([path]) => !own.has(path));
  const names = others.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13));
  return new Set([...names, ...others.flatMap(([, { bin }]) => Object.keys(bin ?? {}))]);
}

// Whoever registers a name that nobody has would get to run code, with a key in its environment.
test.each(allPages())("$path fetches no package by a name that is not published", ({ text }) => {
  const known = new Set([...installed(), ...published]);

  expect(fetchedPackages(text).filter((name) => !known.has(name))).toEqual([]);
});

const sources = ["src", "web/src", "examples", "scripts"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|cjs|yml)$/.test(name))
    .map((name) => join(folder, name)),
);

test("no hint, help text or example fetches troupe by its name", () => {
  const fetching = sources.filter((path) =>
    fetchedPackages(readFileSync(path, "utf8")).includes("troupe"),
  );

  expect(sources.length).toBeGreaterThan(400);
  expect(fetching).toEqual([]);
});

test("control: packages that are fetched by their name are found, others are not", () => {
  const text = [
    "Run `npx troupe`, `npx -y troupe@latest run`, `npm install -g troupe # global it is` or `npm i a @b/c@1 --save-dev`.",
    "pnpm add d | yarn dlx e && bunx f; npm exec -- g",
    "`npx --no -- troupe`, `npm install -g .`, `npm install ./troupe-0.1.0.tgz`, `npm install`, `npm ci`,",
    "`npm install <a clone>`, `npm install file:../troupe`, `troupe run`, npx, npm exec, npm test",
  ].join("\n");

  expect(fetchedPackages(text)).toEqual([
    ...["troupe", "troupe", "troupe", "a", "@b/c", "d", "e", "f", "g"],
  ]);
});
