import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Random } from "../../soak/random.ts";
import { hasErrno } from "../../src/errors.ts";
import { type FileTool, Scene, type SceneMember } from "../workspace/fixture.ts";
import { treeOf } from "../workspace/tree.ts";

const rounds = 1000;
const canary = "CANARY-OF-THE-OUTSIDE";

test("P20 1,000 rounds of swapping links lead no tool out of the workspace", async () => {
  await using scene = await openScene();
  const outside = join(scene.around, "outside");
  const before = await treeOf(outside);
  const member = await scene.member();
  const seed = Math.floor(Math.random() * 1_000_000);
  const random = new Random(seed);
  await using _ = await startSwapper(scene);
  const done = { succeeded: 0, refused: 0 };
  const escapes: string[] = [];

  for (let round = 0; round < rounds; round++) {
    const { text, isError } = await callAtRandom(member, random);
    if (text.includes(canary)) escapes.push(text);
    if (isError) done.refused++;
    else done.succeeded++;
  }

  console.info(`seed ${seed}: ${JSON.stringify(done)}, ${escapes.length} escapes`);
  expect(escapes, `seed ${seed}`).toEqual([]);
  expect(await treeOf(outside), `seed ${seed}`).toEqual(before);
  expect(done.succeeded).toBeGreaterThan(0);
  expect(done.refused).toBeGreaterThan(0);
});

test("control: a check before the opening can be tricked", async () => {
  await using scene = await openScene();
  await using _ = await startSwapper(scene);
  const path = scene.path("flip/a.txt");
  const escapes = { read: 0, written: 0 };

  // As long as it takes: the control proves that the swapper hits between two calls.
  while (escapes.read === 0 || escapes.written === 0) {
    await tolerate(async () => {
      if (!(await realpath(path)).startsWith(scene.root)) return;
      if ((await readFile(path, "utf8")).includes(canary)) escapes.read++;
    });
    await tolerate(async () => {
      if (!(await realpath(path)).startsWith(scene.root)) return;
      await writeFile(path, canary);
      if ((await readFile(scene.path("real/a.txt"), "utf8")) !== canary) escapes.written++;
      else await writeFile(scene.path("real/a.txt"), "inside");
    });
  }

  console.info(`the control escaped: ${JSON.stringify(escapes)}`);
  expect(escapes).toEqual({ read: expect.any(Number), written: expect.any(Number) });
});

async function openScene(): Promise<Scene> {
  const scene = await Scene.open({
    "real/a.txt": "inside",
    "dir/a.txt": "inside",
    file: "inside",
    "../outside/dir/a.txt": canary,
    [`../outside/dir/${canary}.txt`]: "inside",
  });
  await symlink(scene.path("real"), scene.path("flip"));
  return scene;
}

/** Ends with its `await using`. */
async function startSwapper(scene: Scene): Promise<AsyncDisposable> {
  const program = fileURLToPath(new URL("programs/link-swapper.ts", import.meta.url));
  const outside = join(scene.around, "outside");
  const child = spawn(process.execPath, ["--import", "tsx", program, scene.root, outside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return {
    async [Symbol.asyncDispose]() {
      expect(child.exitCode, "the swapper has ended by itself").toBeNull();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function callAtRandom(member: SceneMember, random: Random) {
  const path = random.pick(["flip/a.txt", "dir/a.txt", "file"]);
  const directory = random.pick(["flip", "dir", "."]);
  const calls: [FileTool, object][] = [
    ...Array<[FileTool, object]>(6).fill(["read_file", { path }]),
    ...Array<[FileTool, object]>(4).fill(["write_file", { path, content: "inside" }]),
    ["write_file", { path: `${directory}/new/b.txt`, content: "inside" }],
    ["edit_file", { path, old_text: "inside", new_text: "inside, edited" }],
    ["grep", { pattern: "inside|CANARY", path: directory }],
    ["glob", { pattern: "**", path: directory }],
  ];
  const [tool, input] = random.pick(calls);
  return await member.call(tool, input);
}

async function tolerate(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!hasErrno(error, "ENOENT", "ENOTDIR", "ELOOP")) throw error;
  }
}
