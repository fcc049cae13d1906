import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EventAnswer } from "../../src/hooks/merge-answers.ts";
import { readHooks } from "../../src/protocol/hook-configuration.ts";
import type { HookInput } from "../../src/protocol/hook-input.ts";
import { plainEnvironment } from "../processes/shell-fixture.ts";
import { openHooks, preToolUse } from "./hook-fixture.ts";

/** Runs the hooks of a file that was written for Claude Code or Codex, with programs that only write down how they are called. */
async function runPublished(
  hooks: unknown,
  input: Partial<HookInput>,
  { names = ["bash", "Bash"] }: { names?: readonly string[] } = {},
): Promise<{ answer: EventAnswer; called: string; outcomes: string[] }> {
  const stated = readHooks(hooks);
  if ("problem" in stated) throw new Error(`${stated.path} ${stated.problem}`);
  const environment = plainEnvironment();
  await using fixture = await openHooks([{ origin: "settings.json", hooks: stated.hooks }], {
    environment: { ...environment, PATH: `bin:${environment.PATH}`, CLAUDE_PROJECT_DIR: "." },
  });
  const { directory } = fixture.shell;
  await mkdir(join(directory, "bin"));
  for (const program of ["npx", "notify-send", "npm", "osascript", "ruff", "say", "uv"]) {
    const path = join(directory, "bin", program);
    await writeFile(path, `#!/bin/sh\necho "${program} $*" >>called\n[ ! -e fails ]\n`);
    await chmod(path, 0o755);
  }
  const answer = await fixture.run(input, { names });
  const called = await readFile(join(directory, "called"), "utf8").catch(() => "");
  return { answer, called, outcomes: fixture.reports.map(({ outcome }) => outcome) };
}

const group = (matcher: string, command: string) => [
  { matcher, hooks: [{ type: "command", command }] },
];

const edited = {
  hook_event_name: "PostToolUse",
  ...{ tool_name: "Edit", troupe_tool_name: "edit_file" },
  tool_input: { path: "src/a.ts", file_path: "/w/src/a.ts" },
  tool_response: { output: "Edited src/a.ts", is_error: false },
} as const;
const editNames = { names: ["edit_file", "Edit", "MultiEdit"] };

test("a formatter after each edit, by the file's path from jq and xargs", async () => {
  const hooks = {
    PostToolUse: group(
      "Edit|MultiEdit|Write",
      "jq -r '.tool_input.file_path' | xargs -I{} npx prettier --write {}",
    ),
  };

  const { called } = await runPublished(hooks, edited, editNames);

  expect(called).toBe("npx prettier --write /w/src/a.ts\n");
});

test("a formatter for files of one kind", async () => {
  const script =
    'f=$(jq -r .tool_input.file_path); case "$f" in *.py) ruff format "$f";; *.ts) npx eslint --fix "$f";; esac';

  const { called } = await runPublished({ PostToolUse: group("Edit", script) }, edited, editNames);

  expect(called).toBe("npx eslint --fix /w/src/a.ts\n");
});

test("a guard against deleting everything", async () => {
  const guard = `cmd=$(jq -r '.tool_input.command'); if echo "$cmd" | grep -qE 'rm +-[a-z]*r[a-z]*f'; then echo "Blocked: $cmd" >&2; exit 2; fi`;
  const hooks = { PreToolUse: group("Bash", guard) };

  const blocked = await runPublished(hooks, { tool_input: { command: "rm -rf /" } });
  const passed = await runPublished(hooks, { tool_input: { command: "rm a.txt" } });

  expect(blocked.answer).toEqual({ refusal: "Blocked: rm -rf /" });
  expect(passed.answer).toEqual({});
});

test("a guard for files with secrets, in Python", async () => {
  const guard = `python3 -c "import json,sys; p=json.load(sys.stdin)['tool_input'].get('file_path',''); sys.exit(2 if any(x in p for x in ['.env','package-lock.json','.git/']) else 0)"`;
  const hooks = { PreToolUse: group("Edit|Write", guard) };
  const write = (file_path: string) => ({ tool_input: { file_path } });

  const blocked = await runPublished(hooks, write("/w/.env"), editNames);
  const passed = await runPublished(hooks, write("/w/a.ts"), editNames);

  expect(blocked.answer).toEqual({ refusal: "it gave no reason" });
  expect(passed.answer).toEqual({});
});

