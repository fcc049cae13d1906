import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { lead } from "../../../src/protocol/ids.ts";
import type { Team } from "../../../src/team/team.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { coder, lastResult, resultsIn, spawns } from "../../e2e/promises/scenes.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { hook, seenIn, seenOf, writingHooks } from "./seen-hooks.ts";

const write = (path: string, content = "…") => calls("write_file", { path, content });
const run = (command: string) => calls("bash", { command });
const refuse = (reason: string) => `echo '${reason}' >&2; exit 2;`;

/** Collects the events about hooks. */
function hookEvents(team: Team): AgentEvent[] {
  const events: AgentEvent[] = [];
  const watch = async () => {
    for await (const event of team.events()) if (event.type === "hook") events.push(event);
  };
  watch().catch(() => undefined);
  return events;
}

/** The messages of a request, without the marks for the provider's cache. */
function plain(request: ProviderRequest | undefined): unknown[] {
  const text = JSON.stringify(request?.body.messages ?? []);
  const messages: unknown = JSON.parse(text.replace(/,"cache_control":\{[^}]*\}/g, ""));
  return Array.isArray(messages) ? messages : [];
}

test("every event of a team at work is given to its hooks, as its schema says", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      spawns("alice"),
      calls("create_task", { subject: "Test it", description: "All of it." }),
      write("notes.txt"),
      says("Over."),
    ],
    alice: [says("Done.")],
  });
  const team = await wire.open({
    commandHooks: [writingHooks()],
    autoclaim: false,
    onRequest: () => ({ decision: "allow-once" }),
  });
  await team.prompt("Go.");
  await team.quiet();
  await team.prompt(`Remember this. ${"And this. ".repeat(400)}`);
  await team.quiet();
  await team.compact("lead", { keep: "the name" }).catch(() => undefined);
  await team.close();

  const seen = await seenIn(wire.root);
  expect(new Set(seen.map((input) => input.hook_event_name))).toEqual(
    new Set([
      ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "Notification"],
      ...["PostToolUse", "SubagentStart", "SubagentStop", "TeammateIdle", "TaskCreated", "Stop"],
      ...["Quiet", "PreCompact", "SessionEnd"],
    ]),
  );
  const { team_id } = await team.roster().catch(async () => ({ team_id: seen[0]?.session_id }));
  expect(new Set(seen.map(({ session_id }) => session_id))).toEqual(new Set([team_id]));
  expect(await seenOf(wire.root, "PermissionRequest")).toMatchObject([
    {
      ...{ agent_id: "lead", agent_type: "lead", cwd: wire.root, permission_mode: "default" },
      ...{ tool_name: "Write", troupe_tool_name: "write_file", reason: expect.any(String) },
      tool_input: { path: "notes.txt", file_path: `${wire.root}/notes.txt`, content: "…" },
    },
  ]);
  expect(await seenOf(wire.root, "SubagentStop")).toMatchObject([
    { agent_id: "alice", agent_type: "coder", last_assistant_message: "Done." },
  ]);
  expect(await seenOf(wire.root, "TaskCreated")).toMatchObject([
    { task_subject: "Test it", task_description: "All of it.", teammate_name: "lead" },
  ]);
  expect(await seenOf(wire.root, "PreCompact")).toMatchObject([
    { trigger: "manual", custom_instructions: "the name" },
  ]);
  expect((await seenOf(wire.root, "SessionStart"))[0]).toMatchObject({ source: "startup" });
});

test("a call that PreToolUse refuses is not run; the model has the reason, and the person sees it", async () => {
  await using wire = await TeamOnWire.start({
    lead: [run("rm -rf build"), run("echo fine"), says("Over.")],
  });
  const check = `jq -e '.tool_input.command | test("rm -rf")' >/dev/null && { ${refuse("Use trash.")} }; exit 0`;
  const team = await wire.open({
    mode: "bypassPermissions",
    commandHooks: [hook("PreToolUse", { matcher: "Bash", command: check })],
  });
  const events = hookEvents(team);
  await team.prompt("Go.");
  await team.quiet();

  const results = resultsIn(wire.requestsOf("lead").at(-1));
  expect(results[0]).toEqual({
    text: "Error: Not permitted: a hook refuses it: Use trash.",
    isError: true,
  });
  expect(results[1]?.text).toBe("fine");
  expect(events).toMatchObject([
    { event: "PreToolUse", outcome: "blocked", message: "Use trash.", member: "lead" },
    { event: "PreToolUse", outcome: "passed" },
  ]);
});

