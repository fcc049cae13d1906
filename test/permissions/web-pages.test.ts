import { expect, test } from "vitest";
import { parseRule, type Rule } from "../../src/permissions/rule.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { gated } from "../../src/team/protocols/plans.ts";
import { type Project, project } from "./judge-lines.ts";

function judge(
  workspace: Project,
  url: string,
  { rules = [], mode = "default" }: { rules?: Rule[]; mode?: PermissionMode } = {},
) {
  const action = { type: "fetch", url } as const;
  return workspace.permissions({ mode, rules }).judge({ tool: "web_fetch", action });
}

test("a page is asked about in each mode that asks, and the host is what would be allowed", async () => {
  await using workspace = await project();

  for (const mode of ["default", "acceptEdits", "plan"] as const) {
    expect(await judge(workspace, "https://docs.example.com/a?b=c", { mode })).toEqual({
      decision: "ask",
      reason: "no rule allows pages of docs.example.com, which learns the whole address",
      isReadOnly: true,
      suggestedRule: "web_fetch(docs.example.com)",
    });
  }
  const bypassed = await judge(workspace, "https://docs.example.com", {
    mode: "bypassPermissions",
  });
  expect(bypassed.decision).toBe("allow");
});

test.each([
  ["web_fetch", "https://example.com/", "allow"],
  ["web_fetch(example.com)", "https://example.com/a", "allow"],
  ["web_fetch(example.com)", "http://EXAMPLE.com./a", "allow"],
  ["web_fetch(example.com)", "https://example.com.evil.org/", "ask"],
  ["web_fetch(example.com)", "https://evil-example.com/", "ask"],
  ["web_fetch(example.com)", "https://docs.example.com/", "ask"],
  ["web_fetch(example.com)", "https://example.com:8443/", "ask"],
  ["web_fetch(example.com:8443)", "https://example.com:8443/", "allow"],
  ["web_fetch(*.example.com)", "https://a.docs.example.com/", "allow"],
  ["web_fetch(*.example.com)", "https://example.com/", "ask"],
  ["web_fetch(github)", "https://raw.githubusercontent.com/a", "allow"],
  ["bash", "https://example.com/", "ask"],
  ["read_file", "https://example.com/", "ask"],
])("with allow %s, %s is decided: %s", async (rule, url, decision) => {
  await using workspace = await project();

  const verdict = await judge(workspace, url, { rules: [parseRule("allow", rule)] });

  expect(verdict.decision).toBe(decision);
});

test.each(["https://example.com/", "https://example.com:8443/"])(
  "a rule that denies a host denies %s, whatever allows it",
  async (url) => {
    await using workspace = await project();
    const rules = [parseRule("deny", "web_fetch(example.com)"), parseRule("allow", "web_fetch")];

    const verdict = await judge(workspace, url, { rules, mode: "bypassPermissions" });

    expect(verdict).toMatchObject({ decision: "deny" });
  },
);

test("no rule is suggested for an address that no list of hosts can have", async () => {
  await using workspace = await project();

  expect(await judge(workspace, "http://[2001:db8::1]/")).not.toHaveProperty("suggestedRule");
});

test("P12 a page can be read while the plan gate is closed, as other reading", async () => {
  await using workspace = await project();
  const rules = [parseRule("allow", "web_fetch(example.com)")];
  const permissions = gated(workspace.permissions({ rules, mode: "default" }), {
    closed: () => "no plan is approved",
  });
  const action = { type: "fetch", url: "https://example.com/" } as const;

  expect(await permissions.judge({ tool: "web_fetch", action })).toMatchObject({
    decision: "allow",
  });
});

test.each(["web_fetch()", "web_fetch(https://example.com)", "web_fetch(*)", "web_fetch(a b)"])(
  "%s is no rule",
  (text) => {
    expect(() => parseRule("allow", text)).toThrow(/is not a permission rule/);
  },
);

test("a rule about hosts makes no command ask that would run without it", async () => {
  await using workspace = await project();
  const judgeCommand = (rules: Rule[]) =>
    workspace
      .permissions({ mode: "default", rules })
      .judge({ tool: "bash", action: { type: "command", command: "ls $(git branch)" } });

  const without = await judgeCommand([]);

  expect(await judgeCommand([parseRule("deny", "web_fetch(example.com)")])).toEqual(without);
});
