import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closePipe, Pipes } from "../../src/processes/pipes.ts";
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
  using pipes = new Pipes({ environment: { PATH: directory.path } });

  pipes.prepare();
  closePipe(await pipes.take());

  expect(await readFile(runs, "utf8")).toBe("run\n");
});

test("what keeps pipes from being made beforehand is told to whoever takes one", async () => {
  await using directory = await temporaryDirectory();
  using pipes = new Pipes({ environment: { PATH: directory.path } });

  pipes.prepare();

  await expect(pipes.take()).rejects.toThrow("mkfifo");
});