test.each([
  ["a rule denies", { deny: ["edit_file"] }, write("a.txt"), /the rule deny/],
  ["plan mode refuses", { mode: "plan" }, write("a.txt"), /while planning/],
  ["changes the team's records", {}, write(".team/config.json"), /team's own records/],
] as const)("P30 no allow of a hook permits what %s", async (_, options, call, reason) => {
  await using wire = await TeamOnWire.start({ lead: [call, says("Over.")] });
  const allow = `echo '{"hookSpecificOutput": {"permissionDecision": "allow", "decision": {"behavior": "allow"}}}'`;
  const { mode, ...rules } = { mode: undefined, ...options };
  const team = await wire.open({
    ...{ ...rules, ...(mode && { mode }), approvals: "deny" },
    commandHooks: [hook("PreToolUse", allow), hook("PermissionRequest", allow)],
  });
  await team.prompt("Go.");
  await team.quiet();

  expect(lastResult(wire.requestsOf("lead")[1])?.text).toMatch(reason);
});

test("P30 no allow of a hook opens a plan gate", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [write("a.txt"), says("I wait.")],
  });
  const allow = `echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'`;
  const team = await wire.open({ commandHooks: [hook("PreToolUse", allow)] });
  await team.spawn({ ...coder("alice"), planRequired: true });
  await team.quiet();

  expect(lastResult(wire.requestsOf("alice")[1])?.text).toMatch(/you need an approved plan first/);
  expect(existsSync(`${wire.root}/a.txt`)).toBe(false);
});

test.each(["PreToolUse", "PermissionRequest"] as const)(
  "an allow of %s lets a call run that nobody else decides about",
  async (event) => {
    await using wire = await TeamOnWire.start({ lead: [write("a.txt"), says("Over.")] });
    const allow = `echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'`;
    const team = await wire.open({ approvals: "deny", commandHooks: [hook(event, allow)] });
    await team.prompt("Go.");
    const { denied } = await team.quiet();

    expect(denied).toEqual([]);
    expect(existsSync(`${wire.root}/a.txt`)).toBe(true);
  },
);

test("what an ask rule has asked, and what a hook has asked, no hook answers", async () => {
  await using wire = await TeamOnWire.start({ lead: [write("a.txt"), says("Over.")] });
  const ask = `echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "Is it you?"}}'`;
  const allow = `echo '{"hookSpecificOutput": {"decision": {"behavior": "allow"}}}'`;
  const team = await wire.open({
    ...{ mode: "acceptEdits", approvals: "deny" },
    commandHooks: [hook("PreToolUse", ask), hook("PermissionRequest", allow)],
  });
  await team.prompt("Go.");
  await team.quiet();

  expect(existsSync(`${wire.root}/a.txt`)).toBe(false);
  // The control: without the question, it is allowed.
  await using other = await TeamOnWire.start({ lead: [write("a.txt"), says("Over.")] });
  const open = await other.open({ mode: "acceptEdits", approvals: "deny" });
  await open.prompt("Go.");
  await open.quiet();
  expect(existsSync(`${other.root}/a.txt`)).toBe(true);
});

test("PermissionRequest refuses in the person's place", async () => {
  await using wire = await TeamOnWire.start({ lead: [write("a.txt"), says("Over.")] });
  const team = await wire.open({ commandHooks: [hook("PermissionRequest", refuse("Not now."))] });
  await team.prompt("Go.");
  await team.quiet();

  expect(lastResult(wire.requestsOf("lead")[1])?.text).toBe(
    "Error: Not permitted: a hook refuses it: Not now.",
  );
  expect(await team.requests()).toEqual([]);
});

