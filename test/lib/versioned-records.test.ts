import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readTextIfExists, replaceFile } from "../../src/lib/files.ts";
import { OwnDirectory } from "../../src/lib/own-directory.ts";
import { VersionedRecords, type VersionedRecordsOptions } from "../../src/lib/versioned-records.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noteFileCalls } from "../support/file-calls.ts";
import { failAt, holdNext } from "./fs-faults.ts";

const Note = z.object({ id: z.string(), version: z.int().positive(), text: z.string() });
type Note = z.infer<typeof Note>;

test("a record is read as it was committed, and each version is made once", async () => {
  await using fixture = await open();
  const { records } = fixture;

  expect(await records.read("a")).toBeUndefined();
  expect(await records.ids()).toEqual([]);
  expect(await records.commit(note(1))).toBe(true);
  expect(await records.commit({ ...note(1), text: "other" })).toBe(false);
  expect(await records.commit(note(2))).toBe(true);

  expect(await records.read("a")).toEqual(note(2));
  expect(await records.ids()).toEqual(["a"]);
  expect(await fixture.copy()).toEqual(note(2));
});

test("files are private, regardless of the umask", async () => {
  await using fixture = await open();
  const umask = process.umask(0);
  try {
    await fixture.records.commit(note(1));
  } finally {
    process.umask(umask);
  }

  const modes: string[] = [];
  for (const path of ["", ".versions", ".versions/a", ".versions/a/1.json", "a.json"]) {
    modes.push(((await stat(join(fixture.path, path))).mode & 0o777).toString(8));
  }
  expect(modes).toEqual(["700", "700", "700", "600", "600"]);
});

test("a record that could not be read back is not committed", async () => {
  await using fixture = await open();
  await fixture.records.commit(note(1));

  const next = fixture.records.commit(note(Number.MAX_SAFE_INTEGER + 1));

  await expect(next).rejects.toMatchObject({ code: "record-corrupt" });
  expect(await fixture.records.read("a")).toEqual(note(1));
});

describe("two writers", () => {
  test("of many writers that create one version at once, one does", async () => {
    await using fixture = await open();
    const writers = Array.from({ length: 20 }, (_, index) => `writer ${index}`);

    const outcomes = await Promise.all(
      writers.map((text) => fixture.reopen().commit({ ...note(1), text })),
    );

    const winners = writers.filter((_, index) => outcomes[index]);
    expect(winners).toHaveLength(1);
    expect(await fixture.records.read("a")).toEqual({ ...note(1), text: winners[0] });
  });

  test("control: writers that check and then replace the file both believe they created the version", async () => {
    await using fixture = await open();
    const replace = async (text: string) => {
      const found = await readTextIfExists(join(fixture.path, "a.json"));
      if (found !== undefined) return false;
      await replaceFile(join(fixture.path, "a.json"), JSON.stringify({ ...note(1), text }));
      return true;
    };
    using hold = holdNext("rename");
    const slow = replace("slow");
    await hold.reached;

    const quick = await replace("quick");
    hold.letGo();

    expect([quick, await slow]).toEqual([true, true]);
  });

  test("a writer suspended before its commit finds its version taken, after any time", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    using hold = holdNext("link");
    const late = fixture.records.commit({ ...note(2), text: "late" });
    await hold.reached;
    for (let version = 2; version <= 60; version++) await fixture.reopen().commit(note(version));

    hold.letGo();

    expect(await late).toBe(false);
    expect(await fixture.records.read("a")).toEqual(note(60));
    expect(await fixture.copy()).toEqual(note(60));
  });

  test("a writer suspended after its commit has committed, and does not restore its old copy", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    using hold = holdNext("rename");
    const slow = fixture.records.commit(note(2));
    await hold.reached;
    const other = fixture.reopen();
    expect(await other.read("a")).toEqual(note(2));
    for (let version = 3; version <= 60; version++) await other.commit(note(version));

    hold.letGo();

    expect(await slow).toBe(true);
    expect(await other.read("a")).toEqual(note(60));
    expect(await fixture.copy()).toEqual(note(60));
  });
});

