import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { hooksOf, openHooks, preToolUse } from "./hook-fixture.ts";

test("a hook reads one JSON object, also if it is larger than a pipe", async () => {
  const content = "é".repeat(200_000);
  await using hooks = await openHooks([hooksOf("PreToolUse", "cat >seen.json")]);

  const answer = await hooks.run({ tool_input: { command: "x", content } });

  const seen: unknown = JSON.parse(await readFile(`${hooks.shell.directory}/seen.json`, "utf8"));
  expect(seen).toEqual({ ...preToolUse, tool_input: { command: "x", content } });
  expect(answer).toEqual({});
});

test("a hook that reads nothing of a large input passes", async () => {
  await using hooks = await openHooks([hooksOf("PreToolUse", "true")]);

  expect(await hooks.run({ tool_input: { content: "x".repeat(500_000) } })).toEqual({});
  expect(hooks.reports).toMatchObject([{ outcome: "passed", event: "PreToolUse" }]);
});

test("exit 2 refuses, with the errors for the model", async () => {
  await using hooks = await openHooks([
    hooksOf("PreToolUse", "echo shown to nobody; echo 'Not on a Friday.' >&2; exit 2"),
  ]);

  expect(await hooks.run()).toEqual({ refusal: "Not on a Friday." });
  expect(hooks.reports).toMatchObject([{ outcome: "blocked", message: "Not on a Friday." }]);
});

test("another exit code is told to the person, and refuses nothing", async () => {
  await using hooks = await openHooks([hooksOf("PreToolUse", "echo broken >&2; exit 1")]);

  expect(await hooks.run()).toEqual({});
  expect(hooks.reports).toMatchObject([
    { outcome: "failed", message: "ended with exit code 1: broken" },
  ]);
});

test.each([
  ["exits with another code", "exit 1", "exit code 1"],
  ["takes too long", "sleep 1000", "took longer than 0.1 s"],
  ["is killed", "kill -KILL $$", "SIGKILL"],
  ["is no command", "no-such-program-anywhere", "exit code 127"],
  ["prints what is no answer", `echo '{"decision": 3}'`, "not a valid answer"],
  ["prints half an answer", `echo '{"decision": "bl'`, "not a valid answer"],
  ["prints an answer that is too long", `printf '{"reason": "%020000d"}'`, "longer than 10000"],
])(
  "a required hook that %s refuses; one that is not required does not",
  async (_, command, why) => {
    const hook = { command, timeout: command.startsWith("sleep") ? 0.1 : 60 };
    await using required = await openHooks([hooksOf("PreToolUse", { ...hook, required: true })]);
    await using other = await openHooks([hooksOf("PreToolUse", hook)]);

    expect(await required.run()).toEqual({ refusal: expect.stringContaining(why) });
    expect(await other.run()).toEqual({});
    expect(other.reports).toMatchObject([
      { outcome: "failed", message: expect.stringContaining(why) },
    ]);
  },
);

test("the strictest answer of hooks that run side by side counts", async () => {
  const allow = `echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'`;
  const ask = `echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "Is it you?"}}'`;
  const deny = `echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "No."}}'`;
  await using one = await openHooks([hooksOf("PreToolUse", allow)]);
  await using two = await openHooks([hooksOf("PreToolUse", allow, ask)]);
  await using three = await openHooks([
    hooksOf("PreToolUse", allow, ask),
    hooksOf("PreToolUse", deny),
  ]);

  expect(await one.run()).toEqual({ decision: "allow" });
  expect(await two.run()).toEqual({ decision: "ask", reason: "Is it you?" });
  expect(await three.run()).toMatchObject({ refusal: "No." });
});

test("hooks of one event run side by side", async () => {
  // Each waits for the other, so one after the other they would not end.
  const meet = (own: string, other: string) =>
    `touch ${own}; until [ -e ${other} ]; do sleep 0.01; done`;
  await using hooks = await openHooks([
    hooksOf("PreToolUse", meet("a", "b"), { command: meet("b", "a") }),
  ]);

  await hooks.run();

  expect(hooks.reports).toMatchObject([{ outcome: "passed" }, { outcome: "passed" }]);
});

