import fs from "node:fs";
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import type { Damage } from "../../src/lib/json-lines.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { compaction, output } from "../../src/testing/conformance/transcript.ts";
import { patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { EntryChain } from "../../src/transcript/entry-chain.ts";
import { FileTranscript, FileTranscriptReader } from "../../src/transcript/file-transcript.ts";
import { HeadFile } from "../../src/transcript/head-file.ts";

const letters = ["a", "b", "c", "d", "e"];

describe("a transcript that was changed", () => {
  test("an entry without a signature is removed, set aside and reported", async () => {
    await using fixture = await writtenTranscript();
    const forged = JSON.stringify(output("forged"));
    await fixture.edit((lines) => [...lines.slice(0, 2), forged, ...lines.slice(2)]);

    const { entries, damages } = await fixture.reopen();

    expect(texts(entries)).toEqual(letters);
    expect(damages.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("was not written by troupe"),
    ]);
    expect(await readFile(join(fixture.directory, ".ada", "damaged.jsonl"), "utf8")).toBe(
      `${forged}\n`,
    );
    expect((await fixture.reopen()).damages).toEqual([]);
  });

  test("control: a reader without the key sees the forged entry", async () => {
    await using fixture = await writtenTranscript();
    await fixture.edit((lines) => [...lines, JSON.stringify(output("forged"))]);

    const unchecked = new FileTranscriptReader(fixture.path, { onDamage: () => undefined });
    const checked = new FileTranscriptReader(fixture.path, { chain, onDamage: () => undefined });

    expect(texts(await unchecked.tail())).toContain("forged");
    expect(texts(await checked.tail())).toEqual(letters);
  });

  test.each([
    [
      "another key",
      new EntryChain(hmacSignature(Buffer.alloc(32, 8)), { teamId: "t", member: "ada" }),
    ],
    [
      "another team",
      new EntryChain(hmacSignature(Buffer.alloc(32, 7)), { teamId: "u", member: "ada" }),
    ],
    [
      "another member",
      new EntryChain(hmacSignature(Buffer.alloc(32, 7)), { teamId: "t", member: "bob" }),
    ],
  ])("an entry that was signed for %s does not belong to this transcript", async (_, other) => {
    await using fixture = await writtenTranscript();
    const last = chain.placeOf(Buffer.from((await fixture.lines()).at(-1) ?? ""));
    const { line } = other.seal(output("forged"), last ?? { number: 0, sig: "" });
    await appendFile(fixture.path, line);

    const { entries, damages } = await fixture.reopen();

    expect(texts(entries)).toEqual(letters);
    expect(damages).toHaveLength(1);
  });

  test("an entry that is missing in the middle leaves a gap, and all others stay", async () => {
    await using fixture = await writtenTranscript();
    await fixture.edit((lines) => lines.toSpliced(2, 1));

    const { entries, damages } = await fixture.reopen();

    expect(entries).toEqual([
      output("a"),
      output("b"),
      { type: "gap", at, lost: 1 },
      output("d"),
      output("e"),
    ]);
    expect(damages.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("1 of its last entries is missing"),
    ]);
    const again = await fixture.reopen();
    expect(again.entries).toEqual(entries);
    expect(again.damages).toEqual([]);
  });

  test.each([1, 3, 5])("%i entries cut off the end leave a gap", async (count) => {
    await using fixture = await writtenTranscript();
    await fixture.edit((lines) => lines.slice(0, -count));

    const { entries, damages } = await fixture.reopen();

    expect(texts(entries)).toEqual(letters.slice(0, -count));
    expect(entries.at(-1)).toMatchObject({ type: "gap", lost: count });
    expect(damages).toHaveLength(1);
    expect((await fixture.reopen()).damages).toEqual([]);
  });

  test("control: without the head, entries cut off the end are not noticed", async () => {
    await using fixture = await writtenTranscript();
    await fixture.edit((lines) => lines.slice(0, -2));
    await rm(fixture.headPath);

    const { entries, damages } = await fixture.reopen();

    expect(entries).toEqual(letters.slice(0, -2).map(output));
    expect(damages).toEqual([]);
  });

  test.each([
    ["zeros", async (path: string, size: number) => await writeFile(path, Buffer.alloc(size))],
    ["another's entries", async (path: string) => await writeFile(path, "{}\n{}\n")],
  ])("if the head is lost, too, %s in place of entries leave a gap", async (_, damage) => {
    await using fixture = await writtenTranscript();
    const whole = await readFile(fixture.path);
    const kept = whole.subarray(0, whole.indexOf("\n", whole.indexOf("\n") + 1) + 1);
    await damage(fixture.path, whole.length - kept.length);
    await writeFile(fixture.path, Buffer.concat([kept, await readFile(fixture.path)]));
    await rm(fixture.headPath);

    const { entries, damages } = await fixture.reopen();

    expect(texts(entries)).toEqual(letters.slice(0, 2));
    expect(entries.at(-1)).toMatchObject({ type: "gap", lost: 0 });
    expect(damages).not.toEqual([]);
    expect(await fixture.reopen()).toEqual({ entries, damages: [] });
  });

  test("a missing transcript leaves a gap", async () => {
    await using fixture = await writtenTranscript();
    await rm(fixture.path);

    const { entries } = await fixture.reopen();

    expect(entries).toEqual([expect.objectContaining({ type: "gap", lost: letters.length })]);
  });

  test("an older copy of the whole transcript is detected although all its lines are valid", async () => {
    await using fixture = await writtenTranscript();
    const copy = await readFile(fixture.path);
    const transcript = await fixture.open([]);
    await transcript.append([output("f")]);
    // The same number of entries, of another life of the same transcript.
    await writeFile(fixture.path, copy);
    await rm(fixture.headPath);
    await (await fixture.open([])).append([output("g")]);
    await fixture.head.write({ number: 6, sig: "0".repeat(64) });

    const { entries } = await fixture.reopen();

    expect(entries.at(-1)).toMatchObject({ type: "gap", lost: 0 });
  });

  test("lines in any order and any number are repaired, and nothing is lost", async () => {
    await using fixture = await writtenTranscript();
    const original = await fixture.lines();
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...original, ...original], { minLength: 1 }),
        async (lines) => {
          await fixture.edit(() => lines);
          const kept = letters.filter((_, index) => lines.includes(original[index] ?? ""));

          const { entries } = await fixture.reopen({ withoutHead: true });

          expect(texts(entries)).toEqual(kept);
          expect(lostIn(entries)).toBe(letters.indexOf(kept.at(-1) ?? "") + 1 - kept.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("only the part after the newest compaction is read and rewritten", async () => {
    await using fixture = await writtenTranscript();
    const transcript = await fixture.open([]);
    await transcript.append([compaction("so far"), output("f"), output("g")]);
    const before = (await fixture.lines()).slice(0, letters.length);
    await fixture.edit((lines) => ["not one of ours", ...lines.slice(1, -2), lines.at(-1) ?? ""]);

    const { entries } = await fixture.reopen();

    expect(entries.map(({ type }) => type)).toEqual(["compaction", "gap", "tool-result"]);
    expect((await fixture.lines()).slice(0, letters.length)).toEqual([
      "not one of ours",
      ...before.slice(1),
    ]);
  });
});

describe("dying during the repair of a transcript", () => {
  test.each(["rename", "appendFile", "writeFile"] as const)(
    "before %s leaves it unchanged, to be repaired at the next start",
    async (call) => {
      await using fixture = await writtenTranscript();
      await fixture.edit((lines) => lines.toSpliced(2, 1));
      const before = await fixture.lines();

      {
        using _ = patchFs(fs.promises, {
          [call]: async () => {
            throw systemError("EIO");
          },
        });
        await expect(fixture.open([])).rejects.toMatchObject({ code: "write-failed" });
      }

      expect(await fixture.lines()).toEqual(before);
      expect((await fixture.reopen()).entries).toContainEqual({ type: "gap", at, lost: 1 });
      expect(fs.readdirSync(fixture.directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    },
  );
});

describe("the head", () => {
  test("that is behind, as after kill -9, causes no gap", async () => {
    await using fixture = await writtenTranscript();
    const first = chain.placeOf(Buffer.from((await fixture.lines())[0] ?? ""));
    await fixture.head.write(first ?? { number: 0, sig: "" });

    expect((await fixture.reopen()).damages).toEqual([]);
  });

  test.each(["", "nonsense\n", "\0".repeat(81)])("damaged to %j is ignored", async (text) => {
    await using fixture = await writtenTranscript();
    await writeFile(fixture.headPath, text);

    expect((await fixture.reopen()).damages).toEqual([]);
  });

  test("is not written through a link, and the transcript continues", async () => {
    await using fixture = await writtenTranscript();
    const target = join(fixture.directory, "target");
    await writeFile(target, "mine");
    await rm(fixture.headPath);
    await symlink(target, fixture.headPath);

    await (await fixture.open([])).append([output("f")]);

    expect(await readFile(target, "utf8")).toBe("mine");
    expect(fixture.warnings).toHaveLength(1);
    expect(texts((await fixture.reopen({ withoutHead: true })).entries)).toContain("f");
  });
});

const { at } = output("");

const chain = new EntryChain(hmacSignature(Buffer.alloc(32, 7)), { teamId: "t", member: "ada" });

/** A transcript with the entries a to e, closed, with what is needed to mistreat it. */
async function writtenTranscript() {
  const temporary = await temporaryDirectory();
  const directory = join(temporary.path, "transcripts");
  const path = join(directory, "ada.jsonl");
  const headPath = join(temporary.path, "heads", "ada");
  await mkdir(join(temporary.path, "heads"));
  const warnings: string[] = [];
  const head = await HeadFile.open(headPath, {
    onWarning: (message) => warnings.push(message),
  });
  const open = (damages: Damage[], options: { withoutHead?: boolean } = {}) =>
    FileTranscript.open(path, {
      chain,
      ...(!options.withoutHead && { head }),
      onDamage: (damage) => damages.push(damage),
    });
  const lines = async () => (await readFile(path, "utf8")).split("\n").slice(0, -1);
  for (const letter of letters) await (await open([])).append([output(letter)]);
  return {
    directory,
    path,
    headPath,
    head,
    warnings,
    open,
    lines,
    async edit(change: (lines: string[]) => string[]) {
      const edited = change(await lines());
      await writeFile(path, edited.map((line) => `${line}\n`).join(""));
    },
    async reopen(options: { withoutHead?: boolean } = {}) {
      const damages: Damage[] = [];
      const entries = await (await open(damages, options)).tail();
      return { entries, damages };
    },
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

function texts(entries: readonly TranscriptEntry[]): string[] {
  return entries.flatMap((entry) => (entry.type === "tool-result" ? entry.output : []));
}

function lostIn(entries: readonly TranscriptEntry[]): number {
  return entries.reduce((sum, entry) => sum + (entry.type === "gap" ? entry.lost : 0), 0);
}
