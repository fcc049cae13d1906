import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Command, lookOptions, type ProcessInfo } from "../../src/cli/command.ts";
import { runProgram } from "../../src/cli/program.ts";
import { placeOptions } from "../../src/cli/settings/flags.ts";
import { TeamError } from "../../src/errors.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { noDashboards, noTerminal, troupe } from "./troupe.ts";

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
    reason: "not a directory",
  },
  {
    title: "tasks that are a file",
    argv: ["tasks"],
    place: async (team) => {
      await rm(join(team, "tasks"), { recursive: true, force: true });
      await writeFile(join(team, "tasks"), "");
    },
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

test("a config.json that is a directory is an error with its path", async () => {
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

test("send creates a missing inbox, private to its owner", async () => {
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
  ["EACCES", "permission denied", "permissions"],
  ["ENOSPC", "no space left on device", "Free some space"],
  ["EMFILE", "too many open files", "ulimit -n"],
  ["EROFS", "read-only file system", "writable"],
  ["EIO", "i/o error", "disk"],
])("%s is reported with its reason and a hint", async (name, reason, hint) => {
  const { code, err } = await fail(systemError(name, "/there/alice.jsonl"));

  expect(code).toBe(1);
  expect(err).toEqual([
    `error: /there/alice.jsonl cannot be used: ${reason}`,
    expect.stringContaining(hint),
  ]);
});

test("if the system names no file, the team's directory is named", async () => {
  const { err } = await fail(systemError("ENOSPC"), "--team-dir", "elsewhere");

  expect(err[0]).toBe("error: A file in elsewhere cannot be used: no space left on device");
});

test.each([
  ["a TypeError", new TypeError("x is not a function")],
  ["an error that only looks like one of the system", codedError("ENOSPC")],
  ["a system error that only a bug can cause", systemError("EBADF")],
])("%s is a bug: it is reported as one, and exits 1", async (_title, bug) => {
  const { code, err } = await fail(bug);

  expect(code).toBe(1);
  expect(err).toEqual([
    `error: troupe has a bug: ${bug.message}`,
    expect.stringContaining("--debug"),
  ]);
});

test("with --debug a bug is reported with its stack and all causes", async () => {
  const cause = new TypeError("no number", { cause: systemError("EACCES", "/there") });
  const bug = new RangeError("no sum", { cause });

  const { code, err } = await fail(bug, "--debug");

  expect(code).toBe(1);
  const text = err.join("\n");
  expect(text).toContain("debug: RangeError: no sum");
  expect(text).toContain("debug: caused by TypeError: no number");
  expect(text).toContain("debug: caused by Error (EACCES): EACCES");
  expect(text).toMatch(/debug: +at .*failures\.test\.ts/);
});

test("with --debug an expected failure keeps its message and hint, and shows its code", async () => {
  const error = new TeamError("task-conflict", "Twice", { hint: "Once.", cause: codedError("x") });

  const { code, err } = await fail(error, "--debug");

  expect(code).toBe(1);
  expect(err.slice(0, 3)).toEqual([
    "error: Twice",
    "Once.",
    "debug: TeamError (task-conflict): Twice",
  ]);
  expect(err.join("\n")).toContain("caused by Error (x)");
});

test("causes that form a cycle are printed once", async () => {
  const first = new Error("first");
  first.cause = new Error("second", { cause: first });

  const { err } = await fail(first, "--debug");

  expect(err.filter((line) => line.includes("Error: first"))).toHaveLength(1);
});

test.each([
  ["the environment", []],
  ["a file of --env-file", ["--env-file", "keys.env"]],
])("a key of %s is in no line, with --debug or without", async (_, flags) => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "keys.env"), "OPENAI_API_KEY=sk-in-a-file-123\n");
  const processInfo = {
    cwd: directory.path,
    home: directory.path,
    env: {
      ANTHROPIC_API_KEY: "sk-in-the-environment",
      OPENAI_BASE_URL: "https://me:password-123@example.com/v1",
    },
  };
  const bug = new Error("sk-in-the-environment password-123 sk-in-a-file-123", {
    cause: new Error("sk-in-the-environment password-123 sk-in-a-file-123"),
  });
  const isHidden = (text: string) => !/sk-in-the-environment|password-123/.test(text);

  for (const debug of [[], ["--debug"]]) {
    const { err } = await failIn(processInfo, bug, ...flags, ...debug);

    expect(err.join("\n")).toSatisfy(isHidden);
    expect(err.join("\n").includes("sk-in-a-file-123")).toBe(flags.length === 0);
    expect(err.join("\n")).toContain("[key]");
  }
});

test("an abort is a bug unless the person requested the end", async () => {
  const abort = new DOMException("This operation was aborted", "AbortError");
  const ended = AbortSignal.abort();

  expect(await failIn({ cwd: "/", home: "/", env: {}, signal: ended }, abort)).toEqual({
    code: 1,
    err: [],
  });
  expect((await fail(abort)).err[0]).toContain("troupe has a bug");
});

/** Runs a program whose only command fails with `error`. */
function fail(error: Error, ...argv: string[]) {
  return failIn({ cwd: "/", home: "/", env: {} }, error, ...argv);
}

async function failIn(
  { signal = new AbortController().signal, ...processInfo }: ProcessInfo & { signal?: AbortSignal },
  error: Error,
  ...argv: string[]
) {
  const command: Command = {
    name: "fail",
    group: "look",
    summary: "",
    parameters: [],
    options: { ...lookOptions, ...placeOptions },
    run: () => Promise.reject(error),
  };
  const commands = new Map([["fail", async () => command]]);
  const err: string[] = [];
  const code = await runProgram({ version: "1.2.3", commands }, ["fail", ...argv], {
    out: () => undefined,
    signal,
    openTeam: () => Promise.reject(new Error("Nobody leads")),
    schedule: () => () => undefined,
    err: (line) => err.push(line),
    viewTeam: () => Promise.reject(new Error("unused")),
    processInfo,
    terminal: noTerminal,
    isInputPiped: () => false,
    pipes: { input: process.stdin, output: process.stdout },
    dashboards: noDashboards,
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
