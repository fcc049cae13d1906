import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  appendLines,
  type Damage,
  parseLine,
  repairTail,
  toLines,
} from "../../src/lib/json-lines.ts";
import { type FileLine, LineReader, type LineReaderOptions } from "../../src/lib/line-reader.ts";
import { listSegments, segmentPath, sideDirectory } from "../../src/lib/segments.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const chunkBytes = 64 * 1024;

test.each([
  ["nothing", []],
  ["empty lines", ["", "", ""]],
  ["one line", ["one"]],
  ["a line that ends with a chunk", ["x".repeat(chunkBytes - 1), "next"]],
  ["a line one byte longer than a chunk", ["x".repeat(chunkBytes), "next"]],
  ["lines of many chunks", ["x".repeat(300_000), "y".repeat(chunkBytes * 2), "z"]],
  ["characters cut by chunks", ["é".repeat(chunkBytes), `a${"🙂".repeat(chunkBytes)}`]],
  ["many lines", Array.from({ length: 5000 }, (_, index) => `${index}`.repeat(index % 90))],
])("%s is read equally from both ends", async (_, texts) => {
  await using fixture = await linesFile(texts.map((text) => `${text}\n`).join(""));

  const forwards = await collect(fixture.reader.forwards());
  const backwards = await collect(fixture.reader.backwards());

  expect(forwards.map((line) => line.bytes.toString())).toEqual(texts);
  expect(backwards.reverse()).toEqual(forwards);
  const bytes = await readFile(fixture.path);
  for (const line of forwards) {
    expect(bytes.subarray(line.offset, line.end).toString()).toBe(`${line.bytes}\n`);
  }
});

test.each([1, 7, 1000, chunkBytes, chunkBytes + 1])(
  "only the end of lines longer than %i bytes is kept, from both ends of the file",
  async (maxLineBytes) => {
    const texts = ["short", "x".repeat(200_000), "", "0123456789".repeat(maxLineBytes), "last"];
    await using fixture = await linesFile(texts.map((text) => `${text}\n`).join(""), {
      maxLineBytes,
    });

    const forwards = await collect(fixture.reader.forwards());
    const backwards = await collect(fixture.reader.backwards());

    expect(forwards.map((line) => line.bytes.toString())).toEqual(
      texts.map((text) => text.slice(-maxLineBytes)),
    );
    expect(forwards.map(({ isCut }) => isCut)).toEqual(
      texts.map((text) => text.length > maxLineBytes),
    );
    expect(backwards.reverse()).toEqual(forwards);
  },
);

test("reading starts at a given line", async () => {
  await using fixture = await linesFile("one\ntwo\nthree\n");

  const [, second] = await collect(fixture.reader.forwards());

  const rest = await collect(fixture.reader.forwards(second?.end));
  expect(rest).toMatchObject([{ bytes: Buffer.from("three") }]);
});

test("text without a newline is not a line yet, from either end", async () => {
  await using fixture = await linesFile("one\ntwo");

  expect(await collect(fixture.reader.forwards())).toMatchObject([{ bytes: Buffer.from("one") }]);
  expect(await collect(fixture.reader.backwards())).toMatchObject([{ bytes: Buffer.from("one") }]);
  expect(await fixture.reader.unterminated()).toMatchObject({
    bytes: Buffer.from("two"),
    offset: 4,
  });
});

test("a file that ends with a newline has nothing unterminated", async () => {
  await using fixture = await linesFile("one\n");

  expect(await fixture.reader.unterminated()).toBeUndefined();
});

test("a missing file has no reader", async () => {
  await using directory = await temporaryDirectory();

  expect(await LineReader.open(join(directory.path, "missing.jsonl"))).toBeUndefined();
});

test("appending ends an unterminated line", async () => {
  await using fixture = await linesFile("torn");

  appendLines(fixture.path, "whole\n");

  expect(await readFile(fixture.path, "utf8")).toBe("torn\nwhole\n");
});

test("a line that is not a record is reported with its position, an empty one is not", async () => {
  await using fixture = await linesFile(`${toLines([{ n: 1 }])}\n{"n":"one"}\n{"n":\n`);
  const damages: Damage[] = [];

  const records = (await collect(fixture.reader.forwards())).map((line) =>
    parseLine(line, z.object({ n: z.number() }), (damage) => damages.push(damage)),
  );

  expect(records).toEqual([{ n: 1 }, undefined, undefined, undefined]);
  expect(damages).toMatchObject([
    { path: fixture.path, offset: 9, reason: expect.stringContaining("at n") },
    { path: fixture.path, offset: 21, reason: expect.stringContaining("not JSON") },
  ]);
});

test("repairing adds a missing newline to a whole record and changes nothing else", async () => {
  await using fixture = await linesFile('{"n":1}\n{"n":2}');
  const refuse = ({ reason }: Damage) => expect.unreachable(reason);

  await repairTail(fixture.path, () => z.object({ n: z.number() }), refuse);
  await repairTail(fixture.path, () => z.object({ n: z.number() }), refuse);

  expect(await readFile(fixture.path, "utf8")).toBe('{"n":1}\n{"n":2}\n');
});

test("repairing moves each torn tail to the side directory", async () => {
  await using fixture = await linesFile('{"n":1}\n');
  const damages: Damage[] = [];

  for (const torn of ['{"n', '{"n":2']) {
    await appendFile(fixture.path, torn);
    await repairTail(
      fixture.path,
      () => z.object({ n: z.number() }),
      (it) => damages.push(it),
    );
  }

  expect(await readFile(fixture.path, "utf8")).toBe('{"n":1}\n');
  const torn = join(String(sideDirectory(fixture.path)), "torn.jsonl");
  expect(await readFile(torn, "utf8")).toBe('{"n\n{"n":2\n');
  expect(((await stat(torn)).mode & 0o777).toString(8)).toBe("600");
  expect(damages).toMatchObject([{ offset: 8 }, { offset: 8 }]);
});

test("segments are listed by number, and other files are not", async () => {
  await using directory = await temporaryDirectory();
  for (const number of [10, 9, 1_000_000])
    await writeFile(String(segmentPath(directory.path, number)), "");
  await writeFile(join(directory.path, "torn.jsonl"), "");
  await writeFile(join(directory.path, "000001.jsonl.tmp"), "");

  expect(await listSegments(directory.path)).toEqual([9, 10, 1_000_000]);
  expect(await listSegments(join(directory.path, "missing"))).toEqual([]);
});

async function linesFile(text: string, options: LineReaderOptions = {}) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "lines.jsonl");
  await writeFile(path, text);
  const reader = await LineReader.open(path, options);
  if (!reader) throw new Error("the file is there");
  return {
    path,
    reader,
    [Symbol.asyncDispose]: async () => {
      await reader[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function collect(lines: AsyncIterable<FileLine>): Promise<FileLine[]> {
  const collected: FileLine[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
}
