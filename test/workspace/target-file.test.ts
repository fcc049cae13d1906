import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { TargetFile } from "../../src/workspace/target-file.ts";
import { Scene } from "./fixture.ts";

const mine = Buffer.from("mine");

test("a file that another process has changed since the check is not replaced", async () => {
  await using scene = await Scene.open({ "a.txt": "old" });
  await using target = await openTarget(scene);
  const old = await target.read();
  await scene.put("a.txt", "theirs");

  expect(await target.replace(old, mine)).toBe(false);

  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("theirs");
  expect(await readdir(scene.root)).toEqual([".team", "a.txt"]);
  expect(await target.replace(await target.read(), mine)).toBe(true);
  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("mine");
});

test("a file that another process has created since the check is not replaced", async () => {
  await using scene = await Scene.open();
  await using target = await openTarget(scene);
  const old = await target.read();
  await scene.put("a.txt", "theirs");

  expect(await target.replace(old, mine)).toBe(false);

  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("theirs");
  expect(await readdir(scene.root)).toEqual([".team", "a.txt"]);
});

async function openTarget(scene: Scene): Promise<TargetFile> {
  const workspace = await scene.workspace();
  const place = await workspace.locateTarget("a.txt");
  const target = await workspace.openTarget(place, { makesDirectories: false });
  if (!target) throw new Error("There is no directory");
  return target;
}
