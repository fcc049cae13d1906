import promises, { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Secrets } from "../../src/lib/secrets.ts";
import { OutputFiles, type OutputFilesOptions } from "../../src/processes/output-files.ts";
import { patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const long = "x".repeat(60_000);

async function openFiles(options: Partial<OutputFilesOptions> = {}) {
  const temporary = await temporaryDirectory();
  const directory = join(temporary.path, "outputs");
  return {
    directory,
    files: new OutputFiles({ directory, secrets: new Secrets([]), ...options }),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

test("a text of 50,000 characters is returned unchanged, and no file is created", async () => {
  await using fixture = await openFiles();
  const text = "x".repeat(50_000);

  expect(await fixture.files.capOutput(text, "call")).toBe(text);
  await expect(readdir(fixture.directory)).rejects.toThrow("ENOENT");
});

test("a text that was already cut is not cut again", async () => {
  await using fixture = await openFiles();
  const once = await fixture.files.capOutput(long, "call");

  expect(await fixture.files.capOutput(once, "call")).toBe(once);
});

test("a call's name cannot lead out of the directory, nor to another call's file", async () => {
  await using fixture = await openFiles();

  await fixture.files.capOutput(long, "../../etc/passwd\0");
  await fixture.files.capOutput(long, "../../etc/passwd\0");

  const names = await readdir(fixture.directory);
  expect(names).toHaveLength(2);
  for (const name of names) expect(name).toMatch(/^_etc_passwd_-[0-9a-f]{8}\.txt$/);
});

test("directory and files are private, regardless of the umask", async () => {
  await using fixture = await openFiles();
  const umask = process.umask(0o777);
  try {
    await fixture.files.capOutput(long, "call");
  } finally {
    process.umask(umask);
  }

  const [name = ""] = await readdir(fixture.directory);
  expect((await stat(fixture.directory)).mode & 0o777).toBe(0o700);
  expect((await stat(join(fixture.directory, name))).mode & 0o777).toBe(0o600);
});

test("text in pieces is cut like the whole, and no character is split", async () => {
  await using fixture = await openFiles();

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9_999 }), fc.nat(3), async (size, shift) => {
      const text = `${"a".repeat(shift)}${"🙂".repeat(30_000)}`;
      const capture = fixture.files.capture("call", () => {});
      for (let at = 0; at < text.length; at += size) await capture.push(text.slice(at, at + size));
      await capture.end();

      const withoutPath = (it: string) => it.replace(/is in \S+/, "");
      const cut = await fixture.files.capOutput(text, "call");
      expect(withoutPath(capture.text())).toBe(withoutPath(cut));
      expect(cut).not.toMatch(/\p{Surrogate}/u);
    }),
    { numRuns: 20 },
  );
});

test("a file has a limit, and the text says that it is not the whole", async () => {
  await using fixture = await openFiles({ maxFileBytes: 51_000, maxTotalBytes: 200_000 });

  const text = await fixture.files.capOutput(long, "call");

  const [, path = ""] = /the first 51000 bytes are in (\S+) …/.exec(text) ?? [];
  expect((await stat(path)).size).toBe(51_000);
});

test("all files together have a limit: only the oldest are removed", async () => {
  await using fixture = await openFiles({ maxFileBytes: 60_000, maxTotalBytes: 180_000 });
  for (const day of [1, 2, 3]) {
    await fixture.files.capOutput(long, `day-${day}`);
    const [name = ""] = (await readdir(fixture.directory)).filter((it) => it.includes(`-${day}-`));
    const date = new Date(`2026-01-0${day}`);
    await utimes(join(fixture.directory, name), date, date);
  }
  await writeFile(join(fixture.directory, "notes.md"), "mine");

  await fixture.files.capOutput(long, "day-4");

  const names = (await readdir(fixture.directory)).map((name) => name.slice(0, 5)).sort();
  expect(names).toEqual(["day-2", "day-3", "day-4", "notes"]);
});

test("on a full disk the output is not stored, but the call succeeds", async () => {
  await using fixture = await openFiles();
  const { open } = promises;
  using _ = patchFs(promises, {
    open: async (...args) =>
      Object.assign(await open(...args), {
        writeFile: () => Promise.reject(systemError("ENOSPC")),
      }),
  });

  const text = await fixture.files.capOutput(long, "call");

  expect(text).toContain(
    "11000 characters left out of 1 line; the whole could not be kept in a file: ENOSPC",
  );
  expect(text.length).toBeLessThanOrEqual(50_000);
  expect(await readdir(fixture.directory)).toEqual([]);
});

test("if the directory cannot be created the output is not stored, but the call succeeds", async () => {
  await using fixture = await openFiles();
  await writeFile(fixture.directory, "a file is in the way");

  const text = await fixture.files.capOutput(long, "call");

  expect(text).toContain("could not be kept");
});

test("secrets are masked in the shown and in the stored output", async () => {
  const key = "sk-canary-0123456789";
  await using fixture = await openFiles({ secrets: new Secrets([key]) });

  const text = await fixture.files.capOutput(`${key}${long}${key}`, "call");

  const [name = ""] = await readdir(fixture.directory);
  expect(text).toMatch(/^\[key\]x+\s.*\sx+\[key\]$/s);
  expect(await readFile(join(fixture.directory, name), "utf8")).toBe(`[key]${long}[key]`);
});
