import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** A program to start: its file, and its first arguments. */
export type Command = readonly [file: string, ...argv: string[]];

/** A package manager, as it is called in a project. */
export interface PackageManager {
  name: string;
  install: Command;
  /** Runs a JavaScript file that imports packages. */
  run: Command;
  /** Runs the program of the package. */
  troupe: Command;
  /** Runs the project's own TypeScript, where another one does not find the packages. */
  compile?: Command;
  /** The settings of the project, by the name of their file. */
  settings?: Readonly<Record<string, string>>;
}

const modules = resolve("node_modules");
// Not the files in node_modules/.bin: they are complete only where installing runs scripts.
const yarn: Command = ["node", join(modules, "@yarnpkg/cli-dist/bin/yarn.js")];
// The last one that runs on Node 20; the newest one is in the matrix.
const pnpm: Command = ["node", join(modules, "pnpm/bin/pnpm.cjs")];
const bun: Command = [bunProgram()];

const yarnWith = (nodeLinker: string, run: Command): Omit<PackageManager, "name"> => ({
  install: [...yarn, "install"],
  run,
  troupe: [...yarn, "troupe"],
  settings: { ".yarnrc.yml": `nodeLinker: ${nodeLinker}\n` },
});

const bunWith = (run: Command): Omit<PackageManager, "name"> => ({
  install: [...bun, "install"],
  run,
  troupe: [...bun, "run", "troupe"],
});

export const managers: readonly PackageManager[] = [
  {
    name: "npm",
    install: ["npm", "install", "--no-audit", "--no-fund"],
    run: ["node"],
    troupe: ["npx", "--no", "--", "troupe"],
  },
  {
    name: "pnpm 10",
    install: [...pnpm, "install"],
    run: ["node"],
    troupe: [...pnpm, "exec", "troupe"],
  },
  {
    name: "Yarn 4 with Plug'n'Play",
    ...yarnWith("pnp", [...yarn, "node"]),
    compile: [...yarn, "tsc"],
  },
  { name: "Yarn 4 with node_modules", ...yarnWith("node-modules", ["node"]) },
  { name: "Bun", ...bunWith(["node"]) },
  { name: "Bun, which also runs the programs", ...bunWith(bun) },
];

/** The script of its installation moves the program. */
function bunProgram(): string {
  const architecture = process.arch === "arm64" ? "aarch64" : process.arch;
  const unmoved = join(modules, `@oven/bun-${process.platform}-${architecture}/bin/bun`);
  return existsSync(unmoved) ? unmoved : join(modules, "bun/bin/bun.exe");
}
