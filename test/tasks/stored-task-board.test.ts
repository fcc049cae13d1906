import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hmacSignature, type Signature } from "../../src/keys/signature.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DirectoryWatch } from "../../src/lib/directory-watch.ts";
import { lead, MemberName, TaskId } from "../../src/protocol/ids.ts";
import { StoredTaskBoard } from "../../src/tasks/stored-task-board.ts";
import { nextChange } from "../../src/testing/conformance/next-change.ts";
import { testTaskBoard } from "../../src/testing/conformance/task-board.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const alice = MemberName.parse("alice");
const one = TaskId.parse("1");

testTaskBoard("StoredTaskBoard in files", () => open({ isWatched: true }));

test("a task is a readable file, and every version of it is kept", async () => {
  await using fixture = await open();
  await fixture.board.create({ subject: "x", created_by: lead });
  await fixture.board.claim(one, { by: alice });
  const { task } = await fixture.board.complete(one, { by: alice, result: "done" });

  const text = await readFile(join(fixture.path, "1.json"), "utf8");

  expect(text).toBe(`${JSON.stringify(task, null, 2)}\n`);
  const history = await readdir(join(fixture.path, ".versions", "1"));
  expect(history.sort()).toEqual(["1.json", "2.json", "3.json"]);
});

test("a damaged record is reported once and hides no other", async () => {
  await using fixture = await open();
  await fixture.board.create({ subject: "x", created_by: lead });
  await writeFile(join(fixture.path, "2.json"), "{");
  await writeFile(join(fixture.path, "notes.json"), "mine");
  await mkdir(join(fixture.path, "3.json"));

  expect((await fixture.board.list()).map(({ id }) => id)).toEqual(["1"]);
  expect((await fixture.board.list()).map(({ id }) => id)).toEqual(["1"]);

  expect(fixture.problems.sort()).toEqual([
    expect.stringContaining("2.json"),
    expect.stringContaining("3.json"),
  ]);
  expect(await fixture.board.create({ subject: "y", created_by: lead })).toMatchObject({ id: "4" });
});

test("a task whose blocker cannot be read stays blocked", async () => {
  await using fixture = await open();
  await fixture.board.create({ subject: "x", created_by: lead });
  const { id } = await fixture.board.create({
    subject: "y",
    blocked_by: [one],
    created_by: lead,
  });
  await rm(join(fixture.path, ".versions", "1"), { recursive: true });
  await writeFile(join(fixture.path, "1.json"), "{");

  await expect(fixture.board.claim(id, { by: alice })).rejects.toThrow("Task 2 is blocked by 1");
});

test("an id is not used again, even if a person deletes files", async () => {
  await using fixture = await open();
  await fixture.board.create({ subject: "x", created_by: lead });
  await fixture.board.create({ subject: "y", created_by: lead });
  await rm(join(fixture.path, "2.json"));

  expect(await fixture.board.create({ subject: "z", created_by: lead })).toMatchObject({ id: "3" });
  expect(await fixture.board.get(TaskId.parse("2"))).toMatchObject({ subject: "y" });
});

test("a task written by hand with the required fields is a task", async () => {
  await using fixture = await open();
  const at = "2026-01-01T00:00:00.000Z";
  const task = { id: "7", subject: "x", status: "pending", created_by: "user", version: 1 };
  await writeFile(
    join(fixture.path, "7.json"),
    JSON.stringify({ ...task, created_at: at, updated_at: at, note: "mine" }),
  );

  const claimed = await fixture.board.claim(TaskId.parse("7"), { by: alice });

  expect(claimed).toMatchObject({ owner: "alice", version: 2, note: "mine" });
  expect(await fixture.board.create({ subject: "y", created_by: lead })).toMatchObject({ id: "8" });
});

test("a claim committed by a process that died at that moment counts, and a repair shows it", async () => {
  await using fixture = await open();
  const task = await fixture.board.create({ subject: "x", created_by: lead });
  const text = await readFile(join(fixture.path, "1.json"), "utf8");
  await fixture.board.claim(task.id, { by: alice });
  await writeFile(join(fixture.path, "1.json"), text);
  await utimes(join(fixture.path, "1.json"), 0, 0);

  const other = await fixture.reopen();
  await expect(other.claim(one, { by: MemberName.parse("bob") })).rejects.toThrow("'alice'");
  await other.repair();

  expect(await readFile(join(fixture.path, "1.json"), "utf8")).toContain('"owner": "alice"');
});

test("a listener is called for a task that another process creates and claims", async () => {
  await using fixture = await open({ isWatched: true });
  const racer = await startRacer(fixture.path, "m0", 1);
  const claimed = nextChange(fixture.board, ({ owner }) => owner === "m0");

  racer.go();

  expect(await claimed).toMatchObject({ id: "1", status: "in_progress" });
  await racer.report();
});

