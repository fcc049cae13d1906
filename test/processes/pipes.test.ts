import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { closePipe, Pipes } from "../../src/processes/pipes.ts";
import { Programs } from "../../src/processes/programs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("take waits for the pipes that prepare is creating", async () => {
  await using directory = await temporaryDirectory();
  const runs = join(directory.path, "runs");
  await writeMkfifo(directory.path, `echo run >> ${runs}\nexec mkfifo "$@"`);
  await using pipes = pipesOf(directory.path, { path: `${directory.path}:${process.env.PATH}` });

  pipes.prepare();
  closePipe(await pipes.take());

  expect(await readFile(runs, "utf8")).toBe("run\n");
});

test("take reports why pipes cannot be created, and leaves no files", async () => {
  await using directory = await temporaryDirectory();
  await writeMkfifo(directory.path, `mkfifo "$3"; exit 1`);
  await using pipes = pipesOf(directory.path, { path: `${directory.path}:${process.env.PATH}` });

  pipes.prepare();

  await expect(pipes.take()).rejects.toThrow("mkfifo");
  expect(await pipesIn(directory.path)).toEqual([]);
});

test("the program that creates pipes is not taken from the workspace", async () => {
  await using directory = await temporaryDirectory();
  await writeMkfifo(directory.path, `echo run >> ${join(directory.path, "runs")}`);
  const path = `${directory.path}:${process.env.PATH}`;
  await using pipes = pipesOf(directory.path, { path, workspace: directory.path });

  closePipe(await pipes.take());

  await expect(readFile(join(directory.path, "runs"), "utf8")).rejects.toThrow("ENOENT");
});

test("a taken pipe has no name in the file system", async () => {
  await using directory = await temporaryDirectory();
  await using pipes = pipesOf(directory.path);

  const taken = await pipes.take();

  expect(await pipesIn(directory.path)).toEqual([]);
  closePipe(taken);
});

test("a removed directory is created again", async () => {
  await using directory = await temporaryDirectory();
  await using pipes = pipesOf(directory.path);
  for (let taken = 0; taken < 8; taken++) closePipe(await pipes.take());
  await rm(join(directory.path, "pipes"), { recursive: true });

  closePipe(await pipes.take());

  expect(await pipesIn(directory.path)).toEqual([]);
});

test("disposing waits for pipes that are being created, and closes them", async () => {
  await using directory = await temporaryDirectory();
  const made = join(directory.path, "made");
  await writeMkfifo(directory.path, `mkfifo "$@" && echo yes > ${made}`);
  const pipes = pipesOf(directory.path, { path: `${directory.path}:${process.env.PATH}` });

  pipes.prepare();
  await pipes[Symbol.asyncDispose]();

  expect(await readFile(made, "utf8")).toBe("yes\n");
  expect(await pipesIn(directory.path)).toEqual([]);
});

test("nothing is created after disposal", async () => {
  await using directory = await temporaryDirectory();
  const pipes = pipesOf(directory.path);

  await pipes[Symbol.asyncDispose]();
  pipes.prepare();
  await pipes[Symbol.asyncDispose]();

  expect(await readdir(directory.path)).toEqual([]);
});

test("only pipes that a killed process left are removed", async () => {
  await using directory = await temporaryDirectory();
  await using pipes = pipesOf(directory.path);
  const [left, current] = ["left.pipe", "current.pipe"].map((name) =>
    join(directory.path, "pipes", name),
  );
  closePipe(await pipes.take());
  execFileSync("mkfifo", [left ?? "", current ?? ""]);
  await utimes(left ?? "", 1_000, 1_000);
  await writeFile(join(directory.path, "pipes/notes"), "");
  await utimes(join(directory.path, "pipes/notes"), 1_000, 1_000);

  await using next = pipesOf(directory.path);
  closePipe(await next.take());

  expect((await readdir(join(directory.path, "pipes"))).sort()).toEqual(["current.pipe", "notes"]);
});

async function writeMkfifo(directory: string, script: string): Promise<void> {
  const program = join(directory, "mkfifo");
  await writeFile(program, `#!/bin/sh\nPATH=${process.env.PATH}\n${script}\n`);
  await chmod(program, 0o755);
}

async function pipesIn(directory: string): Promise<string[]> {
  return readdir(join(directory, "pipes"));
}

function pipesOf(
  directory: string,
  { path = process.env.PATH ?? "", workspace = "/nowhere" } = {},
): Pipes {
  const programs = new Programs({ path, workspace });
  return new Pipes({ directory: join(directory, "pipes"), programs, clock: systemClock });
}
