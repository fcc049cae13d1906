import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Permissions } from "../../src/permissions/permissions.ts";
import { parseRule, type Rule } from "../../src/permissions/rule.ts";
import type { Verdict } from "../../src/permissions/verdict.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Workspace } from "../../src/workspace/workspace.ts";

const files = [
  "README.md",
  "CHANGELOG.md",
  "package.json",
  "tsconfig.json",
  ".gitignore",
  ".env",
  "src/index.ts",
  "src/errors.ts",
  "src/a.ts",
  "src/b.ts",
  "src/words.txt",
  "src/lib/files.ts",
  "src/lib/clock.ts",
  "src/team/team.ts",
  "test/index.test.ts",
  "packages/core/package.json",
  "build/index.js",
  "build/test.log",
  ".team/config.json",
  ".git/objects/info/packs",
  ".git/refs/heads/none",
];

/** A workspace with a repository in it, a link that leads out of it, and a secret beside it. */
export interface Project extends AsyncDisposable {
  readonly root: string;
  readonly outside: string;
  permissions(options?: {
    mode?: PermissionMode;
    rules?: readonly Rule[];
    environment?: Readonly<Record<string, string>>;
    isConfined?: boolean;
  }): Permissions;
}

export async function project(): Promise<Project> {
  const directory = await temporaryDirectory();
  const base = await realpath(directory.path);
  const root = join(base, "project");
  const outside = join(base, "outside");
  await Promise.all(files.map((file) => writeInto(root, file)));
  await writeInto(outside, "secret.txt");
  await mkdir(join(outside, "keys"));
  await rm(join(root, ".git/refs/heads/none"));
  await writeFile(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
  await mkdir(join(root, "links"));
  await symlink(outside, join(root, "links/out"));
  await symlink(join(outside, "secret.txt"), join(root, "links/secret.txt"));
  const workspace = await Workspace.open({ root, teamDirectory: ".team" });
  return {
    root,
    outside,
    permissions: ({ mode = "default", rules = [], environment = {}, isConfined = false } = {}) =>
      new Permissions({
        mode,
        rules,
        environment,
        isConfined: async () => isConfined,
        locate: (path) => workspace.locate(path),
        teamDirectory: join(root, ".team"),
        keyDirectories: [join(outside, "keys"), join(outside, "dashboards")],
      }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function writeInto(root: string, file: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), "text\n");
}

export function judgeLine(permissions: Permissions, command: string): Promise<Verdict> {
  return permissions.judge({ tool: "bash", action: { type: "command", command } });
}

export function allow(...rules: readonly string[]): Rule[] {
  return rules.map((text) => parseRule("allow", text));
}

export function deny(...rules: readonly string[]): Rule[] {
  return rules.map((text) => parseRule("deny", text));
}

export function ask(...rules: readonly string[]): Rule[] {
  return rules.map((text) => parseRule("ask", text));
}
