import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RecordChanges } from "../../src/lib/record-changes.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("a change of one record reads only that record, regardless of their number", async () => {
  await using fixture = await open(500);

  fixture.changed("7.json");
  fixture.changed("7.json.0a0a0a0a-0a0a-7a0a-8a0a-0a0a0a0a0a0a.tmp");
  fixture.changed(".versions");

  expect(await fixture.next()).toEqual({ id: "7", version: 1 });
  expect(fixture.reads).toEqual(["7"]);
});

test("if the changed file is unknown, only files that look new are read", async () => {
  await using fixture = await open(500);
  await fixture.write("8", 1);
  await fixture.write("501", 1);

  fixture.changed(undefined);

  expect([await fixture.next(), await fixture.next()].map(({ id }) => id).sort()).toEqual([
    "501",
    "8",
  ]);
  expect(fixture.reads.sort()).toEqual(["501", "8"]);
});

test("changes that this process has reported, and older ones, are not reported again", async () => {
  await using fixture = await open(2);
  await fixture.write("1", 3);
  fixture.changes.report({ id: "1", version: 3 });

  fixture.changed("1.json");
  fixture.changed("2.json");
  fixture.changes.report({ id: "1", version: 2 });

  expect(await fixture.next()).toEqual({ id: "1", version: 3 });
  expect(await fixture.next()).toEqual({ id: "2", version: 1 });
  expect(fixture.seen).toHaveLength(2);
});

test("a record that changes while it is being read is read again", async () => {
  await using fixture = await open(1);
  fixture.changed("1.json");
  fixture.versions.set("1", 2);
  fixture.changed("1.json");

  await fixture.next();
  expect(fixture.seen.at(-1)).toEqual({ id: "1", version: 2 });
});

test("closing waits for the record that is being read, and no other one is read", async () => {
  await using fixture = await open(3);
  const order: string[] = [];
  fixture.changes.add(({ id }) => order.push(id));
  fixture.changed("1.json");
  fixture.changed("2.json");
  await fixture.hasBegun;

  await fixture.changes[Symbol.asyncDispose]();
  order.push("closed");
  fixture.changed("3.json");
  await stat(fixture.path);

  expect(order).toEqual(["1", "closed"]);
  expect(fixture.reads).toEqual(["1"]);
});

test("a file that an editor has emptied is read once it is written", async () => {
  await using fixture = await open(2);
  await fixture.empty("1");
  fixture.changed("1.json");
  fixture.changed("2.json");
  expect(await fixture.next()).toEqual({ id: "2", version: 1 });
  expect(fixture.reads).toEqual(["2"]);

  await fixture.write("1", 2);
  fixture.changed("1.json");

  expect(await fixture.next()).toEqual({ id: "1", version: 2 });
});

/** So many records that are older than anything that is looked for. */
async function open(count: number) {
  const directory = await temporaryDirectory();
  const versions = new Map<string, number>();
  const write = async (id: string, version: number) => {
    versions.set(id, version);
    await writeFile(join(directory.path, `${id}.json`), "{}");
  };
  for (let id = 1; id <= count; id++) {
    versions.set(String(id), 1);
    await writeFile(join(directory.path, `${id}.json`), "{}");
  }
  // The next file is made at a later time than all of these, however coarse the times are.
  await laterTime(directory.path, `${count}.json`);
  let changed: (fileName: string | undefined) => void = () => undefined;
  const reads: string[] = [];
  let begin = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const changes = new RecordChanges<{ id: string; version: number }>({
    directory: directory.path,
    watch: {
      subscribeAll(listener) {
        changed = listener;
        return () => {
          changed = () => undefined;
        };
      },
    },
    read: async (id) => {
      reads.push(id);
      begin();
      await stat(directory.path);
      const version = versions.get(id);
      return version === undefined ? undefined : { id, version };
    },
    onDamage: (problem) => {
      throw new Error(problem);
    },
  });
  const seen: { id: string; version: number }[] = [];
  const waiting: (() => void)[] = [];
  changes.add((record) => {
    seen.push(record);
    waiting.shift()?.();
  });
  let taken = 0;
  return {
    ...{ changes, changed: (name: string | undefined) => changed(name), reads, seen },
    ...{ versions, write, hasBegun, path: directory.path },
    empty: (id: string) => writeFile(join(directory.path, `${id}.json`), ""),
    async next() {
      if (seen.length <= taken) await new Promise<void>((resolve) => waiting.push(resolve));
      const record = seen[taken++];
      if (!record) throw new Error("Nothing was reported");
      return record;
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Changes the directory until its time is later than that of every file in it. */
async function laterTime(path: string, lastFile: string): Promise<void> {
  const { ctimeMs } = await stat(join(path, lastFile));
  do {
    await writeFile(join(path, "passing"), "");
    await rm(join(path, "passing"));
  } while ((await stat(path)).mtimeMs <= ctimeMs);
}