test("a hook changes the input, in Claude Code's fields or Troupe's", async () => {
  await using wire = await TeamOnWire.start({ lead: [write("a.txt", "one"), says("Over.")] });
  const change = `jq -c '{hookSpecificOutput: {updatedInput: {file_path: (.cwd + "/b.txt"), content: "two"}}}'`;
  const team = await wire.open({
    mode: "bypassPermissions",
    commandHooks: [hook("PreToolUse", { matcher: "Write", command: change })],
  });
  await team.prompt("Go.");
  await team.quiet();

  expect(await readFile(`${wire.root}/b.txt`, "utf8")).toBe("two");
  expect(existsSync(`${wire.root}/a.txt`)).toBe(false);
});

test("P18 what PostToolUse says comes behind the results, and nothing before it changes", async () => {
  await using wire = await TeamOnWire.start({
    lead: [run("echo one"), run("echo two"), says("Over.")],
  });
  const team = await wire.open({
    mode: "bypassPermissions",
    commandHooks: [hook("PostToolUse", { matcher: "Bash", command: refuse("Lint has failed.") })],
  });
  await team.prompt("Go.");
  await team.quiet();

  const [, second, third] = wire.requestsOf("lead");
  expect(shownIn(second)).toMatch(/one[\s\S]*\(A hook of PostToolUse says:\)\\nLint has failed\./);
  expect(resultsIn(second)).toEqual([{ text: "one", isError: false }]);
  const earlier = plain(second);
  expect(plain(third).slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
  expect(JSON.stringify(plain(third)[earlier.length - 1])).toContain("Lint has failed.");
});

test("a prompt that UserPromptSubmit refuses is never seen, and the person is told why", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Over.")] });
  const check = `grep -q secret && { ${refuse("It has a secret in it.")} }; echo 'It is Friday.'`;
  const team = await wire.open({ commandHooks: [hook("UserPromptSubmit", check)] });
  const { id } = await team.prompt("The secret is 42.");
  await team.prompt("Go.");
  await team.quiet();

  expect(wire.shownTo("lead")).not.toContain("42");
  expect(wire.shownTo("lead")).toMatch(/Go\.[\s\S]*It is Friday\./);
  expect(wire.warnings.join()).toContain("It has a secret in it.");
  expect(await team.view().message(lead, id)).toMatchObject({ state: "withdrawn" });
});

test("Stop has the lead go on with its reason, and is told so", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done."), says("Tested.")] });
  const check = `jq -e .stop_hook_active >/dev/null && exit 0; ${refuse("Run the tests.")}`;
  const team = await wire.open({ commandHooks: [hook("Stop", check)] });
  await team.prompt("Go.");
  const { result } = await team.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(2);
  expect(wire.shownTo("lead")).toContain("Run the tests.");
  expect(result).toContain("Tested.");
});

test("a Stop that always refuses has the run go on eight times", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open({ commandHooks: [hook("Stop", refuse("Again."))] });
  await team.prompt("Go.");
  await team.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(9);
});

test("SubagentStop with exit 2 has the teammate go on", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Done."), says("Tested.")],
  });
  const check = `jq -e .stop_hook_active >/dev/null && exit 0; ${refuse("Run the tests.")}`;
  const team = await wire.open({
    commandHooks: [hook("SubagentStop", { matcher: "coder", command: check })],
  });
  await team.spawn(coder("alice"));
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(2);
  expect(wire.shownTo("alice")).toContain("Run the tests.");
});

test("TeammateIdle with exit 2 has a teammate go on three times in a row, and no more", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  const team = await wire.open({ commandHooks: [hook("TeammateIdle", refuse("Look again."))] });
  await team.spawn(coder("alice"));
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(4);
  expect(wire.shownTo("alice")).toContain("Look again.");
  expect(wire.warnings.join()).toContain("3 times in a row");
});

test("TaskCompleted with exit 2 leaves the task in progress, and the model has the reason", async () => {
  const complete = calls("complete_task", { task_id: "1" });
  await using wire = await TeamOnWire.start({
    lead: [
      calls("create_task", { subject: "Test it" }),
      calls("claim_task", { task_id: "1" }),
      complete,
      calls("update_task", { task_id: "1", status: "completed" }),
      says("Over."),
    ],
  });
  const team = await wire.open({
    commandHooks: [hook("TaskCompleted", refuse("3 tests fail."))],
  });
  await team.prompt("Go.");
  await team.quiet();

  const refusals = resultsIn(wire.requestsOf("lead").at(-1)).slice(2);
  expect(refusals).toEqual([
    { text: expect.stringContaining("a hook refuses it: 3 tests fail."), isError: true },
    { text: expect.stringContaining("a hook refuses it: 3 tests fail."), isError: true },
  ]);
  expect(await team.tasks()).toMatchObject([{ id: "1", status: "in_progress" }]);
});

