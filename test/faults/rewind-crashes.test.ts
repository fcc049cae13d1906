import { mkdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { sweepCrashes, type Trial } from "../../soak/sweep.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { RestoredFiles } from "../support/restored-files.ts";

const names = ["changed", "changed-twice", "made"];

test("P39 a crash at any change of the disk in the restoring of files is made good by repeating it", async () => {
  const { hits, violations } = await sweep((root) => restore(root));

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(3);
});

test("P39 a crash in a change of a file leaves nothing that cannot be taken back", async () => {
  const { hits, violations } = await sweep(async (root) => {
    await filesIn(root).write("changed", "third");
    await restore(root);
  });

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(5);
});

test("control: a change that is not noted before is found", async () => {
  const { violations } = await sweep(async (root) => {
    await writeFile(filesIn(root).path("changed"), "third");
    await restore(root);
  });

  expect(violations).not.toEqual([]);
});

async function sweep(act: (root: string) => Promise<void>) {
  using faulty = await FaultyFileSystem.install();
  const prepare = async (root: string): Promise<Trial> => {
    const files = filesIn(root);
    await mkdir(files.root);
    await writeFile(files.path("changed"), "original");
    await writeFile(files.path("changed-twice"), "original");
    for (const name of [...names, "changed-twice"]) await files.write(name, `by a tool: ${name}`);
    return {
      act: () => act(root),
      recover: () => restore(root),
      goOn: () => restore(root),
      async violations() {
        await restore(root);
        const texts = await Promise.all(names.map((name) => files.read(name)));
        return texts.every((text, index) => text === ["original", "original", undefined][index])
          ? []
          : [`the files have ${texts.join(", ")}`];
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  return await sweepCrashes({ faulty, prepare, recoveryStride: 3 });
}

const filesIn = (root: string) => new RestoredFiles(root, new ManualClock());

async function restore(root: string): Promise<void> {
  await filesIn(root).restore(new Date(0));
}
