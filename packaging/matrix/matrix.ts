/**
 * Installs the packed package with every package manager, runs the examples on every supported
 * version of Node, and checks their types with several versions of TypeScript. Writes the results
 * into docs/benchmarks.md. For Linux on x64; the tools are fetched as the lockfile in `tools/` has
 * them.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { publish, type Section } from "../../bench/lib/report.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import type { PackageManager } from "../managers/managers.ts";
import { exampleFiles, javaScriptOf, type ModuleResolution } from "../managers/programs.ts";
import { type Finished, Project } from "../managers/project.ts";
import { stockedRegistry } from "../managers/stock.ts";
import { installTools, type Tool } from "./install-tools.ts";

const resolutions: ModuleResolution[] = ["nodenext", "bundler"];

/** What fails with a package manager, by the version of Node or of TypeScript that was tried. */
interface Row {
  manager: string;
  failures: Map<string, string[]>;
}

await using directory = await temporaryDirectory();
await using registry = await stockedRegistry(directory.path);
const { managers, nodes, compilers } = await installTools(directory.path);
const files = await exampleFiles();
const programs = javaScriptOf(files);
const rows: Row[] = [];
for (const manager of managers) rows.push(await rowOf(manager));

await publish({
  title: "Package managers",
  command: "npm run test:packages",
  about:
    "The package as `npm pack` makes it, installed by its name into an empty project, from a registry on the same machine.",
  date: new Date(),
  sections: [
    section("Programs", nodes, {
      about: `All ${Object.keys(programs).length} examples, one of which is a CommonJS program, and the command. Where a name is given, that one fails.`,
      target: "0",
      isMet: (count) => count === 0,
    }),
    section("Types", compilers, {
      about:
        "The types of the examples and of all packages (`strict`, `skipLibCheck: false`), as ES modules and as CommonJS, each with `nodenext` and with `bundler` resolution. Plug'n'Play works only with the TypeScript that Yarn has patched.",
      target: "0",
      isMet: (count) => count === 0,
    }),
  ],
});

async function rowOf(manager: PackageManager): Promise<Row> {
  const home = join(directory.path, manager.name.replaceAll(/\W/g, "-"));
  await mkdir(home);
  const project = await Project.install({ directory: home, manager, registry });
  await project.write({ ...files, ...programs });
  const failures = new Map<string, string[]>();
  for (const { name, path } of nodes) failures.set(name, await failingPrograms(project, path));
  for (const { name, path, isInstalled } of compilers) {
    if (isInstalled || !manager.compile) failures.set(name, await failingChecks(project, path));
  }
  console.log(manager.name, Object.fromEntries(failures));
  return { manager: manager.name, failures };
}

function failingPrograms(project: Project, node: string): Promise<string[]> {
  const runs = Object.keys(programs).map((name) => [name, project.run(name, node)] as const);
  return failing([...runs, ["troupe --version", project.troupe("--version", node)]]);
}

function failingChecks(project: Project, compiler: string): Promise<string[]> {
  return failing(resolutions.map((name) => [name, project.check(compiler, name)]));
}

async function failing(trials: (readonly [name: string, Promise<Finished>])[]): Promise<string[]> {
  const names: string[] = [];
  for (const [name, finished] of trials) {
    const { code, output } = await finished;
    if (code === 0) continue;
    console.error(output);
    names.push(name);
  }
  return names;
}

interface SectionOptions {
  about: string;
  target: string;
  isMet(failed: number): boolean;
}

function section(title: string, tools: readonly Tool[], options: SectionOptions): Section {
  const tried = rows.flatMap(({ failures }) => tools.flatMap(({ name }) => [failures.get(name)]));
  const results = tried.filter((it) => it !== undefined);
  const failed = results.filter(({ length }) => length > 0).length;
  const cell = (failures: string[] | undefined) =>
    failures === undefined ? "" : failures.join(", ") || "passes";
  return {
    title,
    about: options.about,
    table: {
      head: ["", ...tools.map(({ name }) => name)],
      rows: rows.map(({ manager, failures }) => [
        manager,
        ...tools.map(({ name }) => cell(failures.get(name))),
      ]),
    },
    targets: [
      {
        what: `${title.toLowerCase()}: combinations with a failure`,
        figure: `${failed} of ${results.length}`,
        target: options.target,
        isMet: options.isMet(failed),
      },
    ],
  };
}
