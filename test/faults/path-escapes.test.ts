import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { hasErrno } from "../../src/errors.ts";
import { type FileTool, Scene } from "../workspace/fixture.ts";
import { treeOf } from "../workspace/tree.ts";

const canary = "CANARY-OF-THE-OUTSIDE";

/**
 * What an attacker might write. Each leads out of the workspace, and into the scene's own
 * directories: the control, and a tool with a hole, really write there.
 */
const escapes: ((scene: Scene) => string)[] = [
  () => "../outside/secret.txt",
  () => "src/../../outside/secret.txt",
  () => "./././../outside/secret.txt",
  () => "..//outside///secret.txt",
  () => "../outside/secret.txt/",
  ({ around }) => join(around, "outside/secret.txt"),
  ({ around }) => `/${join(around, "outside/secret.txt")}`,
  ({ root }) => `${root}-evil/secret.txt`,
  ({ root }) => `${root}/../proj-evil/secret.txt`,
  ({ around }) => `/proc/self/root${around}/outside/secret.txt`,
  ({ around }) => `/proc/self/cwd/../../../../..${around}/outside/secret.txt`,
  ({ around }) => `${"/proc/self/root".repeat(2)}${around}/outside/secret.txt`,
  ({ around }) => `/proc/${process.pid}/root${around}/outside/secret.txt`,
  () => "link-to-file",
  () => "link-to-directory/secret.txt",
  () => "link-to-directory/new/secret.txt",
  () => "link-to-link",
  () => "link-to-link-to-directory/secret.txt",
  () => "src/link-up/outside/secret.txt",
  ({ around }) => `link-to-root${around}/outside/secret.txt`,
  ({ around }) => `link-to-root/proc/self/root${around}/outside/secret.txt`,
  () => "dangling",
  () => "dangling-directory/secret.txt",
  () => "loop",
  () => "loop/secret.txt",
  () => "link-to-file\0.txt",
  () => "../outside/secret.txt\0",
  ({ around }) => `${"../".repeat(2000)}${around.slice(1)}/outside/secret.txt`,
  ({ around }) => `${"../".repeat(60)}${around.slice(1)}/outside/secret.txt`,
  () => "..\u2215outside/secret.txt",
  () => "\u002e\u002e/outside/secret.txt",
  () => "~/../../outside/secret.txt/../secret.txt",
  () => "team-link/../../outside/secret.txt",
  () => "magic-link/secret.txt",
];

/** The team's files: a member may read them, and never write. */
const teamPaths = [
  ".team/config.json",
  ".team/new/file.txt",
  ".team",
  ".team/",
  ".team/../.team/config.json",
  "src/../.team/inbox/lead.jsonl",
  "team-link/config.json",
  "team-link/new.txt",
  "config-link",
  "dangling-team/new.txt",
];

const calls: [FileTool, (path: string) => object][] = [
  ["read_file", (path) => ({ path })],
  ["write_file", (path) => ({ path, content: "overwritten" })],
  ["edit_file", (path) => ({ path, old_text: "CANARY", new_text: "overwritten" })],
  ["glob", (path) => ({ path, pattern: "**" })],
  ["glob", (path) => ({ path: dirname(path), pattern: "**" })],
  ["glob", (path) => ({ pattern: path })],
  ["grep", (path) => ({ path, pattern: "." })],
  ["grep", (path) => ({ path: dirname(path), pattern: "." })],
  ["grep", (path) => ({ pattern: ".", glob: path })],
];

test("P20 no path leads any file tool out of the workspace", async () => {
  for (const entersDescriptors of [true, false]) {
    await using scene = await openScene();
    const before = await treeAround(scene);
    const member = await scene.member({ entersDescriptors });
    const shown: string[] = [];

    for (const path of escapes.map((pathIn) => pathIn(scene))) {
      for (const [tool, inputFor] of calls) {
        const { text } = await member.call(tool, inputFor(path));
        if (text.includes(canary)) shown.push(`${tool} ${path}: ${text}`);
      }
    }

    expect(shown).toEqual([]);
    expect(await treeAround(scene)).toEqual(before);
  }
});

