import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { LocalRegistry } from "./local-registry.ts";

const Packed = z.tuple([z.object({ filename: z.string() })]);
const LockFile = z.object({ packages: z.record(z.string(), z.looseObject({})) });

/** What users have beside the package: its types need those of Node, own tools need Zod. */
const beside = ["@types/node", "undici-types", "zod", "typescript"];

/** A registry with the package as `npm pack` makes it, and with all that it and its users need. */
export async function stockedRegistry(directory: string): Promise<LocalRegistry> {
  const registry = await LocalRegistry.start();
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", directory];
  const { stdout } = await promisify(execFile)("npm", pack);
  const [{ filename }] = Packed.parse(JSON.parse(stdout));
  await registry.addTarball(join(directory, filename));
  const lock = LockFile.parse(JSON.parse(await readFile("package-lock.json", "utf8")));
  // ripgrep has one package for each platform, of which only this platform's is installed.
  for (const [path, manifest] of Object.entries(lock.packages)) {
    const [, name] = /^node_modules\/(@vscode\/ripgrep-.*)$/.exec(path) ?? [];
    if (name) registry.addManifest({ name, ...manifest });
  }
  const own = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  for (const name of ["@vscode/ripgrep", own, ...beside]) {
    await registry.addInstalled(join("node_modules", name));
  }
  return registry;
}