describe("a writer that dies", () => {
  test("at any call leaves the old version or the new one, and no obstacle", async () => {
    const outcomes = await sweep((records) => records.commit(note(2)), { isCrash: true });

    expect(outcomes.length).toBeGreaterThan(6);
    for (const { found, isReturned } of outcomes) {
      expect(isReturned ? [note(2)] : [note(1), note(2)]).toContainEqual(found);
    }
    expect(new Set(outcomes.map(({ found }) => found?.version))).toEqual(new Set([1, 2]));
  });

  test("control: the sweep finds a writer that deletes before it writes", async () => {
    const outcomes = await sweep(
      async (_records, path) => {
        await rm(join(path, ".versions"), { recursive: true });
        await rm(join(path, "a.json"));
        await mkdir(join(path, "a.json.lock"));
        await writeFile(join(path, "a.json"), JSON.stringify(note(2)));
        return true;
      },
      { isCrash: true },
    );

    expect(outcomes.map(({ found }) => found)).toContain(undefined);
  });

  test.each(["EIO", "ENOSPC", "EROFS", "EMFILE"])(
    "an %s at any call is an error, or the change is stored",
    async (code) => {
      const outcomes = await sweep((records) => records.commit(note(2)), { isCrash: false, code });

      expect(outcomes.length).toBeGreaterThan(6);
      for (const { found, isReturned, error } of outcomes) {
        expect(isReturned ? [note(2)] : [note(1), note(2)]).toContainEqual(found);
        if (!isReturned) expect(error).toMatchObject({ code: "write-failed" });
      }
      expect(outcomes.some(({ isReturned }) => !isReturned)).toBe(true);
    },
  );

  test("before its copy is repaired, and its temporary files are removed", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    await writeFile(join(fixture.path, ".versions/a/2.json"), JSON.stringify(note(2)));
    await writeFile(join(fixture.path, `.versions/a/3.json.${randomUUID()}.tmp`), "{");
    await writeFile(join(fixture.path, `a.json.${randomUUID()}.tmp`), "{");
    await mkdir(join(fixture.path, ".versions/b"));

    expect(await fixture.records.read("a")).toEqual(note(2));
    expect(await fixture.copy()).toEqual(note(1));
    await fixture.records.repair();

    expect(await fixture.copy()).toEqual(note(2));
    expect(await readdir(fixture.path)).toEqual([".versions", "a.json"]);
    expect(await readdir(join(fixture.path, ".versions/a"))).toEqual(["1.json", "2.json"]);
    expect(await fixture.records.read("b")).toBeUndefined();
  });

  test("in a directory that does not exist yet leaves nothing to repair", async () => {
    await using fixture = await open();

    await fixture.records.repair();

    expect(await fixture.records.ids()).toEqual([]);
  });
});

describe("a person", () => {
  test("who edits the copy is respected, and the next change builds on it", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    await fixture.edit({ ...note(1), text: "by hand" });
    expect(await fixture.records.read("a")).toEqual({ ...note(1), text: "by hand" });

    await fixture.edit({ ...note(5), text: "with a higher version" });
    expect(await fixture.records.read("a")).toMatchObject({ version: 5 });
    expect(await fixture.records.commit(note(6))).toBe(true);
    expect(await fixture.records.read("a")).toEqual(note(6));
  });

  test("who creates a record by hand has created one", async () => {
    await using fixture = await open();
    await fixture.edit(note(1));

    expect(await fixture.records.ids()).toEqual(["a"]);
    expect(await fixture.records.read("a")).toEqual(note(1));
    expect(await fixture.records.commit(note(2))).toBe(true);
    expect(await fixture.copy()).toEqual(note(2));
  });

  test("who deletes the copy has deleted only a copy", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    await rm(join(fixture.path, "a.json"));

    expect(await fixture.records.ids()).toEqual(["a"]);
    expect(await fixture.records.read("a")).toEqual(note(1));
    await fixture.records.repair();
    expect(await fixture.copy()).toEqual(note(1));
  });

  test("who deletes the versions loses the history and nothing else", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    await fixture.records.commit(note(2));
    await rm(join(fixture.path, ".versions"), { recursive: true });

    expect(await fixture.records.read("a")).toEqual(note(2));
    expect(await fixture.records.commit(note(3))).toBe(true);
    expect(await fixture.records.read("a")).toEqual(note(3));
  });
});

