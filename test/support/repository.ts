import { execFile } from "node:child_process";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Git, type GitOptions } from "../../src/git/git.ts";
import { Programs } from "../../src/processes/programs.ts";

const execute = promisify(execFile);

/** Without any configuration but that of the repository. */
export const gitEnvironment = { PATH: process.env.PATH, HOME: "/nowhere" };

/** Runs git as a person does. */
export async function gitIn(directory: string, ...words: string[]): Promise<string> {
  const author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  const files = ["-c", "protocol.file.allow=always"];
  const env = { ...gitEnvironment, GIT_TERMINAL_PROMPT: "0" };
  const { stdout } = await execute("git", ["-C", directory, ...author, ...files, ...words], {
    env,
  });
  return stdout.trimEnd();
}

/** A repository in a directory of its own, with one commit of `files`. */
export async function makeRepository(
  directory: string,
  files: Readonly<Record<string, string | Buffer>> = { "a.txt": "a\n" },
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const root = await realpath(directory);
  await gitIn(root, "init", "-q", "-b", "main");
  await writeFiles(root, files);
  await gitIn(root, "add", "-A");
  await gitIn(root, "commit", "-q", "--allow-empty", "-m", "first");
  return root;
}

export async function writeFiles(
  root: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
}

/** The runtime's git for the repository around a directory. */
export function openGit(cwd: string, options: Partial<GitOptions> = {}): Promise<Git> {
  const programs = new Programs({ path: process.env.PATH, workspace: cwd });
  return Git.open({ cwd, env: gitEnvironment, programs, ...options });
}

/** A script that leaves a file where it has run. */
export async function makeTrap(path: string): Promise<{ script: string; mark: string }> {
  const mark = `${path}.ran`;
  await writeFile(path, `#!/bin/sh\necho "$0 $*" >> '${mark}'\n`, { mode: 0o755 });
  return { script: path, mark };
}