test("P20 reading or writing outside is refused with the root that is allowed", async () => {
  await using scene = await openScene();
  const member = await scene.member();

  for (const [tool, inputFor] of calls.slice(0, 4)) {
    for (const path of ["../outside/secret.txt", "link-to-file", "link-to-directory"]) {
      expect(await member.call(tool, inputFor(path))).toEqual({
        isError: true,
        text: `Error: ${path} is outside the workspace. File tools reach only files that are in ${scene.root} after links are followed.`,
      });
    }
  }
});

test("P20 no file tool writes into the team directory, whether it was read or not", async () => {
  await using scene = await openScene();
  const before = await treeOf(scene.path(".team"));
  const member = await scene.member();
  const done: string[] = [];

  for (const path of teamPaths) {
    await member.call("read_file", { path });
    for (const [tool, inputFor] of calls.slice(1, 3)) {
      const { isError } = await member.call(tool, inputFor(path));
      if (!isError) done.push(`${tool} ${path}`);
    }
  }

  expect(done).toEqual([]);
  expect(await treeOf(scene.path(".team"))).toEqual(before);
});

test("P20 another spelling of the team directory is protected too if the file system treats it as the same", async () => {
  await using scene = await openScene();
  const member = await scene.member();

  await member.call("write_file", { path: ".TEAM/config.json", content: "overwritten" });

  expect(await readFile(scene.path(".team/config.json"), "utf8")).toBe("{}");
});

test("control: comparing the beginning of a resolved path lets many escape", async () => {
  await using scene = await openScene();
  const before = await treeAround(scene);
  const resolved = escapes.map((pathIn) => resolve(scene.root, pathIn(scene)));
  const accepted = resolved.filter((path) => path.startsWith(scene.root));

  const read: string[] = [];
  for (const path of accepted) {
    await tolerate(async () => {
      if ((await readFile(path, "utf8")).includes(canary)) read.push(path);
    });
  }
  for (const path of accepted) await tolerate(() => writeFile(path, "overwritten"));

  expect(read.length).toBeGreaterThanOrEqual(5);
  expect(await treeAround(scene)).not.toEqual(before);
});

async function tolerate(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const expected = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "EACCES", "ERR_INVALID_ARG_VALUE"];
    if (!hasErrno(error, ...expected)) throw error;
  }
}

async function openScene(): Promise<Scene> {
  const scene = await Scene.open({
    "src/a.ts": "inside",
    ".team/config.json": "{}",
    ".team/inbox/lead.jsonl": "",
    "../outside/secret.txt": canary,
    [`../outside/${canary}`]: "",
    "../proj-evil/secret.txt": canary,
  });
  const links: Record<string, string> = {
    "link-to-file": "../outside/secret.txt",
    "link-to-directory": join(scene.around, "outside"),
    "link-to-link": "link-to-file",
    "link-to-link-to-directory": "link-to-directory",
    "src/link-up": "../..",
    "link-to-root": "/",
    dangling: "../outside/new.txt",
    "dangling-directory": "../outside/new-directory",
    loop: "loop",
    "magic-link": `/proc/self/root${scene.around}/outside`,
    "team-link": ".team",
    "config-link": ".team/config.json",
    "dangling-team": ".team/new-directory",
  };
  await mkdir(scene.path("src"), { recursive: true });
  for (const [path, target] of Object.entries(links)) await symlink(target, scene.path(path));
  return scene;
}

/** What lies beside the workspace. */
async function treeAround({ around }: Scene): Promise<object> {
  return {
    outside: await treeOf(join(around, "outside")),
    evil: await treeOf(join(around, "proj-evil")),
  };
}