describe("many records", () => {
  const ids = Array.from({ length: 40 }, (_, index) => `n${index}`);

  test("are read with a few calls each, and not listed one by one", async () => {
    await using fixture = await openMany(ids);

    expect(await callsFor(fixture, ids.length)).toBeLessThanOrEqual(5);
  });

  test("are checked with a few calls each if nothing needs repair", async () => {
    await using fixture = await openMany(ids);
    using calls = noteFileCalls();

    await fixture.reopen().repair();

    expect(calls.taken().length / ids.length).toBeLessThanOrEqual(5);
  });

  test("are not opened again while their files look unchanged", async () => {
    await using fixture = await openMany(ids, { now: () => new Date("2100-01-01") });
    await fixture.records.readAll(ids);
    using calls = noteFileCalls();

    expect(await fixture.records.readAll(ids)).toHaveLength(ids.length);

    const names = new Set(
      calls.taken().flatMap(({ name, path }) => (/n\d/.test(path) ? name : [])),
    );
    expect([...names]).toEqual(["lstatSync"]);
  });

  test("control: a record that is read on its own takes more", async () => {
    await using fixture = await openMany(ids);
    using calls = noteFileCalls();

    for (const id of ids) await fixture.records.read(id);

    expect(calls.taken().length / ids.length).toBeGreaterThan(5);
  });

  test("are the same as `read` returns for each, in any state", async () => {
    await using fixture = await openMany(["whole", "behind", "damaged", "uncopied", "raised"]);
    const { path } = fixture;
    const put = (name: string, record: object) =>
      writeFile(join(path, name), JSON.stringify(record));
    await put(".versions/behind/2.json", { ...note(2), id: "behind" });
    await writeFile(join(path, "damaged.json"), "?");
    await rm(join(path, "uncopied.json"));
    await put("raised.json", { ...note(7), id: "raised" });
    await put("by-hand.json", { ...note(3), id: "by-hand" });
    await mkdir(join(path, "directory.json"));
    await mkdir(join(path, ".versions/empty"));
    const ids = (await fixture.records.ids()).sort();

    const found = await fixture.reopen().readAll(ids);

    const alone = fixture.reopen();
    const each = await Promise.all(ids.map((id) => alone.read(id)));
    expect(found).toEqual(each.flatMap((record) => record ?? []));
    expect(found.map(({ id, version }) => `${id} ${version}`)).toEqual([
      "behind 2",
      "by-hand 3",
      "damaged 1",
      "raised 7",
      "uncopied 1",
      "whole 1",
    ]);
  });

  test("a change based on a copy older than a raised version is refused, and then seen", async () => {
    await using fixture = await openMany(["a"]);
    await fixture.edit({ ...note(50), text: "raised" });
    expect(await fixture.records.commit(note(51))).toBe(true);
    // An editor that has been open since.
    await fixture.edit(note(1));
    const other = fixture.reopen();

    const [stale] = await other.readAll(["a"]);

    expect(stale).toEqual(note(1));
    expect(await other.commit(note(2))).toBe(false);
    expect(await other.readAll(["a"])).toEqual([note(51)]);
    expect(await other.commit(note(52))).toBe(true);
  });

  async function openMany(
    names: readonly string[],
    options?: Partial<VersionedRecordsOptions<Note>>,
  ) {
    const fixture = await open(options, { isHeld: true });
    for (const id of names) await fixture.records.commit({ ...note(1), id });
    return fixture;
  }

  async function callsFor({ reopen }: Awaited<ReturnType<typeof open>>, count: number) {
    const records = reopen();
    using calls = noteFileCalls();
    expect(await records.readAll(ids)).toHaveLength(count);
    return calls.taken().length / count;
  }
});

