import { expect, test } from "vitest";
import { parseRule } from "../../src/permissions/rule.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import type { ToolAction } from "../../src/protocol/tools.ts";
import { gated } from "../../src/team/protocols/plans.ts";
import { type Project, project } from "./judge-lines.ts";

const modes: PermissionMode[] = ["default", "acceptEdits", "plan", "bypassPermissions"];
const changing: ToolAction = { type: "effect", summary: "Create a ticket" };
const reading: ToolAction = { type: "effect", summary: "GET tickets", isReadOnly: true };

test.each([
  ["without a rule", changing, undefined, ["ask", "ask", "deny", "allow"]],
  ["without a rule", reading, undefined, ["ask", "ask", "ask", "allow"]],
  ["with an allow rule", changing, "allow", ["allow", "allow", "deny", "allow"]],
  ["with an allow rule", reading, "allow", ["allow", "allow", "allow", "allow"]],
  ["with an ask rule", changing, "ask", ["ask", "ask", "deny", "allow"]],
  ["with an ask rule", reading, "ask", ["ask", "ask", "ask", "allow"]],
  ["with a deny rule", changing, "deny", ["deny", "deny", "deny", "deny"]],
  ["with a deny rule", reading, "deny", ["deny", "deny", "deny", "deny"]],
] as const)(
  "%s, %o is decided as documented in each mode",
  async (_, action, decision, expected) => {
    await using workspace = await project();
    const rules = decision ? [parseRule(decision, "tickets")] : [];

    const verdicts = await Promise.all(
      modes.map((mode) =>
        workspace.permissions({ mode, rules }).judge({ tool: "tickets", action }),
      ),
    );

    expect(verdicts.map((verdict) => verdict.decision)).toEqual(expected);
    expect(new Set(verdicts.map(({ isReadOnly }) => isReadOnly))).toEqual(
      new Set([action === reading]),
    );
  },
);

test("P12 a closed plan gate refuses an effect that changes something, even if a rule allows it", async () => {
  await using workspace = await project();
  const rules = [parseRule("allow", "tickets")];
  const permissions = gated(workspace.permissions({ rules, mode: "bypassPermissions" }), {
    closed: () => "no plan is approved",
  });

  const judge = (action: ToolAction) => permissions.judge({ tool: "tickets", action });
  expect(await judge(changing)).toMatchObject({ decision: "deny", reason: "no plan is approved" });
  expect(await judge(reading)).toMatchObject({ decision: "allow" });
});

test("a rule for another tool, or for commands, does not cover an effect", async () => {
  await using workspace = await project();
  const rules = ["bash", "write_file", "ticket", "Tickets"].map((text) => parseRule("allow", text));

  expect(await judge(workspace, changing, rules)).toMatchObject({ decision: "ask" });
});

test("what the tool says about the call is kept on one line, of limited length", async () => {
  await using workspace = await project();
  const summary = `Create\n\n\n a \u202eticket ${"x".repeat(300)}`;

  const verdict = await judge(workspace, { type: "effect", summary });

  expect(verdict.summary).toMatch(/^Create a <U\+202E>ticket x+…$/);
  expect(verdict.summary?.length).toBeLessThan(220);
});

const actions: ToolAction[] = [
  { type: "command", command: "curl https://example.org" },
  { type: "write", path: "src/a.ts" },
  { type: "write", path: "/etc/hosts" },
  { type: "read", path: "/etc/passwd" },
  changing,
  reading,
];

test.each(actions)(
  "the rule with the tool's name allows %o, and is the one that is suggested",
  async (action) => {
    await using workspace = await project();

    const asked = await judge(workspace, action);
    expect(asked).toMatchObject({ decision: "ask", suggestedRule: "tickets" });

    const rules = [parseRule("allow", asked.suggestedRule ?? "")];
    expect(await judge(workspace, action, rules)).toMatchObject({ decision: "allow" });
  },
);

test.each([
  [{ type: "write", path: ".team/config.json" }, "deny"],
  [{ type: "write", path: ".git/config" }, "ask"],
  [{ type: "command", command: "rm -rf .team" }, "ask"],
] as const)("no rule for a tool allows %o, so none is suggested", async (action, decision) => {
  await using workspace = await project();

  for (const rules of [[], [parseRule("allow", "tickets")]]) {
    const verdict = await judge(workspace, action, rules);
    expect(verdict.decision).toBe(decision);
    expect(verdict.suggestedRule).toBeUndefined();
  }
});

test("an ask rule for a tool does not open plan mode to it", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode: "plan", rules: [parseRule("ask", "tickets")] });

  for (const action of [changing, { type: "write", path: "src/a.ts" } as const]) {
    expect(await permissions.judge({ tool: "tickets", action })).toMatchObject({
      decision: "deny",
    });
  }
});

test("a deny rule for what a tool does beats an allow rule for the tool", async () => {
  await using workspace = await project();
  const rules = [parseRule("allow", "tickets"), parseRule("deny", "edit_file(src/**)")];

  const verdict = await judge(workspace, { type: "write", path: "src/a.ts" }, rules);
  expect(verdict).toMatchObject({ decision: "deny", reason: "the rule deny edit_file(src/**)" });
});

test("where a tool of the user is allowed, files may have been made, so a pattern asks", async () => {
  await using workspace = await project();
  const call = { tool: "bash", action: { type: "command", command: "sort *" } } as const;
  const rules = [parseRule("allow", "tickets")];

  expect(await workspace.permissions().judge(call)).toMatchObject({ decision: "allow" });
  expect(await workspace.permissions({ rules }).judge(call)).toMatchObject({ decision: "ask" });
});

function judge(workspace: Project, action: ToolAction, rules: ReturnType<typeof parseRule>[] = []) {
  return workspace.permissions({ rules }).judge({ tool: "tickets", action });
}
