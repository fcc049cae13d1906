import fs from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailWriter } from "../../src/mailbox/mail-writer.ts";
import { patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const { openSync, closeSync, writeSync, fstatSync } = fs;

/** Counts the files that are opened and closed meanwhile. */
function countFiles() {
  const counts = { opened: 0, closed: 0 };
  const patch = patchFs(fs, {
    openSync: (...args) => {
      const descriptor = openSync(...args);
      counts.opened++;
      return descriptor;
    },
    closeSync: (descriptor) => {
      counts.closed++;
      closeSync(descriptor);
    },
  });
  return { counts, [Symbol.dispose]: () => patch[Symbol.dispose]() };
}

/** Lets the first write(2) take three bytes of what it is given, and each other one `later`. */
function tearFirstWrite(later: "all" | "nothing") {
  let calls = 0;
  return patchFs(fs, {
    writeSync: (descriptor: number, bytes: NodeJS.ArrayBufferView | string) => {
      calls++;
      if (calls === 1) return writeSync(descriptor, Buffer.from(String(bytes)).subarray(0, 3));
      return later === "all" ? writeSync(descriptor, String(bytes)) : 0;
    },
  });
}

test("lines are written to a log that stays open", async () => {
  await using directory = await temporaryDirectory();
  const [a, b] = ["a", "b"].map((name) => join(directory.path, name));
  if (!a || !b) throw new Error("There are two");
  using files = countFiles();
  {
    using writer = new MailWriter();
    for (const path of [a, b, a, a, b]) writer.write(path, Buffer.from("line\n"));
    expect(files.counts).toEqual({ opened: 2, closed: 0 });
  }

  expect(files.counts).toEqual({ opened: 2, closed: 2 });
  expect(await readFile(a, "utf8")).toBe("line\n".repeat(3));
  expect(await readFile(b, "utf8")).toBe("line\n".repeat(2));
});

test("P25 sixteen logs stay open, and the least recently used is closed for another", async () => {
  await using directory = await temporaryDirectory();
  const paths = Array.from({ length: 17 }, (_, n) => join(directory.path, String(n)));
  using writer = new MailWriter();
  const write = (...numbers: number[]) => {
    for (const n of numbers) writer.write(paths[n] ?? "", Buffer.from("line\n"));
  };
  using files = countFiles();

  write(...Array.from({ length: 16 }, (_, n) => n));
  expect(files.counts).toEqual({ opened: 16, closed: 0 });
  write(0, 16);
  expect(files.counts).toEqual({ opened: 17, closed: 1 });
  write(0);
  expect(files.counts).toEqual({ opened: 17, closed: 1 });
  write(1);
  expect(files.counts).toEqual({ opened: 18, closed: 2 });
});

test("a line goes to the log at its path, and the old file is closed", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log");
  using writer = new MailWriter();
  writer.write(path, Buffer.from("one\n"));
  await rename(path, `${path}.1`);
  using files = countFiles();

  writer.write(path, Buffer.from("two\n"));

  expect(await readFile(path, "utf8")).toBe("two\n");
  expect(files.counts).toEqual({ opened: 1, closed: 1 });
});

test("a log that is replaced at every write is given up after 20 attempts", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log");
  using writer = new MailWriter();
  let writes = 0;
  using _ = patchFs(fs, {
    writeSync: (descriptor: number, bytes: NodeJS.ArrayBufferView | string) => {
      writes++;
      fs.renameSync(path, `${path}.${writes}`);
      return writeSync(descriptor, String(bytes));
    },
  });

  expect(() => writer.write(path, Buffer.from("line\n"))).toThrow(
    expect.objectContaining({ code: "write-failed", message: expect.stringContaining("20 times") }),
  );
  expect(writes).toBe(20);
});

test("a truncated write fails, and its torn part becomes a line of its own", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log");
  using writer = new MailWriter();
  {
    using _ = tearFirstWrite("all");
    expect(() => writer.write(path, Buffer.from("first\n"))).toThrow(
      expect.objectContaining({
        code: "write-failed",
        message: expect.stringContaining("3 of 6 bytes fitted"),
      }),
    );
  }

  writer.write(path, Buffer.from("second\n"));
  writer.write(path, Buffer.from("third\n"));

  expect(await readFile(path, "utf8")).toBe("fir\nsecond\nthird\n");
});

test("a torn part without space for a newline is ended by the next line", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log");
  using writer = new MailWriter();
  {
    using _ = tearFirstWrite("nothing");
    expect(() => writer.write(path, Buffer.from("first\n"))).toThrow();
  }

  writer.write(path, Buffer.from("second\n"));
  writer.write(path, Buffer.from("third\n"));

  expect(await readFile(path, "utf8")).toBe("fir\nsecond\nthird\n");
});

test("a log that cannot be opened or checked is a failed write, and leaves no file open", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "log"));
  using writer = new MailWriter();
  const failed = expect.objectContaining({ code: "write-failed" });

  expect(() => writer.write(join(directory.path, "log"), Buffer.from("line\n"))).toThrow(failed);
  using files = countFiles();
  using _ = patchFs(fs, {
    fstatSync: ((...args: Parameters<typeof fstatSync>) => {
      if (args[1]?.bigint) throw systemError("EIO");
      return fstatSync(...args);
    }) as typeof fstatSync,
  });
  expect(() => writer.write(join(directory.path, "other"), Buffer.from("line\n"))).toThrow(failed);
  expect(files.counts).toEqual({ opened: 1, closed: 1 });
});
