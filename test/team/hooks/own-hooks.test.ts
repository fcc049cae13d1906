import { expect, test } from "vitest";
import type { HookSource } from "../../../src/hooks/command-hooks.ts";
import { MemberName } from "../../../src/protocol/ids.ts";
import { CommandTeamHooks } from "../../../src/team/hooks/command-team-hooks.ts";
import { openShell } from "../../processes/shell-fixture.ts";
import { hook } from "./seen-hooks.ts";

const [alice, bob] = [MemberName.parse("alice"), MemberName.parse("bob")];

test("P30 the hooks of a role are in force for its member, and for it alone", async () => {
  await using shell = await openShell();
  const hooks = new CommandTeamHooks({
    sources: [],
    team: async () => ({ id: "team-1", name: "default" }),
    transcriptPath: (name) => `${name}.jsonl`,
    runnerIn: () => shell.runner,
    onWarning: () => undefined,
  });
  const join = (name: MemberName, own: readonly HookSource[]) =>
    hooks.join({
      ...{ name, own, role: "reviewer", cwd: shell.directory, runner: shell.runner },
      mode: () => "default",
    });
  join(alice, [hook("PreToolUse", "echo 'Reviewers write nothing.' >&2; exit 2")]);
  join(bob, []);
  const call = (member: MemberName) => ({
    ...{ member, tool: "write_file", input: { path: "a.txt", content: "" }, callId: "call-1" },
    action: { type: "write", path: "a.txt" } as const,
    ...{ cwd: shell.directory, signal: new AbortController().signal },
  });

  expect(await hooks.beforeCall(call(alice))).toEqual({
    decision: "deny",
    reason: "a hook refuses it: Reviewers write nothing.",
  });
  expect(await hooks.beforeCall(call(bob))).toEqual({});
});
