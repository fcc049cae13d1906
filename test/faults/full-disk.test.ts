import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noSandbox } from "../support/no-sandbox.ts";
import { makeRepository } from "../support/repository.ts";

const outside = ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

/** Runs a program of ours where bubblewrap has mounted something else. */
async function runWith(mounts: string[], program: string, ...argv: string[]): Promise<string> {
  const node = [process.execPath, "--import", "tsx", `test/faults/programs/${program}`, ...argv];
  const { stdout } = await promisify(execFile)("bwrap", [...outside, ...mounts, "--", ...node]);
  return stdout;
}

test.skipIf(noSandbox)(
  "P27 P28 on a full disk no checkout is made, kept, landed or brought by half, and all of it works when there is space again",
  async () => {
    await using directory = await temporaryDirectory();
    const mounts = ["--size", "3000000", "--tmpfs", directory.path];

    const result = JSON.parse(await runWith(mounts, "full-disk.ts", directory.path));

    // Git and Node say it each in their own words.
    const full = expect.stringMatching(
      /no space left|out of diskspace|couldn't write|write error/i,
    );
    const failed = (code: string) => ({ code: expect.stringMatching(code), message: full });
    expect(result).toMatchObject({
      ...{ make: failed("git-failed|checkout-failed"), left: [] },
      ...{ keep: failed("git-failed|checkout-failed") },
      ...{ land: { state: "taken", reason: full }, landed: "landed", untouched: true },
      ...{ brought: failed("git-failed|landing-refused"), stays: true },
      ...{ done: "brought", status: "" },
    });
  },
);

test.skipIf(noSandbox)(
  "a repository that cannot be written has no checkouts, and nothing is brought to it: both say so",
  async () => {
    await using directory = await temporaryDirectory();
    const root = await makeRepository(join(directory.path, "work"));
    const mounts = ["--ro-bind", root, root];

    const result = JSON.parse(await runWith(mounts, "read-only-repository.ts", root));

    const failed = {
      ...{ code: "repository-unusable", hint: "Give yourself the right to write there." },
      message: expect.stringMatching(/^The repository .*work\/\.git cannot be written$/),
    };
    expect(result).toEqual({ make: failed, brought: failed });
    expect(await readdir(directory.path)).toEqual(["work"]);
  },
);
