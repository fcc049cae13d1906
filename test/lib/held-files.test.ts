import {
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HeldFiles } from "../../src/lib/held-files.ts";
import { appendLines } from "../../src/lib/json-lines.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noteFileCalls } from "../support/file-calls.ts";

async function open() {
  const directory = await temporaryDirectory();
  const files = new HeldFiles();
  const path = join(directory.path, "log.jsonl");
  appendLines(path, "1\n", files);
  return {
    files,
    path,
    inDirectory: (name: string) => join(directory.path, name),
    [Symbol.asyncDispose]: async () => {
      files[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The files below `directory` that this process has open. */
function openBelow(directory: string): string[] {
  const targets = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.startsWith(directory));
}

test("a file is opened once for many appends; control: without held files for each", async () => {
  await using fixture = await open();
  using calls = noteFileCalls();

  for (const line of ["2\n", "3\n"]) appendLines(fixture.path, line, fixture.files);
  const whenHeld = calls.taken().filter(({ name }) => name === "openSync");
  for (const line of ["4\n", "5\n"]) appendLines(fixture.path, line);
  const otherwise = calls.taken().filter(({ name }) => name === "openSync");

  expect([whenHeld.length, otherwise.length]).toEqual([0, 2]);
  expect(readFileSync(fixture.path, "utf8")).toBe("1\n2\n3\n4\n5\n");
});

describe("between two appends, a file that is", () => {
  test("renamed is left alone, and a new one begins", async () => {
    await using fixture = await open();
    renameSync(fixture.path, fixture.inDirectory("old.jsonl"));

    appendLines(fixture.path, "2\n", fixture.files);

    expect(readFileSync(fixture.inDirectory("old.jsonl"), "utf8")).toBe("1\n");
    expect(readFileSync(fixture.path, "utf8")).toBe("2\n");
  });

  test("replaced by a link to another file is refused, and the other file stays as it is", async () => {
    await using fixture = await open();
    appendLines(fixture.inDirectory("other.jsonl"), "mine\n");
    renameSync(fixture.path, fixture.inDirectory("old.jsonl"));
    symlinkSync(fixture.inDirectory("other.jsonl"), fixture.path);

    expect(() => appendLines(fixture.path, "2\n", fixture.files)).toThrow(/symbolic link/);

    expect(readFileSync(fixture.inDirectory("other.jsonl"), "utf8")).toBe("mine\n");
    expect(readFileSync(fixture.inDirectory("old.jsonl"), "utf8")).toBe("1\n");
  });

  test("given a second name is refused", async () => {
    await using fixture = await open();
    linkSync(fixture.path, fixture.inDirectory("second.jsonl"));

    expect(() => appendLines(fixture.path, "2\n", fixture.files)).toThrow(/second hard link/);

    expect(readFileSync(fixture.path, "utf8")).toBe("1\n");
  });

  test("left with a torn line by another writer gets its newline first", async () => {
    await using fixture = await open();
    const { descriptor } = fixture.files.open(fixture.path, "a+");
    writeSync(descriptor, "torn");

    appendLines(fixture.path, "2\n", fixture.files);

    expect(readFileSync(fixture.path, "utf8")).toBe("1\ntorn\n2\n");
  });
});

test.runIf(process.platform === "linux")(
  "so many files stay open, and none after the end",
  async () => {
    await using fixture = await open();
    const directory = fixture.inDirectory("");
    for (let number = 0; number < 100; number++) {
      appendLines(fixture.inDirectory(`${number}.jsonl`), "1\n", fixture.files);
    }

    expect(openBelow(directory)).toHaveLength(64);
    fixture.files[Symbol.dispose]();
    expect(openBelow(directory)).toEqual([]);
  },
);
