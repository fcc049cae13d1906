import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runNode } from "../support/programs.ts";

const compilerOptions = {
  ...{ target: "ES2023", lib: ["ES2023", "ESNext.Disposable", "DOM.AsyncIterable"] },
  ...{ module: "NodeNext", types: ["node"], strict: true, exactOptionalPropertyTypes: true },
  ...{ noEmit: true, allowImportingTsExtensions: true },
};

test("a program with a custom store compiles and runs against the packed package", async () => {
  await using directory = await temporaryDirectory();
  const project = directory.path;
  installPacked(project);
  copyFileSync("examples/own-store.ts", join(project, "own-store.ts"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  const config = { compilerOptions, include: ["own-store.ts"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  const environment = { TMPDIR: project, XDG_STATE_HOME: join(project, "state") };

  const compiler = join("node_modules", "typescript", "bin", "tsc");
  const compiled = await runNode([compiler, "-p", project]);
  const run = await runNode(["--import", "tsx", join(project, "own-store.ts")], environment);

  expect({ code: compiled.code, out: compiled.out }).toEqual({ code: 0, out: "" });
  expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: "" });
});

/** Unpacks what npm would publish, beside what it depends on. */
function installPacked(project: string): void {
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "troupe"), { recursive: true });
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", project];
  const tarball = execFileSync("npm", pack, { encoding: "utf8" }).trim();
  const unpack = ["-xzf", join(project, tarball), "-C", join(modules, "troupe")];
  execFileSync("tar", [...unpack, "--strip-components=1"]);
  for (const name of readdirSync("node_modules")) {
    if (name !== "troupe" && !name.startsWith(".")) {
      symlinkSync(join(process.cwd(), "node_modules", name), join(modules, name));
    }
  }
}