test("TaskCompleted passes, and the task is completed", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("create_task", { subject: "Test it" }),
      calls("claim_task", { task_id: "1" }),
      calls("complete_task", { task_id: "1" }),
      says("Over."),
    ],
  });
  const team = await wire.open({ commandHooks: [writingHooks()] });
  await team.prompt("Go.");
  await team.quiet();

  expect(await team.tasks()).toMatchObject([{ id: "1", status: "completed" }]);
  expect(await seenOf(wire.root, "TaskCompleted")).toMatchObject([
    { task_id: "1", task_subject: "Test it", teammate_name: "lead" },
  ]);
});

test("TaskCreated with exit 2 adds no task", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("create_task", { subject: "Test it" }), says("Over.")],
  });
  const team = await wire.open({ commandHooks: [hook("TaskCreated", refuse("Too vague."))] });
  await team.prompt("Go.");
  await team.quiet();

  expect(await team.tasks()).toEqual([]);
  expect(lastResult(wire.requestsOf("lead")[1])?.text).toContain("Too vague.");
});

test("PreCompact with exit 2 leaves the conversation as it is", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("A long story. ".repeat(300))] });
  const team = await wire.open({ commandHooks: [hook("PreCompact", refuse("Not yet."))] });
  await team.prompt("Tell me.");
  await team.quiet();

  await expect(team.compact()).rejects.toThrow(/Not yet\./);
});

test("a hook that says continue: false ends the run, and what is behind the call is not run", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([run("echo one"), write("a.txt")]), says("Never said.")],
  });
  const stop = `echo '{"continue": false, "stopReason": "The disk is full."}'`;
  const team = await wire.open({
    mode: "bypassPermissions",
    commandHooks: [hook("PostToolUse", { matcher: "Bash", command: stop })],
  });
  await team.prompt("Go.");
  await team.quiet();

  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(existsSync(`${wire.root}/a.txt`)).toBe(false);
  expect(
    (await wire.transcriptOf("lead")).findLast(({ type }) => type === "run-end"),
  ).toMatchObject({ outcome: "interrupted", reason: "The disk is full." });
});

test("a required hook that fails denies the call; one that is not required is only told", async () => {
  for (const required of [true, false]) {
    await using wire = await TeamOnWire.start({ lead: [write("a.txt"), says("Over.")] });
    const team = await wire.open({
      mode: "bypassPermissions",
      commandHooks: [hook("PreToolUse", { command: "exit 1", required })],
    });
    const events = hookEvents(team);
    await team.prompt("Go.");
    await team.quiet();

    expect(existsSync(`${wire.root}/a.txt`)).toBe(!required);
    expect(events).toMatchObject([{ outcome: "failed", message: "ended with exit code 1" }]);
  }
});

test("hooks have no provider key in their environment", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Over.")] });
  const team = await wire.open({
    commandHooks: [hook("UserPromptSubmit", 'env >"$CLAUDE_PROJECT_DIR/env"')],
  });
  await team.prompt("Go.");
  await team.quiet();

  const environment = await readFile(`${wire.root}/env`, "utf8");
  expect(environment).toContain(`TROUPE_PROJECT_DIR=${wire.root}`);
  expect(environment).not.toMatch(/API_KEY/);
});

test("the stricter of a program's hooks and the person's commands counts", async () => {
  await using wire = await TeamOnWire.start({ lead: [write("a.txt"), says("Over.")] });
  const seen: string[] = [];
  const team = await wire.open({
    mode: "bypassPermissions",
    hooks: {
      beforeCall: ({ tool }) => {
        seen.push(tool);
        return { decision: "allow" };
      },
    },
    commandHooks: [hook("PreToolUse", refuse("No."))],
  });
  await team.prompt("Go.");
  await team.quiet();

  expect(seen).toEqual(["write_file"]);
  expect(existsSync(`${wire.root}/a.txt`)).toBe(false);
});
