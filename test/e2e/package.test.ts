import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { installPackage } from "../../packaging/install.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { runNode } from "../support/programs.ts";

/** The package in a project that has nothing else. */
async function world() {
  expect(existsSync("dist/cli/main.js"), "run `npm run build` first").toBe(true);
  const directory = await temporaryDirectory();
  return {
    ...(await installPackage(directory.path)),
    env: {
      XDG_STATE_HOME: join(directory.path, "state"),
      XDG_CACHE_HOME: join(directory.path, "cache"),
      TMPDIR: directory.path,
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("the package depends only on ripgrep, is small, and lists its licences", async () => {
  await using it = await world();
  const modules = join(it.project, "node_modules");

  const installed = await readdir(modules);
  const platforms = readdirSync(join(modules, "@vscode")).filter((name) => name !== "ripgrep");
  const files = await readdir(join(modules, "troupe"), { recursive: true });
  const [library = "", commandLine = ""] = await Promise.all(
    ["dist", "dist/cli"].map((directory) =>
      readFile(join(modules, "troupe", directory, "THIRD-PARTY-LICENSES.txt"), "utf8"),
    ),
  );

  expect(installed.filter((name) => !name.startsWith("."))).toEqual(["@vscode", "troupe"]);
  expect(platforms).toEqual([`ripgrep-${process.platform}-${process.arch}`]);
  expect(it.installedBytes).toBeLessThan(60e6);
  const built = files.filter((name) => name.startsWith("dist/"));
  expect(built.filter((name) => /\.(map|ts)$/.test(name) && !name.endsWith(".d.ts"))).toEqual([]);
  for (const licences of [library, commandLine]) {
    expect(licences).toMatch(/^zod \d.* \(MIT\)$/m);
    expect(licences).toMatch(/^@ai-sdk\/anthropic \d.* \(Apache-2\.0\)$/m);
  }
});

test.each([
  ["main", { schemas: false, agent: false }],
  ["commands/inbox", { schemas: false, agent: false }],
  ["commands/run", { schemas: true, agent: false }],
  // The control: what is looked for can be found.
  ["../index", { schemas: true, agent: true }],
])("src/cli/%s.ts loads no more than it needs", async (name, expected) => {
  const paths = await staticImports(resolve("src/cli", `${name}.ts`));

  const code = (await Promise.all(paths.map((path) => readFile(path, "utf8")))).join("\n");
  const found = {
    schemas: /^import \{.* from "zod";$/m.test(code),
    agent: code.includes("class Supervisor"),
  };
  expect(found).toEqual(expected);
});

test("the installed command runs a prompt in an empty directory, and finds ripgrep", async () => {
  await using it = await world();
  await using provider = await ProviderServer.start({ strict: true });
  provider.reply(
    reply([calls("glob", { pattern: "*.txt" }), calls("grep", { pattern: "42" })]),
    says("It is 42."),
  );
  const workspace = join(it.project, "workspace");
  await mkdir(workspace);
  await writeFile(join(workspace, "notes.txt"), "The answer is 42.\n");
  const env = { ...process.env, ...it.env, ...providerEnvironment(provider) };
  const troupe = (...argv: string[]) =>
    promisify(execFile)(it.command, argv, { cwd: workspace, env });

  const version = await troupe("--version");
  const help = await troupe("--help");
  const run = await troupe("run", "What is the answer?", "--model", "anthropic/scripted");

  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(help.stdout).toContain("troupe run");
  expect(run.stdout).toBe("It is 42.\n");
  expect(provider.requests[1]?.text).toContain("notes.txt:1:");
  provider.assertDone();
});

test("only the suites of troupe/testing/conformance need vitest", async () => {
  await using it = await world();
  const imports = ["troupe", "troupe/schemas", "troupe/testing", "troupe/testing/conformance"];
  const runs = await Promise.all(
    imports.map(async (name, at) => {
      const path = join(it.project, `${at}.js`);
      await writeFile(path, `import "${name}";`);
      return runNode([path], it.env);
    }),
  );

  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 1]);
  expect(runs[3]?.err).toContain("Cannot find package 'vitest'");
});

/** The files that a file loads before it runs, itself too. */
async function staticImports(path: string, known = new Set<string>()): Promise<string[]> {
  if (known.has(path)) return [];
  known.add(path);
  const statement = /^(?:import|export) (?!type )[^;]*?from "(\.[^"]+\.ts)";$/gm;
  const imports = (await readFile(path, "utf8")).matchAll(statement);
  for (const [, file = ""] of imports) await staticImports(resolve(dirname(path), file), known);
  return [...known];
}
