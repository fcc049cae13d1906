import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closePipe, Pipes } from "../../src/processes/pipes.ts";
import { Programs } from "../../src/processes/programs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runNode } from "../support/programs.ts";

test("take waits for the pipes that prepare is making", async () => {
  await using directory = await temporaryDirectory();
  const runs = join(directory.path, "runs");
  await writeMkfifo(directory.path, `echo run >> ${runs}\nexec mkfifo "$@"`);
  using pipes = pipesOf(`${directory.path}:${process.env.PATH}`);

  pipes.prepare();
  closePipe(await pipes.take());

  expect(await readFile(runs, "utf8")).toBe("run\n");
});

test("take reports why pipes cannot be made, and leaves no files", async () => {
  await using directory = await temporaryDirectory();
  await writeMkfifo(directory.path, `mkfifo "$3"; exit 1`);
  using pipes = pipesOf(`${directory.path}:${process.env.PATH}`, { TMPDIR: directory.path });

  pipes.prepare();

  await expect(pipes.take()).rejects.toThrow("mkfifo");
  expect(await pipesIn(directory.path)).toEqual([]);
});

test("the program that makes pipes is not taken from the workspace", async () => {
  await using directory = await temporaryDirectory();
  await writeMkfifo(directory.path, `echo run >> ${join(directory.path, "runs")}`);
  const path = `${directory.path}:${process.env.PATH}`;
  using pipes = pipesOf(path, { workspace: directory.path });

  closePipe(await pipes.take());

  await expect(readFile(join(directory.path, "runs"), "utf8")).rejects.toThrow("ENOENT");
});

test("a pipe that is taken has no name in the file system", async () => {
  await using directory = await temporaryDirectory();
  using pipes = pipesOf(process.env.PATH, { TMPDIR: directory.path });

  const taken = await pipes.take();

  expect(await pipesIn(directory.path)).toEqual([]);
  closePipe(taken);
});

test("a process that is killed while pipes are made leaves none of them", async () => {
  await using directory = await temporaryDirectory();
  const program = join(import.meta.dirname, "programs/killed-with-pipes.ts");

  const { code } = await runNode(["--import", "tsx", program, directory.path]);

  expect(code).toBe(null);
  expect(await readFile(join(directory.path, "made"), "utf8")).toMatch(/\.pipe\n/);
  await expect.poll(() => pipesIn(directory.path)).toEqual([]);
});

async function writeMkfifo(directory: string, script: string): Promise<void> {
  const program = join(directory, "mkfifo");
  await writeFile(program, `#!/bin/sh\nPATH=${process.env.PATH}\n${script}\n`);
  await chmod(program, 0o755);
}

async function pipesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".pipe"));
}

interface PipesSetting {
  workspace?: string;
  TMPDIR?: string;
}

function pipesOf(path = "", { workspace = "/nowhere", ...environment }: PipesSetting = {}): Pipes {
  return new Pipes({ environment, programs: new Programs({ path, workspace }) });
}
