import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Command, lookOptions } from "../../src/cli/command.ts";
import { runProgram } from "../../src/cli/program.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { noTerminal, troupe } from "./troupe.ts";

interface Obstacle {
  title: string;
  argv: string[];
  place(team: string): Promise<unknown>;
  path: string;
  reason: string;
}

const obstacles: Obstacle[] = [
  {
    title: "a mailbox that is a directory, sending",
    argv: ["send", "alice", "hi"],
    place: (team) => mkdir(join(team, "inbox", "alice.jsonl")),
    path: "inbox/alice.jsonl",
    reason: "illegal operation on a directory",
  },
  {
    title: "a mailbox that is a directory, looking",
    argv: ["inbox", "alice"],
    place: (team) => mkdir(join(team, "inbox", "alice.jsonl")),
    path: ".team",
    reason: "illegal operation on a directory",
  },
  {
    title: "a side directory that is a file",
    argv: ["inbox", "alice"],
    place: (team) => writeFile(join(team, "inbox", ".alice"), ""),
    path: "inbox/.alice",
    reason: "not a directory",
  },
  {
    title: "an inbox that is a file",
    argv: ["send", "alice", "hi"],
    place: async (team) => {
      await rm(join(team, "inbox"), { recursive: true });
      await writeFile(join(team, "inbox"), "");
    },
    path: "inbox",
    reason: "file already exists",
  },
  {
    title: "tasks that are a file",
    argv: ["tasks"],
    place: (team) => writeFile(join(team, "tasks"), ""),
    path: "tasks",
    reason: "not a directory",
  },
];

test.each(obstacles)("$title: one sentence, one hint, exit 1", async (obstacle) => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await store[Symbol.asyncDispose]();
  await obstacle.place(join(directory.path, ".team"));

  const { code, out, err } = await troupe(directory.path, ...obstacle.argv);

  expect(code).toBe(1);
  expect(out).toEqual([]);
  expect(err).toHaveLength(2);
  expect(err[0]).toMatch(/^error: /);
  expect(err[0]).toContain(obstacle.path);
  expect(err[0]).toContain(obstacle.reason);
});

test("a config.json that is a directory is an error that names the place", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, ".team", "config.json"), { recursive: true });

  const { code, out, err } = await troupe(directory.path, "team");

  expect(code).not.toBe(0);
  expect(out).toEqual([]);
  expect(err).toEqual([expect.stringContaining(".team"), expect.any(String)]);
});

test("a --team-dir that is too long is an error of a readable length", async () => {
  await using directory = await temporaryDirectory();

  const { code, err } = await troupe(directory.path, "team", "--team-dir", "/a".repeat(3_000));

  expect(code).toBe(1);
  expect(err[0]).toMatch(/^error: \/a\/a.*… cannot be used: name too long$/);
  expect(err[0]?.length).toBeLessThan(300);
});

test("send makes an inbox that is missing, for its owner alone", async () => {
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("alice"));
  await store[Symbol.asyncDispose]();
  const inbox = join(directory.path, ".team", "inbox");
  await rm(inbox, { recursive: true });

  const { code } = await troupe(directory.path, "send", "alice", "hi");

  expect(code).toBe(0);
  expect((await stat(inbox)).mode & 0o777).toBe(0o700);
  expect((await troupe(directory.path, "inbox", "alice")).out).toHaveLength(1);
});

test.each([
  ["EACCES", "permission denied", "may"],
  ["ENOSPC", "no space left on device", "Free some space"],
  ["EMFILE", "too many open files", "ulimit -n"],
  ["EROFS", "read-only file system", "writable"],
  ["EIO", "i/o error", "disk"],
])("%s is told as what it is, with what to do", async (name, reason, hint) => {
  const { code, err } = await fail(systemError(name, "/there/alice.jsonl"));

  expect(code).toBe(1);
  expect(err).toEqual([
    `error: /there/alice.jsonl cannot be used: ${reason}`,
    expect.stringContaining(hint),
  ]);
});

test("where the system names no file, the team's directory is named", async () => {
  const { err } = await fail(systemError("ENOSPC"), "--team-dir", "elsewhere");

  expect(err[0]).toBe("error: A file in elsewhere cannot be used: no space left on device");
});

test.each([
  ["a TypeError", new TypeError("x is not a function")],
  ["an error that only looks like one of the system", codedError("ENOSPC")],
  ["a system error that only a bug can cause", systemError("EBADF")],
])("%s is a bug and crashes loudly", async (_title, bug) => {
  await expect(fail(bug)).rejects.toBe(bug);
});

/** Runs a program whose only command fails with `error`. */
async function fail(error: Error, ...argv: string[]) {
  const command: Command = {
    name: "fail",
    summary: "",
    parameters: [],
    options: lookOptions,
    run: () => Promise.reject(error),
  };
  const commands = new Map([["fail", async () => command]]);
  const err: string[] = [];
  const code = await runProgram({ version: "1.2.3", commands }, ["fail", ...argv], {
    out: () => undefined,
    signal: new AbortController().signal,
    openTeam: () => Promise.reject(new Error("Nobody leads")),
    schedule: () => () => undefined,
    err: (line) => err.push(line),
    observeTeam: () => Promise.reject(new Error("unused")),
    surroundings: { cwd: "/", home: "/", env: {} },
    terminal: noTerminal,
  });
  return { code, err };
}

function systemError(name: string, path?: string): Error {
  const errno = -(Object.entries(constants.errno).find(([code]) => code === name)?.[1] ?? 0);
  return Object.assign(codedError(name), { errno, syscall: "write" }, path && { path });
}

function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
