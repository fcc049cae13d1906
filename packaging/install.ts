import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const Packed = z.tuple([z.object({ filename: z.string() })]);
const PackageJson = z.looseObject({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
});
const LockFile = z.object({ packages: z.record(z.string(), z.looseObject({})) });

export interface InstalledPackage {
  /** An empty project with only the package installed. */
  project: string;
  /** The command, as npm puts it into a user's path. */
  command: string;
  tarballBytes: number;
  /** All that was installed. */
  installedBytes: number;
}

/**
 * Packs what is built, and installs the tarball in a new project below `directory`, as a user would.
 * Whatever npm has in its cache is not fetched again, so that after `npm ci` no registry is needed.
 */
export async function installPackage(directory: string): Promise<InstalledPackage> {
  const project = join(directory, "project");
  await mkdir(project);
  const json = await npm(".", "pack", "--ignore-scripts", "--json", "--pack-destination", project);
  const [{ filename }] = Packed.parse(JSON.parse(json));
  await writeProject(project, filename);
  await npm(project, "install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund");
  const modules = join(project, "node_modules");
  return {
    project,
    command: join(modules, ".bin", "troupe"),
    tarballBytes: (await lstat(join(project, filename))).size,
    installedBytes: await sizeOf(modules),
  };
}

/** With a lockfile of the package's dependencies, npm does not look up versions. */
async function writeProject(project: string, tarball: string): Promise<void> {
  const { version, ...own } = PackageJson.parse(JSON.parse(await readFile("package.json", "utf8")));
  const lock = LockFile.parse(JSON.parse(await readFile("package-lock.json", "utf8")));
  const names = Object.keys(own.dependencies).map((name) => `node_modules/${name}`);
  const needed = Object.entries(lock.packages).filter(([path]) =>
    // With what it brings for each platform.
    names.some((name) => path === name || path.startsWith(`${name}-`)),
  );
  const resolved = `file:${tarball}`;
  const root = { name: "project", type: "module", dependencies: { troupe: resolved } };
  const packages = {
    "": root,
    "node_modules/troupe": { ...own, version, resolved },
    ...Object.fromEntries(needed),
  };
  const lockFile = { name: "project", lockfileVersion: 3, requires: true, packages };
  await writeFile(join(project, "package.json"), JSON.stringify(root));
  await writeFile(join(project, "package-lock.json"), JSON.stringify(lockFile));
}

async function npm(cwd: string, ...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("npm", argv, { cwd });
  return stdout;
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return stats.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
