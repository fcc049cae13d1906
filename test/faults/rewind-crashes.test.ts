import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepCrashes, type Trial } from "../../soak/sweep.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead } from "../../src/protocol/ids.ts";
import { FileRestore } from "../../src/team/rewind/file-restore.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { FileHistory } from "../../src/workspace/file-history.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";

const names = ["changed", "changed-twice", "made"];

test("P39 a crash at any change of the disk in the restoring of files is made good by repeating it", async () => {
  const { hits, violations } = await sweep((root) => restore(root));

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(3);
});

test("P39 a crash in a change of a file leaves nothing that cannot be taken back", async () => {
  const { hits, violations } = await sweep(async (root) => {
    await change(root, "changed", "third");
    await restore(root);
  });

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(5);
});

test("control: a change that is not noted before is found", async () => {
  const { violations } = await sweep(async (root) => {
    await writeFile(join(root, "work", "changed"), "third");
    await restore(root);
  });

  expect(violations).not.toEqual([]);
});

async function sweep(act: (root: string) => Promise<void>) {
  using faulty = await FaultyFileSystem.install();
  const prepare = async (root: string): Promise<Trial> => {
    await mkdir(join(root, "work"));
    await writeFile(join(root, "work", "changed"), "original");
    await writeFile(join(root, "work", "changed-twice"), "original");
    for (const name of [...names, "changed-twice"]) await change(root, name, `by a tool: ${name}`);
    return {
      act: () => act(root),
      recover: () => restore(root),
      goOn: () => restore(root),
      async violations() {
        await restore(root);
        const texts = await Promise.all(names.map((name) => textOf(root, name)));
        return texts.every((text, index) => text === ["original", "original", ""][index])
          ? []
          : [`the files have ${texts.join(", ")}`];
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  return await sweepCrashes({ faulty, prepare, recoveryStride: 3 });
}

/** As a tool changes a file. */
async function change(root: string, name: string, text: string): Promise<void> {
  const path = join(root, "work", name);
  const before = existsSync(path) ? await readFile(path) : undefined;
  const after = Buffer.from(text);
  await historyOf(root)
    .of(lead)
    .keep({ root: join(root, "work"), path, before, after });
  await writeFile(path, after);
}

async function restore(root: string): Promise<void> {
  const history = historyOf(root);
  const teamDirectory = join(root, ".team");
  const roots = async () => [join(root, "work")];
  const files = new FileRestore({ history, locks: new FileLocks(), teamDirectory, roots });
  await files.restore(new Date(0), () => false);
}

function historyOf(root: string): FileHistory {
  return new FileHistory({
    directory: join(root, ".team", "checkpoints"),
    signer: hmacSignature(Buffer.alloc(32, 1)),
    secrets: new Secrets([]),
    clock: new ManualClock(),
    onWarning: () => undefined,
  });
}

async function textOf(root: string, name: string): Promise<string> {
  const path = join(root, "work", name);
  return existsSync(path) ? readFile(path, "utf8") : "";
}
