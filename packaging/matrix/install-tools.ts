import { execFile } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { managers, type PackageManager } from "../managers/managers.ts";

/** A version of Node or of TypeScript, and the file to run. */
export interface Tool {
  name: string;
  path: string;
  /** Whether it is the one that this repository installs. */
  isInstalled: boolean;
}

export interface Tools {
  nodes: readonly Tool[];
  compilers: readonly Tool[];
  managers: readonly PackageManager[];
}

/** Installs the tools that the lockfile in `tools/` has, below `directory`. */
export async function installTools(directory: string): Promise<Tools> {
  const root = join(directory, "tools");
  await mkdir(root);
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    await copyFile(join("packaging/matrix/tools", name), join(root, name));
  }
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit"], { cwd: root });
  const modules = join(root, "node_modules");
  return {
    nodes: [
      { name: "Node 20", path: process.execPath, isInstalled: true },
      { name: "Node 22", path: join(modules, "node-22/bin/node"), isInstalled: false },
      { name: "Node 24", path: join(modules, "node-24/bin/node"), isInstalled: false },
    ],
    compilers: [
      { name: "TypeScript 5.9", path: join(modules, "typescript-5/bin/tsc"), isInstalled: false },
      {
        name: "TypeScript 6.0",
        path: resolve("node_modules/typescript/bin/tsc"),
        isInstalled: true,
      },
      { name: "TypeScript 7.0", path: join(modules, "typescript-7/bin/tsc"), isInstalled: false },
    ],
    managers: [
      ...managers,
      pnpm12(join(modules, "@pnpm/exe.linux-x64/pnpm")),
      yarn1(join(modules, "yarn-1/bin/yarn.js")),
    ],
  };
}

function pnpm12(program: string): PackageManager {
  const install = [program, "install"] as const;
  return { name: "pnpm 12", install, run: ["node"], troupe: [program, "exec", "troupe"] };
}

function yarn1(program: string): PackageManager {
  const yarn = ["node", program] as const;
  const troupe = [...yarn, "--silent", "run", "troupe"] as const;
  return { name: "Yarn 1", install: [...yarn, "install"], run: ["node"], troupe };
}
