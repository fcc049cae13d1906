import { execFile } from "node:child_process";
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { readTextIfExists } from "../../src/lib/files.ts";
import { appendLines, type Damage, parseLine, repairTail } from "../../src/lib/json-lines.ts";
import { LineReader, maxRecordBytes } from "../../src/lib/line-reader.ts";
import { VersionedRecords } from "../../src/lib/versioned-records.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const mebibyte = 2 ** 20;
const maxTextBytes = 8 * mebibyte;
const Row = z.object({ n: z.number() });
const Text = z.object({ text: z.string() });

test("P25 a file of more than 8 MiB is not a record, and one of 8 MiB is read", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "record.json");
  await writeFile(path, "{}");

  await truncate(path, maxTextBytes);
  expect(await readTextIfExists(path)).toHaveLength(maxTextBytes);

  await truncate(path, maxTextBytes + 1);
  await expect(readTextIfExists(path)).rejects.toMatchObject({ code: "record-corrupt" });
});

test("P25 a record whose copy is too large is used as committed, and that is reported", async () => {
  await using directory = await temporaryDirectory();
  const problems: string[] = [];
  const records = new VersionedRecords({
    directory: directory.path,
    schema: () => z.object({ id: z.string(), version: z.int().positive() }),
    onDamage: (problem) => void problems.push(problem),
    now: () => new Date(0),
    isEditable: true,
  });
  await records.commit({ id: "a", version: 1 });
  await records.commit({ id: "b", version: 1 });
  await truncate(join(directory.path, "a.json"), 2 ** 31);

  expect(await records.readAll(["a", "b"])).toEqual([
    { id: "a", version: 1 },
    { id: "b", version: 1 },
  ]);
  expect(problems).toEqual([expect.stringContaining("more than a record may have")]);
});

test("P25 a line of 16 MiB is written and read, and a longer one is neither", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "lines.jsonl");
  const record = (length: number) => `${JSON.stringify({ text: "x".repeat(length) })}\n`;
  const longest = maxRecordBytes - record(0).length;

  appendLines(path, record(longest));
  expect(() => appendLines(path, record(longest + 1))).toThrow(
    "cannot store a record of more than",
  );
  // As somebody else might.
  await writeFile(path, record(longest + 2), { flag: "a" });

  const damages: Damage[] = [];
  const lengths: (number | undefined)[] = [];
  await using reader = await LineReader.open(path);
  for await (const line of reader?.forwards() ?? []) {
    lengths.push(parseLine(line, Text, (it) => damages.push(it))?.text.length);
  }
  expect(lengths).toEqual([longest, undefined]);
  expect(damages).toMatchObject([{ offset: maxRecordBytes }]);
  expect(damages[0]?.reason).toContain("more than a record may have");
});

test("P25 400 MB at the end without a line break are cut off, reported, and take little memory", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log.jsonl");
  const bytes = 400e6;
  await writeFile(path, '{"n":1}\n');
  await truncate(path, bytes);

  const { grown, result } = await memoryOf({
    imports: `import { z } from "zod"; import { repairTail } from "./src/lib/json-lines.ts";`,
    work: `
      const damages = [];
      await repairTail(path, () => z.object({ n: z.number() }), (it) => damages.push(it));
      return damages;`,
    path,
  });

  expect(await readFile(path, "utf8")).toBe('{"n":1}\n');
  expect(result).toMatchObject([{ offset: 8 }]);
  expect((await stat(join(directory.path, ".log", "torn.jsonl"))).size).toBe(mebibyte + 1);
  expect(grown).toBeLessThan(bytes / 2);
});

test("control: reading a file of 400 MB as a whole needs that much memory", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log.jsonl");
  const bytes = 400e6;
  await writeFile(path, "");
  await truncate(path, bytes);

  const { grown, result } = await memoryOf({
    imports: `import { readFile } from "node:fs/promises";`,
    work: "return (await readFile(path)).length;",
    path,
  });

  expect(result).toBe(bytes);
  expect(grown).toBeGreaterThan(bytes / 2);
});

test("P25 a line of 2 GB is skipped from the end, and the lines before it are read", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log.jsonl");
  await writeFile(path, '{"n":1}\n{"n":2}\n');
  await truncate(path, 2 ** 31);
  await writeFile(path, '\n{"n":3}\n', { flag: "a" });
  const damages: Damage[] = [];
  const found: (number | undefined)[] = [];

  await using reader = await LineReader.open(path);
  for await (const line of reader?.backwards() ?? []) {
    expect(line.bytes.length).toBeLessThanOrEqual(maxRecordBytes);
    found.push(parseLine(line, Row, (it) => damages.push(it))?.n);
  }

  expect(found).toEqual([3, undefined, 2, 1]);
  expect(damages).toMatchObject([{ offset: 16 }]);
});

test("P25 the torn lines that are set aside are limited, and the newest is kept", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "log.jsonl");
  const aside = (name: string) => join(directory.path, ".log", name);
  const tear = async (text: string) => {
    await writeFile(path, text, { flag: "a" });
    await repairTail(
      path,
      () => Row,
      () => undefined,
    );
  };

  await tear("first");
  await truncate(aside("torn.jsonl"), maxTextBytes - 1);
  await tear("second");
  expect((await readFile(aside("torn.jsonl"))).subarray(-8).toString()).toBe("\nsecond\n");
  await tear("third");

  expect(await readFile(aside("torn.jsonl"), "utf8")).toBe("third\n");
  expect((await stat(aside("torn.older.jsonl"))).size).toBe(maxTextBytes + 7);
});

const Measured = z.object({ grown: z.number(), result: z.unknown() });

interface Work {
  imports: string;
  /** What is done with `path`, as the body of a function. */
  work: string;
  path: string;
}

/**
 * What some work returns, and by how much it raised the most memory that a process has had. Another
 * process: what this one has had depends on the tests before.
 */
async function memoryOf({ imports, work, path }: Work): Promise<z.infer<typeof Measured>> {
  const program = `
    ${imports}
    const path = ${JSON.stringify(path)};
    const before = process.resourceUsage().maxRSS;
    const result = await (async () => { ${work} })();
    const grown = (process.resourceUsage().maxRSS - before) * 1024;
    console.log(JSON.stringify({ grown, result }));`;
  const command = ["--import", "tsx", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return Measured.parse(JSON.parse(stdout));
}
