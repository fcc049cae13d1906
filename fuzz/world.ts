import { execFile } from "node:child_process";
import { chmod, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { hostileFiles, hostileRepositories, plainFiles } from "./world-files.ts";

const run = promisify(execFile);

/** Text that exists only outside the workspace, in the environment, and in Troupe's own files. */
export const canaries = {
  outside: "canary-of-a-file-outside",
  environment: "canary-of-the-environment",
  key: "canary-of-a-providers-key",
} as const;

/**
 * A workspace as a hostile person would leave it, a home directory, and what lies outside of both.
 * Lines name the root by `@ROOT@`, so that they are the same for the same seed.
 */
export interface World extends AsyncDisposable {
  readonly root: string;
  /** Directories with further programs. */
  readonly path: readonly string[];
  /** The environment of the process that runs commands, like Troupe's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** A generated line as it is judged and run. */
  place(line: string): string;
}

export async function makeWorld({ path = [] }: { path?: readonly string[] } = {}): Promise<World> {
  const directory = await temporaryDirectory();
  const root = await realpath(directory.path);
  const outside = join(root, "outside");
  const canary = `#!/bin/sh\n: > ${outside}/ran\n`;
  await write(root, "project", { ...plainFiles, ...hostileFiles(canary) });
  await write(root, "", {
    "resolv.conf": "nameserver 127.0.0.1\n",
    "bin/pwn": canary,
    "home/.netrc": `${canaries.outside}\n`,
    "home/secret.txt": `${canaries.outside}\n`,
    "home/.gitconfig": "[user]\n\tname = N\n\temail = n@example.com\n",
    "outside/secret.txt": `${canaries.outside}\n`,
    "outside/keys/team": `${canaries.outside}\n`,
    "outside/folder/secret.txt": `${canaries.outside}\n`,
  });
  await makeLinks(root);
  await makeRepository(join(root, "project"), canary);
  for (const [name, configuration] of Object.entries(hostileRepositories)) {
    await makeHostile(join(root, "project/repos", name), configuration, canary);
  }
  return {
    root,
    path,
    environment: environmentIn(root, path),
    place: (line) => line.replaceAll("@ROOT@", root),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function environmentIn(root: string, path: readonly string[]): Record<string, string> {
  return {
    PATH: [...path, `${root}/bin`, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: `${root}/home`,
    USER: "user",
    LANG: "C.UTF-8",
    GITHUB_TOKEN: canaries.environment,
    ANTHROPIC_API_KEY: canaries.key,
    ...leadingVariables(root),
  };
}

/**
 * Variables that a person may have set in a terminal, or that the program that started Troupe has
 * left.
 */
function leadingVariables(root: string): Record<string, string> {
  return {
    CDPATH: root,
    GLOBIGNORE: "README.md",
    POSIXLY_CORRECT: "1",
    RIPGREP_CONFIG_PATH: `${root}/project/ripgreprc`,
    GREP_OPTIONS: `-f ${root}/outside/secret.txt`,
    TAR_OPTIONS: "--checkpoint=1 --checkpoint-action=exec=pwn",
    LESSOPEN: "|pwn %s",
    PAGER: "pwn",
    PS_FORMAT: "pid,args",
    GIT_EXTERNAL_DIFF: "pwn",
    GIT_TRACE: `${root}/outside/trace`,
    "BASH_FUNC_tac%%": "() { pwn; }",
  };
}

/** Files that begin with `#!` are made executable. */
async function write(root: string, folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    if (text.startsWith("#!")) await chmod(path, 0o755);
  }
}

async function makeLinks(root: string): Promise<void> {
  const project = join(root, "project");
  const links = {
    "links/out": "../../outside",
    "links/secret.txt": "../../outside/secret.txt",
    "links/home": "../../home",
    "link.txt": "../outside/secret.txt",
    "a:/root": "../../outside",
    "a:~root": "../outside",
    "~": "../home",
    "src/up": "../..",
  };
  for (const [name, target] of Object.entries(links)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await symlink(target, join(project, name));
  }
}

/** One commit, a change after it, and a hook that runs when git writes its index. */
async function makeRepository(directory: string, canary: string): Promise<void> {
  const git = (...words: string[]) =>
    run("git", ["-C", directory, "-c", "user.name=N", "-c", "user.email=n@example.com", ...words]);
  await git("init", "-q", "-b", "main", "--template=");
  await git("add", "README.md", "src");
  await git("commit", "-qm", "one");
  await write(directory, "", {
    "README.md": "changed\nline two\n",
    ".git/hooks/post-index-change": canary,
  });
}

/** A repository in which git would run a program. */
async function makeHostile(
  directory: string,
  configuration: string,
  canary: string,
): Promise<void> {
  await write(directory, "", {
    "README.md": "text\n",
    "src/a.ts": "export {};\n",
    ".gitattributes": "*.md diff=x filter=x\n",
  });
  await makeRepository(directory, canary);
  await writeFile(join(directory, ".git/config"), configuration, { flag: "a" });
}
