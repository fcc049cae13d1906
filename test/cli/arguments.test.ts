import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

test.each([
  [["send"], 'Missing argument: <name> "<text>"'],
  [["send", "alice"], 'Missing argument: "<text>"'],
  [["send", "alice", " "], "The text is empty"],
  [["send", "alice", "a", "b"], "Unexpected argument: b"],
  [["send", "carol", "hi"], "There is no member 'carol'"],
  [["send", "../lead", "hi"], '"../lead" is not a member\'s name'],
  [["inbox", "carol"], "There is no member 'carol'"],
  [["inbox", "a", "b"], "Unexpected argument: b"],
  [["team", "--jason"], "Unknown option '--jason'"],
  [["team", "--team-dir"], "--team-dir"],
  [["team", "--team-dir", ""], "--team-dir is empty"],
  [["team", "--team-dir="], "--team-dir is empty"],
  [["team", "--team-dir", "--json"], "--team-dir"],
  [["tasks", "1"], "Unexpected argument: 1"],
  [["messages", "all"], "Unexpected argument: all"],
  [["mesages"], "Unknown command: mesages"],
])("wrong usage is reported with the correct form, and exits 2: %j", async (argv, problem) => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const { code, out, err } = await troupe(directory.path, ...argv);

  expect(code).toBe(2);
  expect(out).toEqual([]);
  expect(err[0]).toMatch(/^error: /);
  expect(err[0]).toContain(problem);
  expect(err).toHaveLength(2);
  expect(err.join("")).not.toContain("\n");
  expect(await readdir(join(directory.path, ".team", "inbox"))).toEqual([]);
});

test("a text that is too large is refused, and nothing is sent", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const { code, err } = await troupe(directory.path, "send", "alice", "x".repeat(256 * 1024 + 1));

  expect(code).toBe(2);
  expect(err[0]).toContain("larger than");
  expect(await readdir(join(directory.path, ".team", "inbox"))).toEqual([]);
});

test.each([
  [["tem"], "Did you mean `troupe team`?"],
  [["mesages"], "Did you mean `troupe messages`?"],
  [["team", "--jason"], "Did you mean --json?"],
  [["team", "--teamdir", "x"], "Did you mean --team-dir?"],
])("a similar name is suggested: %j", async (argv, suggestion) => {
  await using directory = await temporaryDirectory();

  const { code, err } = await troupe(directory.path, ...argv);

  expect(code).toBe(2);
  expect(err[1]).toContain(suggestion);
});

test.each([["deploy"], ["x"], [""], ["team", "--frobnicate"]])(
  "a name like no other gets no suggestion: %s",
  async (...argv) => {
    await using directory = await temporaryDirectory();

    const { code, err } = await troupe(directory.path, ...argv);

    expect(code).toBe(2);
    expect(err.join(" ")).not.toContain("Did you mean");
  },
);

test("everything after -- is text", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const sent = await troupe(directory.path, "send", "alice", "--", "--help");

  expect(sent).toEqual({ code: 0, out: ["Sent message to alice"], err: [] });
  expect((await troupe(directory.path, "inbox", "alice")).out).toEqual([
    expect.stringMatching(/user → alice: --help$/),
  ]);
});

test.each([
  ["send", "--help"],
  ["send", "-h"],
  ["inbox", "-h"],
  ["inbox", "alice", "--help"],
])("a command has a help text: %s %s", async (...argv) => {
  await using directory = await temporaryDirectory();

  const { code, out } = await troupe(directory.path, ...argv);

  expect(code).toBe(0);
  expect(out.join("\n")).toContain(`Usage: troupe ${argv[0]} `);
});

test("--help and --version answer without a team", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "elsewhere"));

  const help = await troupe(directory.path, "--help");

  expect(help.code).toBe(0);
  for (const name of ["team", "inbox", "messages", "tasks", "send"]) {
    expect(help.out.join("\n")).toContain(`troupe ${name}`);
  }
  expect((await troupe(directory.path, "--version")).out).toEqual(["1.2.3"]);
});
