import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { managers } from "../../packaging/managers/managers.ts";
import {
  exampleFiles,
  javaScriptOf,
  type ModuleResolution,
} from "../../packaging/managers/programs.ts";
import { Project } from "../../packaging/managers/project.ts";
import { stockedRegistry } from "../../packaging/managers/stock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** The compiler checks the types of everything that is installed, on however busy a machine. */
const timeout = 240_000;

/** `npm run test:packages` has all combinations, with other versions of Node and TypeScript too. */
const checkedWith: Record<string, ModuleResolution> = {
  npm: "nodenext",
  "pnpm 10": "bundler",
};

test.each(managers)(
  "the packed package installs with $name, and the examples run",
  {
    timeout,
  },
  async (manager) => {
    expect(existsSync("dist/index.js"), "run `npm run build` first").toBe(true);
    await using directory = await temporaryDirectory();
    await using registry = await stockedRegistry(directory.path);
    const files = await exampleFiles();
    const programs = javaScriptOf(files);
    const project = await Project.install({ directory: directory.path, manager, registry });
    await project.write({ ...files, ...programs });

    const version = await project.troupe("--version");
    const names = Object.keys(programs);
    const runs = await Promise.all(names.map((name) => project.run(name)));

    expect(version).toMatchObject({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(names.length).toBeGreaterThan(4);
    const failed = runs.flatMap(({ code, output }, at) => (code === 0 ? [] : [names[at], output]));
    expect(failed).toEqual([]);

    const resolution = checkedWith[manager.name];
    if (!resolution) return;
    const checked = await project.check(resolve("node_modules/typescript/bin/tsc"), resolution);
    expect(checked).toEqual({ code: 0, output: "" });
  },
);
