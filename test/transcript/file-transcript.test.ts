import fs from "node:fs";
import { appendFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDescriptors } from "../../soak/open-descriptors.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import type { Damage } from "../../src/lib/json-lines.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import {
  collect,
  compaction,
  output,
  testTranscript,
} from "../../src/testing/conformance/transcript.ts";
import { patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { EntryChain } from "../../src/transcript/entry-chain.ts";
import { FileTranscript, FileTranscriptReader } from "../../src/transcript/file-transcript.ts";

testTranscript("FileTranscript", async () => {
  const { transcript, path, ...directory } = await openTranscript();
  return {
    transcript,
    reopen: async () => new FileTranscriptReader(path, { chain, onDamage: refuseDamage }),
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  };
});

describe("a torn tail", () => {
  test("at every byte of the last line keeps everything before it, and later entries", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first")]);
    const { size: lineStart } = await stat(fixture.path);
    await fixture.transcript.append([output("läst")]);
    const bytes = await readFile(fixture.path);

    for (let length = lineStart; length < bytes.length; length++) {
      await writeFile(fixture.path, bytes.subarray(0, length));
      const damages: Damage[] = [];

      const reopened = await FileTranscript.open(fixture.path, collector(damages));
      await reopened.append([output("next")]);

      const isWhole = length === bytes.length - 1;
      const isGone = length === lineStart;
      const kept = isWhole ? [output("first"), output("läst")] : [output("first")];
      expect(await reopened.tail(), `cut at ${length}`).toEqual([...kept, output("next")]);
      expect(damages.length, `cut at ${length}`).toBe(isWhole || isGone ? 0 : 1);
    }
  });

  test("control: without the repair, a line appended to the torn one is lost with it", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first"), output("last")]);
    await truncate(fixture.path, (await stat(fixture.path)).size - 5);

    await appendFile(fixture.path, `${JSON.stringify(output("next"))}\n`);

    const reader = new FileTranscriptReader(fixture.path, collector([]));
    expect(await reader.tail()).toEqual([output("first")]);
  });

  test("is kept in torn.jsonl and reported with its position", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first")]);
    const { size } = await stat(fixture.path);
    await appendFile(fixture.path, '{"type":"tool-res');
    const damages: Damage[] = [];

    await FileTranscript.open(fixture.path, collector(damages));

    const tornPath = join(fixture.directory, ".ada", "torn.jsonl");
    expect(await readFile(tornPath, "utf8")).toBe('{"type":"tool-res\n');
    expect((await stat(fixture.path)).size).toBe(size);
    expect(damages).toMatchObject([{ offset: size, reason: expect.stringContaining(tornPath) }]);
  });

  test("is left alone by a reader, and not shown", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first")]);
    await appendFile(fixture.path, JSON.stringify(output("no newline yet")));
    const before = await readFile(fixture.path, "utf8");

    const reader = new FileTranscriptReader(fixture.path, { chain, onDamage: refuseDamage });

    expect(await reader.tail()).toEqual([output("first")]);
    expect(await collect(reader.entries())).toEqual([output("first")]);
    expect(await readFile(fixture.path, "utf8")).toBe(before);
  });
});

describe("a write that fails", () => {
  const writeSync = fs.writeSync.bind(fs);
  const halfWrite = (descriptor: number, data: string | NodeJS.ArrayBufferView) =>
    writeSync(descriptor, Buffer.from(`${data}`).subarray(0, 20));

  test("partially leaves the file unchanged, and is reported", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first")]);
    const before = await readFile(fixture.path, "utf8");

    {
      using _ = patchFs(fs, { writeSync: halfWrite });
      await expect(fixture.transcript.append([output("lost")])).rejects.toMatchObject({
        code: "write-failed",
        hint: expect.any(String),
      });
    }

    expect(await readFile(fixture.path, "utf8")).toBe(before);
    await fixture.transcript.append([output("next")]);
    expect(await fixture.transcript.tail()).toEqual([output("first"), output("next")]);
  });

  test("partially, and cannot be undone, loses only its own entry", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first")]);

    {
      using _ = patchFs(fs, {
        writeSync: halfWrite,
        ftruncateSync: () => {
          throw systemError("EIO");
        },
      });
      await expect(fixture.transcript.append([output("lost")])).rejects.toMatchObject({
        code: "write-failed",
      });
    }
    await fixture.transcript.append([output("next")]);

    expect(await fixture.transcript.tail()).toEqual([output("first"), output("next")]);
    expect(fixture.damages).toHaveLength(1);
  });

  test("control: the partial write would have caused damage", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("first")]);

    const descriptor = fs.openSync(fixture.path, "a");
    halfWrite(descriptor, `${JSON.stringify(output("lost"))}\n`);
    fs.writeSync(descriptor, `${JSON.stringify(output("next"))}\n`);
    fs.closeSync(descriptor);

    expect(await fixture.transcript.tail()).toEqual([output("first")]);
  });

  test.each(["ENOSPC", "EIO", "EROFS", "EMFILE"])(
    "with %s at any call throws and loses no earlier entry",
    async (code) => {
      const fail = () => {
        throw systemError(code);
      };
      for (const call of ["openSync", "fstatSync", "readSync", "writeSync"] as const) {
        await using fixture = await openTranscript();
        await fixture.transcript.append([output("first")]);

        {
          using _ = patchFs(fs, { [call]: fail });
          await expect(fixture.transcript.append([output("lost")]), call).rejects.toMatchObject({
            code: "write-failed",
            message: expect.stringContaining(code),
          });
        }
        await fixture.transcript.append([output("next")]);

        expect(await fixture.transcript.tail()).toEqual([output("first"), output("next")]);
      }
    },
  );

  test("all entries of one append are one write", async () => {
    await using fixture = await openTranscript();
    const sizes: number[] = [];

    using _ = patchFs(fs, {
      writeSync: (descriptor: number, data: string | NodeJS.ArrayBufferView) => {
        sizes.push(Buffer.byteLength(`${data}`));
        return writeSync(descriptor, `${data}`);
      },
    });
    await fixture.transcript.append([output("a"), output("b".repeat(1_000_000)), output("c")]);

    expect(sizes).toEqual([(await stat(fixture.path)).size]);
  });
});