test("a desktop notification", async () => {
  const hooks = { Notification: group("", "notify-send 'Agent' 'Awaiting your input'") };

  const { called, outcomes } = await runPublished(hooks, {
    ...{ hook_event_name: "Notification", notification_type: "permission_prompt" },
    message: "lead waits for your answer.",
  });

  expect(called).toBe("notify-send Agent Awaiting your input\n");
  expect(outcomes).toEqual(["passed"]);
});

test("tests before the agent stops, once", async () => {
  const script = `[ "$(jq -r .stop_hook_active)" = true ] && exit 0; touch fails; npm test || { echo 'Tests fail. Fix them.' >&2; exit 2; }`;
  const hooks = { Stop: [{ hooks: [{ type: "command", command: script }] }] };
  const stop = { hook_event_name: "Stop", last_assistant_message: "Done." } as const;

  const first = await runPublished(hooks, { ...stop, stop_hook_active: false });
  const second = await runPublished(hooks, { ...stop, stop_hook_active: true });

  expect(first.answer).toEqual({ refusal: "Tests fail. Fix them." });
  expect(second).toMatchObject({ answer: {}, called: "" });
});

test("a log of every command with jq", async () => {
  const script = `jq -r '"\\(.tool_input.command) - \\(.tool_input.description // "No description")"' >>called`;

  const { called } = await runPublished({ PreToolUse: group("Bash", script) }, preToolUse);

  expect(called).toBe("npm test - No description\n");
});

test("context at the start of a session, and with each prompt", async () => {
  const json = `printf '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Branch: main"}}'`;
  const hooks = {
    SessionStart: group("startup|resume", json),
    UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo Today is Friday" }] }],
  };

  const start = await runPublished(
    hooks,
    { hook_event_name: "SessionStart", source: "startup" },
    { names: ["startup"] },
  );
  const prompt = await runPublished(hooks, { hook_event_name: "UserPromptSubmit", prompt: "Hi" });

  expect(start.answer).toEqual({ context: "Branch: main" });
  expect(prompt.answer).toEqual({ context: "Today is Friday" });
});

test("read-only commands allowed by JSON, in the older form and the newer", async () => {
  const decide = (answer: string) =>
    `jq -r .tool_input.command | grep -qE '^(ls|cat|git status)' && echo '${answer}'; exit 0`;
  const older = { PreToolUse: group("Bash", decide('{"decision": "approve"}')) };
  const newer = {
    PreToolUse: group(
      "^Bash$",
      decide(
        '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "read only"}, "suppressOutput": true}',
      ),
    ),
  };
  const call = { tool_input: { command: "git status" } };

  expect((await runPublished(older, call)).answer).toEqual({ decision: "allow" });
  expect((await runPublished(newer, call)).answer).toEqual({ decision: "allow" });
});

test("Codex's form, with fields and kinds that Troupe does not have", async () => {
  const hooks = {
    PreToolUse: [
      {
        matcher: "^(shell|apply_patch)$",
        hooks: [
          {
            ...{ type: "command", timeout: 30, statusMessage: "Checking the policy" },
            command: `echo '{"decision": "block", "reason": "Against the policy."}'`,
          },
          { type: "prompt", prompt: "Is it fine?" },
        ],
      },
    ],
    PermissionDenied: group("Bash", "exit 1"),
  };

  const { answer } = await runPublished(hooks, preToolUse, { names: ["bash", "Bash", "shell"] });

  expect(answer).toEqual({ refusal: "Against the policy." });
  expect(readHooks(hooks)).toMatchObject({
    ignored: [
      { path: "PreToolUse[0].hooks[0].statusMessage" },
      { path: "PreToolUse[0].hooks[1]" },
      { path: "PermissionDenied" },
    ],
  });
});