test("no more than eight hooks run at once", async () => {
  const count = `mkdir $$; echo $(ls -d [0-9]* | wc -l) >>counts; sleep 0.05; rmdir $$; #`;
  const commands = Array.from({ length: 20 }, (_, index) => `${count} ${index}`);
  await using hooks = await openHooks([hooksOf("PreToolUse", ...commands)]);

  await hooks.run();

  const counts = (await readFile(`${hooks.shell.directory}/counts`, "utf8")).trim().split("\n");
  expect(counts).toHaveLength(20);
  expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(8);
});

test("the same command in two files runs once, and is required if one of them says so", async () => {
  const failing = "echo once >>runs; exit 1";
  await using hooks = await openHooks([
    hooksOf("PreToolUse", { command: failing, required: true }),
    hooksOf("PreToolUse", failing),
  ]);

  expect(await hooks.run()).toMatchObject({ refusal: expect.stringContaining("exit code 1") });
  expect(await readFile(`${hooks.shell.directory}/runs`, "utf8")).toBe("once\n");
});

test("an answer says what the model is to know, what replaces the input, and why the run ends", async () => {
  const answer = {
    continue: false,
    stopReason: "The disk is full.",
    systemMessage: "Look at the disk.",
    hookSpecificOutput: { additionalContext: "It is late.", updatedInput: { command: "ls" } },
    unknown: 1,
  };
  await using hooks = await openHooks([hooksOf("PreToolUse", `echo '${JSON.stringify(answer)}'`)]);

  expect(await hooks.run()).toEqual({
    context: "It is late.",
    input: { command: "ls" },
    stop: "The disk is full.",
  });
  expect(hooks.reports).toMatchObject([
    { outcome: "passed", message: "Look at the disk.\nThe disk is full." },
  ]);
});

test("a plain text is for the model at the events where Claude Code shows it, and nowhere else", async () => {
  await using hooks = await openHooks([
    hooksOf("UserPromptSubmit", "echo It is Friday."),
    hooksOf("PreToolUse", "echo It is Friday."),
  ]);

  expect(await hooks.run({ hook_event_name: "UserPromptSubmit", prompt: "Hi" })).toEqual({
    context: "It is Friday.",
  });
  expect(await hooks.run()).toEqual({});
});

test("a stopped run ends its hooks, which then say nothing", async () => {
  await using hooks = await openHooks([
    hooksOf("PreToolUse", { command: "touch begun; sleep 1000", required: true }),
  ]);
  const stop = new AbortController();
  const running = hooks.run({}, { signal: stop.signal });
  await hooks.shell.run("until [ -e begun ]; do sleep 0.01; done");

  stop.abort();

  expect(await running).toEqual({});
  expect(hooks.reports).toEqual([]);
});

test("a gigabyte of output is bounded, and the hook still answers", async () => {
  const loud = "head -c 1000000000 /dev/zero; head -c 100000000 /dev/zero >&2; exit 2";
  await using hooks = await openHooks([hooksOf("PreToolUse", loud)]);

  const { refusal = "" } = await hooks.run();

  expect(refusal).toHaveLength(10_000);
  expect(await hooks.shell.run("ls outputs 2>/dev/null")).toMatchObject({ output: "" });
});

/** It would make 3,000 processes, which leave its group. */
const bomb = "for i in $(seq 3000); do echo $i >made; setsid sleep 98761 & done; wait";

test("a hook that starts too many processes is ended with all of them", async () => {
  await using hooks = await openHooks([hooksOf("PreToolUse", { command: bomb, required: true })]);

  expect(await hooks.run()).toEqual({ refusal: expect.stringContaining("512 processes") });

  const made = Number(await readFile(`${hooks.shell.directory}/made`, "utf8"));
  expect(made).toBeLessThan(3_000);
  expect((await hooks.shell.run("pgrep -cf '[s]leep 98761' || true")).output).toBe("0\n");
});
