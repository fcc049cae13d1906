import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { confirmFiles, confirmMatches } from "../../../src/tools/files/confirm.ts";
import type { Directory } from "../../../src/workspace/directory.ts";
import { Scene } from "../../workspace/fixture.ts";

test("P20 of the files that ripgrep names, only those really in the workspace are shown", async () => {
  await using scene = await openScene();
  await using directory = await openRoot(scene);
  const named = ["a.txt", "gone.txt", "link.txt", "out/secret.txt", "src/b.txt", "src/gone/c.txt"];

  expect(await confirmFiles(directory, named)).toEqual(["a.txt", "src/b.txt"]);
});

test("P20 of the lines that ripgrep found, only those really in the workspace are shown", async () => {
  await using scene = await openScene();
  await using directory = await openRoot(scene);
  const matches = ["a.txt", "out/secret.txt", "src/b.txt"].flatMap((path) =>
    ["inside", "secret"].map((text) => ({ path, line: 1, offset: 0, text: Buffer.from(text) })),
  );

  const confirmed = await confirmMatches(directory, matches);

  expect(confirmed.map(({ path, text }) => `${path}:${text}`)).toEqual([
    "a.txt:inside",
    "src/b.txt:inside",
  ]);
});

async function openScene(): Promise<Scene> {
  const scene = await Scene.open({
    "a.txt": "inside",
    "src/b.txt": "inside",
    "../outside/secret.txt": "secret",
  });
  await symlink("../outside", scene.path("out"));
  await symlink("../outside/secret.txt", scene.path("link.txt"));
  return scene;
}

async function openRoot(scene: Scene): Promise<Directory> {
  const area = await (await scene.workspace()).openSearch(".");
  if (!area) throw new Error("There is no workspace");
  return area.directory;
}