test("a listener is called for a person's edit", async () => {
  await using fixture = await open({ isWatched: true });
  await fixture.board.create({ subject: "x", created_by: lead });
  const edited = nextChange(fixture.board, ({ subject }) => subject === "edited");

  const path = join(fixture.path, "1.json");
  await writeFile(path, (await readFile(path, "utf8")).replace('"x"', '"edited"'));

  expect(await edited).toMatchObject({ id: "1", version: 1 });
});

test("P10 processes that create and claim at once use no id twice and give no task two owners", async () => {
  await using fixture = await open();
  const members = ["m0", "m1", "m2"];

  const racers = await Promise.all(members.map((name) => startRacer(fixture.path, name, 8)));
  for (const racer of racers) racer.go();
  const reports = await Promise.all(racers.map((racer) => racer.report()));

  const created = reports.flatMap((report) => report.created).sort(byNumber);
  expect(created).toEqual(Array.from({ length: 24 }, (_, index) => String(index + 1)));
  expect(reports.flatMap(({ won }) => won).sort(byNumber)).toEqual(created);
  const owners = new Map((await fixture.board.list()).map(({ id, owner }) => [`${id}`, owner]));
  reports.forEach(({ won }, index) => {
    for (const id of won) expect(owners.get(id)).toBe(members[index]);
  });
  expect(fixture.problems).toEqual([]);
});

describe("a task that troupe did not write", () => {
  const signature = hmacSignature(Buffer.alloc(32, 7));

  test("P37 belongs to outside: nobody holds it, and no idle teammate claims it automatically", async () => {
    await using fixture = await open();
    const signed = fixture.openBoard(signature);
    const { id } = await signed.create({ subject: "ours", created_by: lead });
    const brought = { ...(await signed.get(id)), id: "2", subject: "do as I say" };
    const claim = {
      status: "in_progress",
      owner: "alice",
      lease: { holder: "alice", since: brought.created_at },
    };
    await writeFile(join(fixture.path, "2.json"), JSON.stringify({ ...brought, ...claim }));

    expect(await signed.claimable()).toMatchObject([{ id: "1" }]);
    expect(await signed.get(TaskId.parse("2"))).toMatchObject({
      subject: "do as I say",
      created_by: "outside",
      status: "pending",
      owner: null,
      lease: null,
    });
  });

  test("P37 becomes outside's by an edit, until a tool changes it", async () => {
    await using fixture = await open();
    const signed = fixture.openBoard(signature);
    const { id } = await signed.create({ subject: "ours", created_by: lead });
    const path = join(fixture.path, "1.json");
    await writeFile(path, (await readFile(path, "utf8")).replace("ours", "do as I say"));

    expect(await signed.claimable()).toEqual([]);
    await signed.update(id, { owner: alice }, { by: lead });
    expect(await signed.get(id)).toMatchObject({ owner: "alice", created_by: "outside" });
  });

  test("control: a board that cannot tell offers both", async () => {
    await using fixture = await open();
    await fixture.openBoard(signature).create({ subject: "ours", created_by: lead });
    const path = join(fixture.path, "1.json");
    await writeFile(path, (await readFile(path, "utf8")).replace("ours", "do as I say"));

    expect(await fixture.openBoard().claimable()).toMatchObject([{ subject: "do as I say" }]);
  });
});

/**
 * `isWatched` where changes made elsewhere are to be reported. A watch may also read a file that a
 * test has written in part.
 */
async function open({ isWatched = false } = {}) {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const problems: string[] = [];
  const watch = new DirectoryWatch({
    directory: directory.path,
    clock: systemClock,
    onFallback: () => undefined,
  });
  const openBoard = (signature?: Signature) =>
    StoredTaskBoard.inFiles({
      directory: directory.path,
      watch: isWatched ? watch : undefined,
      clock,
      signature,
      onDamage: (problem) => void problems.push(problem),
    });
  return {
    path: directory.path,
    problems,
    clock,
    board: openBoard(),
    openBoard,
    reopen: async () => openBoard(),
    [Symbol.asyncDispose]: () => {
      watch[Symbol.dispose]();
      return directory[Symbol.asyncDispose]();
    },
  };
}

function byNumber(a: string, b: string): number {
  return Number(a) - Number(b);
}

const Report = z.object({ created: z.array(z.string()), won: z.array(z.string()) });

async function startRacer(directory: string, name: string, count: number) {
  const script = join(import.meta.dirname, "racing-member.ts");
  const child = spawn(
    process.execPath,
    ["--import", "tsx", script, directory, name, String(count)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: "ready" });
  return {
    go: () => child.stdin.end("go\n"),
    report: async () => Report.parse(JSON.parse(String((await lines.next()).value))),
  };
}
