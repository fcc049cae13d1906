import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closePipe, Pipes } from "../../src/processes/pipes.ts";
import { Programs } from "../../src/processes/programs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("whoever takes a pipe gets one of those that are being made beforehand", async () => {
  await using directory = await temporaryDirectory();
  const runs = join(directory.path, "runs");
  const program = join(directory.path, "mkfifo");
  await writeFile(
    program,
    `#!/bin/sh\necho run >> ${runs}\nPATH=${process.env.PATH} exec mkfifo "$@"\n`,
  );
  await chmod(program, 0o755);
  using pipes = pipesOf(directory.path);

  pipes.prepare();
  closePipe(await pipes.take());

  expect(await readFile(runs, "utf8")).toBe("run\n");
});

test("what keeps pipes from being made beforehand is told to whoever takes one", async () => {
  await using directory = await temporaryDirectory();
  using pipes = pipesOf(directory.path);

  pipes.prepare();

  await expect(pipes.take()).rejects.toThrow("mkfifo");
});

test("the program that makes pipes is not taken from the workspace", async () => {
  await using directory = await temporaryDirectory();
  const program = join(directory.path, "mkfifo");
  await writeFile(program, `#!/bin/sh\necho run >> ${join(directory.path, "runs")}\n`);
  await chmod(program, 0o755);
  const path = `${directory.path}:${process.env.PATH}`;
  using pipes = pipesOf(path, directory.path);

  closePipe(await pipes.take());

  await expect(readFile(join(directory.path, "runs"), "utf8")).rejects.toThrow("ENOENT");
});

function pipesOf(path: string, workspace = "/nowhere"): Pipes {
  const programs = new Programs({ path, workspace });
  return new Pipes({ environment: { PATH: path }, programs });
}
