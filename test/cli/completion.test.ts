import { execFile, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MemberName, user } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

const alice = MemberName.parse("alice");

test("commands, flags, their values, members and ids are completed", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob"));
  const ask = (from: MemberName) =>
    store.requests.open({
      type: "permission",
      from,
      to: user,
      subject: { tool: "bash", input: {} },
    });
  const { id } = await ask(alice);
  const complete = async (...words: string[]) =>
    (await troupe(directory.path, "__complete", "--", ...words)).out;

  expect(await complete("app")).toEqual(["approvals", "approve"]);
  expect(await complete("log", "")).toEqual(["lead", "alice", "bob"]);
  expect(await complete("log", "--lines", "5", "a")).toEqual(["alice"]);
  expect(await complete("log", "-n", "5", "--", "b")).toEqual(["bob"]);
  expect(await complete("log", "alice", "")).toEqual([]);
  expect(await complete("log", "--f")).toEqual(["--follow"]);
  expect(await complete("approve", id.slice(0, 3))).toEqual([id]);
  expect(await complete("run", "--permission-mode", "")).toContain("acceptEdits");
  expect(await complete("run", "x", "--approvals", "")).toEqual(["deny", "wait"]);
  expect(await complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
});

test("options of troupe without a command, and models, are completed", async () => {
  await using directory = await temporaryDirectory();
  const complete = async (...words: string[]) =>
    (await troupe(directory.path, "__complete", "--", ...words)).out;

  expect(await complete("--mo")).toEqual(["--model"]);
  expect(await complete("--plain", "--permission-mode", "p")).toEqual(["plan"]);
  expect(await complete("--ver")).toEqual(["--version"]);
  expect(await complete("run", "--model", "")).toContain("rehearsal");
  expect(await complete("run", "--model", "")).not.toContain("anthropic/claude-sonnet-5-5");
  expect(await complete("--model", "anthropic/claude-son")).toContain(
    "anthropic/claude-sonnet-5-5",
  );
  expect(await complete("--model", "=", "reh")).toEqual(["rehearsal"]);
  expect(await complete("--model", "=")).toContain("rehearsal");
  expect(await complete("-p", "x", "--model", "openai/x,reh")).toEqual(["openai/x,rehearsal"]);
});

test("without candidates nothing is completed or printed", async () => {
  await using directory = await temporaryDirectory();

  const silent = { code: 0, out: [], err: [] };
  expect(await troupe(directory.path, "__complete", "--", "log", "a")).toEqual(silent);
  expect(await troupe(directory.path, "__complete", "--", "nonsense", "a")).toEqual(silent);
  expect(await troupe(directory.path, "__complete", "--", "log", "--lines", "a")).toEqual(silent);
  expect(await troupe(directory.path, "__complete", "--", "run", "a")).toEqual(silent);
});

test("a real bash completes with the script", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"), member("bob"));
  const script = (await troupe(directory.path, "completion", "bash")).out.join("\n");
  const main = resolve("src/cli/main.ts");
  const lines = [
    `troupe() { "${process.execPath}" --import "${import.meta.resolve("tsx")}" "${main}" "$@"; }`,
    script,
    'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _troupe; echo "$*: $COMPREPLY"; }',
    "try troupe me; try troupe --mo; try troupe log a; try troupe send bob --j; try troupe log nobody-so",
    "complete -p troupe",
  ];

  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", lines.join("\n")], {
    cwd: directory.path,
  });

  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual([
    "troupe me: messages",
    "troupe --mo: --model",
    "troupe log a: alice",
    "troupe send bob --j: --json",
    "troupe log nobody-so: ",
    "complete -o default -F _troupe troupe",
  ]);
});

for (const shell of ["zsh", "fish"]) {
  const noShell = spawnSync(shell, ["--version"]).error && `${shell} is not installed here`;

  test(`the script for ${shell} asks the program`, async () => {
    await using directory = await temporaryDirectory();

    const { code, out } = await troupe(directory.path, "completion", shell);

    expect(code).toBe(0);
    expect(out.join("\n")).toContain("troupe __complete -- ");
  });

  test.skipIf(noShell)(`${shell} can read its script${noShell ? `: ${noShell}` : ""}`, async () => {
    await using directory = await temporaryDirectory();
    const { out } = await troupe(directory.path, "completion", shell);

    const read = spawnSync(shell, ["-n"], { input: out.join("\n"), encoding: "utf8" });

    expect({ status: read.status, stderr: read.stderr }).toEqual({ status: 0, stderr: "" });
  });
}

test("an unknown shell is wrong usage", async () => {
  await using directory = await temporaryDirectory();

  const { code, err } = await troupe(directory.path, "completion", "tcsh");

  expect(code).toBe(2);
  expect(err[1]).toContain("<bash|zsh|fish>");
});