describe("a damaged line", () => {
  test.each([
    ["that is not JSON", '{"type":"tool-result",'],
    ["of an unknown type", '{"type":"surprise","at":"2026-01-01T00:00:00.000Z"}'],
    ["of bytes that are no text", Buffer.from([0, 0xff, 0xfe, 0x80])],
  ])("%s is skipped and reported once", async (_, damage) => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([output("before")]);
    const { size: offset } = await stat(fixture.path);
    await appendFile(fixture.path, damage);
    await appendFile(fixture.path, "\n\n");
    await fixture.transcript.append([output("after")]);

    for (const entries of [
      await fixture.transcript.tail(),
      await collect(fixture.transcript.entries()),
      await fixture.transcript.tail(),
    ]) {
      expect(entries).toEqual([output("before"), output("after")]);
    }

    expect(fixture.damages).toMatchObject([{ path: fixture.path, offset }]);
  });

  test("with any one bit flipped loses only itself", async () => {
    await using fixture = await openTranscript();
    const neighbours = [compaction("start"), output("before"), output("after")];
    await fixture.transcript.append(neighbours.slice(0, 2));
    const { size: start } = await stat(fixture.path);
    await fixture.transcript.append([output("target")]);
    const { size: end } = await stat(fixture.path);
    await fixture.transcript.append(neighbours.slice(2));
    const bytes = await readFile(fixture.path);

    // All but the newline: without it two lines are one, and both are damaged.
    for (let bit = start * 8; bit < (end - 1) * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await writeFile(fixture.path, flipped);
      const tail = await new FileTranscriptReader(fixture.path, collector([])).tail();

      expect(tail, `bit ${bit}`).toEqual(expect.arrayContaining(neighbours));
    }
  });

  test("that was a compaction makes the tail start with the previous one", async () => {
    await using fixture = await openTranscript();
    await fixture.transcript.append([compaction("older"), output("a")]);
    await appendFile(fixture.path, '{"type":"compaction","at":"2026-01-01T00:00:00.000Z"}\n');
    await fixture.transcript.append([output("b")]);

    expect(await fixture.transcript.tail()).toEqual([
      compaction("older"),
      output("a"),
      output("b"),
    ]);
  });
});

test.each([
  ["that is void", 3, "tool-result"],
  ["that counts", 1, "gap"],
])("a lost line %s brings nothing back that a rewind has made void", async (_, line, type) => {
  await using fixture = await openTranscript();
  const { at } = output("");
  const voided = [output("void"), compaction("void"), output("void")];
  const rewind: TranscriptEntry = { type: "rewind", at, voids: 3, delivered: [] };
  await fixture.transcript.append([output("kept"), ...voided, rewind, output("after")]);
  const lines = (await readFile(fixture.path, "utf8")).split("\n");
  await writeFile(fixture.path, lines.toSpliced(line - 1, 1).join("\n"));

  // At the first opening it is repaired, at the second one there is nothing to repair.
  for (let opening = 0; opening < 2; opening++) {
    const reopened = await FileTranscript.open(fixture.path, collector([]));

    expect(await reopened.tail()).toMatchObject([{ type }, { type: "rewind" }, output("after")]);
  }
});

test("type is the first key of every line", async () => {
  await using fixture = await openTranscript();
  const entry: TranscriptEntry = { at: "2026-01-01T00:00:00.000Z", type: "run-start" };

  await fixture.transcript.append([entry]);

  expect(await readFile(fixture.path, "utf8")).toMatch(/^{"type":"run-start",/);
});

test("transcripts are private and keep no file open", async () => {
  await using fixture = await openTranscript();

  await fixture.transcript.append([output("a")]);
  await fixture.transcript.tail();

  expect(((await stat(fixture.path)).mode & 0o777).toString(8)).toBe("600");
  expect(((await stat(fixture.directory)).mode & 0o777).toString(8)).toBe("700");
  expect(openDescriptors(fixture.directory)).toBe(0);
});

test("a transcript deleted under its writer continues in a new file, which says what is missing", async () => {
  await using fixture = await openTranscript();
  await fixture.transcript.append([output("first")]);

  fs.rmSync(fixture.path);
  await fixture.transcript.append([output("next")]);

  const { at } = output("next");
  expect(await fixture.transcript.tail()).toEqual([{ type: "gap", at, lost: 1 }, output("next")]);
});

async function openTranscript() {
  const temporary = await temporaryDirectory();
  const directory = join(temporary.path, "transcripts");
  const path = join(directory, "ada.jsonl");
  const damages: Damage[] = [];
  const transcript = await FileTranscript.open(path, collector(damages));
  return {
    directory,
    path,
    damages,
    transcript,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

const chain = new EntryChain(hmacSignature(Buffer.alloc(32, 7)), { teamId: "t", member: "ada" });

function collector(damages: Damage[]) {
  return { chain, onDamage: (damage: Damage) => damages.push(damage) };
}

function refuseDamage({ reason }: Damage): never {
  throw new Error(reason);
}