describe("damage", () => {
  const damages = {
    "half a file": '{"id":"a","vers',
    "an empty file": "",
    "another shape": '{"id":"a","version":"1"}',
    "another record's file": JSON.stringify({ ...note(9), id: "b" }),
    "a version that nothing could follow": JSON.stringify(note(Number.MAX_SAFE_INTEGER)),
    "a version far beyond the newest": JSON.stringify(note(1_000_002)),
  };

  test.each(Object.entries(damages))(
    "%s is reported once, kept, and harms nothing",
    async (_, text) => {
      await using fixture = await open();
      await fixture.records.commit(note(1));
      await writeFile(join(fixture.path, "a.json"), text);

      expect(await fixture.records.read("a")).toEqual(note(1));
      expect(await fixture.records.read("a")).toEqual(note(1));
      expect(await fixture.records.commit(note(2))).toBe(true);

      expect(await fixture.copy()).toEqual(note(2));
      expect(fixture.problems).toEqual([expect.stringContaining("a.json")]);
      const [kept = ""] = (await readdir(fixture.path)).filter((name) => name.includes("damaged"));
      expect(await readFile(join(fixture.path, kept), "utf8")).toBe(text);
    },
  );

  test("a directory in place of a record is damage too", async () => {
    await using fixture = await open();
    await mkdir(join(fixture.path, "a.json"));

    expect(await fixture.records.read("a")).toBeUndefined();
    expect(await fixture.records.commit(note(1))).toBe(true);

    expect(await fixture.copy()).toEqual(note(1));
    expect(fixture.problems).toEqual([expect.stringContaining("is a directory")]);
  });

  test("if the newest version is damaged too, the previous one is used and can be changed", async () => {
    await using fixture = await open();
    for (const version of [1, 2, 3]) await fixture.records.commit(note(version));
    await writeFile(join(fixture.path, "a.json"), "?");
    await writeFile(join(fixture.path, ".versions/a/3.json"), "?");

    const found = await fixture.records.read("a");

    expect(found).toEqual({ ...note(2), version: 3 });
    expect(await fixture.records.commit(note(3))).toBe(false);
    expect(await fixture.records.commit(note(4))).toBe(true);
    expect(await fixture.records.read("a")).toEqual(note(4));
    expect(fixture.problems).toHaveLength(2);
  });

  test("a copy that cannot be written is reported, and the change is valid", async () => {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    using hold = holdNext("rename");
    const change = fixture.records.commit(note(2));
    await hold.reached;
    await rm(join(fixture.path, "a.json"));
    await mkdir(join(fixture.path, "a.json"));

    hold.letGo();

    expect(await change).toBe(true);
    expect(fixture.problems[0]).toContain("could not be brought up to date: E");
    expect(await fixture.reopen().read("a")).toEqual(note(2));
  });
});

describe("records whose copies are read-only", () => {
  test.each([
    ["the same version", note(1)],
    ["a higher version", note(2)],
  ])("an edit with %s is ignored, and the next change replaces it", async (_, version) => {
    await using fixture = await open({ isEditable: false });
    await fixture.records.commit(note(1));
    await fixture.edit({ ...version, text: "by hand" });

    expect(await fixture.records.read("a")).toEqual(note(1));
    expect(await fixture.records.commit(note(2))).toBe(true);
    expect(await fixture.records.read("a")).toEqual(note(2));
    expect(await fixture.copy()).toEqual(note(2));
  });

  test("a file that a person creates by hand is not a record", async () => {
    await using fixture = await open({ isEditable: false });
    await fixture.edit(note(1));

    expect(await fixture.records.read("a")).toBeUndefined();
  });

  test("a damaged version is read from its own copy only", async () => {
    await using fixture = await open({ isEditable: false });
    for (const version of [1, 2]) await fixture.records.commit(note(version));
    await writeFile(join(fixture.path, ".versions/a/2.json"), "?");

    expect(await fixture.records.read("a")).toEqual(note(2));
    await fixture.edit({ ...note(3), text: "by hand" });
    expect(await fixture.records.read("a")).toEqual({ ...note(1), version: 2 });
  });
});

