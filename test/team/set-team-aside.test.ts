import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { setTeamAside } from "../../src/team/set-team-aside.ts";
import { teamLayout } from "../../src/team/team-layout.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** A team directory with these files, and what moves them aside. */
async function openDirectory(...files: string[]) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, ".team");
  for (const file of files) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), file);
  }
  const warnings: string[] = [];
  const names = async (below = path) =>
    (await readdir(below, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name).slice(below.length + 1))
      .sort();
  return {
    ...{ path, warnings, names },
    archived: async () => {
      const [name = ""] = await readdir(join(path, "archive"));
      return names(join(path, "archive", name));
    },
    setAside: (check: () => Promise<void> = async () => undefined, fresh = true) =>
      setTeamAside({
        ...{ layout: teamLayout(path), clock: new ManualClock(), check, fresh },
        onWarning: (message) => void warnings.push(message),
      }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("of a directory with other files in it, the team's are moved, and the others named", async () => {
  await using it = await openDirectory("config.json", "tasks/1.json", "tasks/README", "notes.txt");

  await it.setAside();

  expect(await it.archived()).toEqual(["config.json", "tasks/1.json"]);
  expect(it.warnings).toEqual([expect.stringMatching(/^notes\.txt, tasks\/README in .* stays/)]);
});

test("a process that has lost the team moves no more of it, also of a directory with other files", async () => {
  await using it = await openDirectory(
    "config.json",
    "tasks/1.json",
    "tasks/2.json",
    "tasks/README",
  );
  let checks = 0;

  const moving = it.setAside(async () => {
    if (++checks > 2) throw new Error("another process has it");
  });

  await expect(moving).rejects.toThrow("another process has it");
  const left = (await it.names()).filter((name) => /^tasks\/\d/.test(name));
  expect(left).toHaveLength(1);
});

test("empty directories are no remains of a team, and an entry anywhere in one is", async () => {
  await using it = await openDirectory();
  for (const name of ["inbox", "tasks/.versions/1"]) {
    await mkdir(join(it.path, name), { recursive: true });
  }
  await it.setAside(undefined, false);
  expect(await readdir(it.path)).not.toContain("archive");

  await writeFile(join(it.path, "tasks/.versions/1/1.json"), "{}");
  await it.setAside(undefined, false);

  expect(await it.archived()).toEqual(["tasks/.versions/1/1.json"]);
  expect(it.warnings).toEqual([expect.stringMatching(/had tasks of a team without a roster/)]);
});