describe("records whose old versions are dropped", () => {
  test("only the newest are kept, and nothing else changes", async () => {
    await using fixture = await open({ keptVersions: 3 });

    for (let version = 1; version <= 12; version++) await fixture.records.commit(note(version));

    const names = await readdir(join(fixture.path, ".versions/a"));
    expect(names.sort()).toEqual(["10.json", "11.json", "12.json"]);
    expect(await fixture.records.read("a")).toEqual(note(12));
    expect(await fixture.copy()).toEqual(note(12));
  });

  test("a writer that was suspended until its number was free again has not created that version", async () => {
    await using fixture = await open({ keptVersions: 3 });
    await fixture.records.commit(note(1));
    using hold = holdNext("link");
    const late = fixture.records.commit({ ...note(2), text: "late" });
    await hold.reached;
    for (let version = 2; version <= 60; version++) await fixture.reopen().commit(note(version));
    const isFree = !(await readdir(join(fixture.path, ".versions/a"))).includes("2.json");

    hold.letGo();

    expect({ isFree, isCommitted: await late }).toEqual({ isFree: true, isCommitted: false });
    expect(await fixture.records.read("a")).toEqual(note(60));
    expect(await fixture.copy()).toEqual(note(60));
  });

  test("old versions that cannot be removed are reported, and the change is valid", async () => {
    await using fixture = await open({ keptVersions: 1 });
    await mkdir(join(fixture.path, ".versions/a/1.json"), { recursive: true });

    expect(await fixture.records.commit(note(2))).toBe(true);

    expect(fixture.problems).toEqual([expect.stringContaining("1.json")]);
    expect(await fixture.records.read("a")).toEqual(note(2));
  });
});

function note(version: number): Note {
  return { id: "a", version, text: `version ${version}` };
}

async function open(options: Partial<VersionedRecordsOptions<Note>> = {}, { isHeld = false } = {}) {
  const directory = await temporaryDirectory();
  const held = isHeld ? OwnDirectory.open(directory.path) : undefined;
  const problems: string[] = [];
  const reopen = () =>
    new VersionedRecords({
      directory: held?.to() ?? directory.path,
      schema: () => Note,
      onDamage: (problem) => void problems.push(problem),
      now: () => new Date(0),
      isEditable: true,
      ...options,
    });
  return {
    path: directory.path,
    problems,
    records: reopen(),
    /** A second process looking at the same records. */
    reopen,
    copy: async () => JSON.parse(await readFile(join(directory.path, "a.json"), "utf8")),
    edit: (record: Note) => writeFile(join(directory.path, "a.json"), JSON.stringify(record)),
    async [Symbol.asyncDispose]() {
      held?.[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

interface Outcome {
  isReturned: boolean;
  error: unknown;
  found: Note | undefined;
}

/**
 * Runs `change` on a record at version 1 and fails its k-th call of the file system, for every k
 * until none is left. After each, the record must be readable, changeable and repairable.
 */
async function sweep(
  change: (records: VersionedRecords<Note>, path: string) => Promise<boolean>,
  { isCrash, code = "EIO" }: { isCrash: boolean; code?: string },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let k = 1; ; k++) {
    await using fixture = await open();
    await fixture.records.commit(note(1));
    using failures = failAt(k, { code, isCrash });
    const outcome: Outcome = { isReturned: false, error: undefined, found: undefined };
    try {
      outcome.isReturned = await change(fixture.records, fixture.path);
    } catch (error) {
      outcome.error = error;
    }
    const { haveCome } = failures;
    failures[Symbol.dispose]();
    if (!haveCome) return outcomes;

    const survivor = fixture.reopen();
    outcome.found = await survivor.read("a");
    outcomes.push(outcome);
    if (!outcome.found) continue;
    const next = note(outcome.found.version + 1);
    expect(await survivor.commit(next)).toBe(true);
    await survivor.repair();
    expect(await fixture.copy()).toEqual(next);
    expect(await readdir(fixture.path)).toEqual([".versions", "a.json"]);
  }
}
