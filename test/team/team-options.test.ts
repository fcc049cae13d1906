import { expect, test } from "vitest";
import { type ApprovalPolicy, leadSettings, onThisMachine } from "../../src/team/team-options.ts";
import { teamPlace } from "../support/team.ts";

const openModel = () => {
  throw new Error("not opened here");
};

test("what is left out is the machine's: its environment, and `.team` in the workspace", () => {
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);

  const { place, env } = onThisMachine({ cwd: "/repo", onWarning });

  expect(place.directory).toBe("/repo/.team");
  expect(env.PATH).toBe(process.env.PATH);
  place.onWarning("careful");
  expect(warnings).toEqual(["careful"]);
  expect(() => onThisMachine({ cwd: "/repo" }).place.onWarning("careful")).not.toThrow();
});

test("what is given is kept", () => {
  const place = teamPlace("/elsewhere");
  const env = { TROUPE_MODEL: "a/b" };

  expect(onThisMachine({ cwd: "/repo", place, env })).toMatchObject({ cwd: "/repo", place, env });
});

test("questions are denied at once by default, with the rule that would allow the call", () => {
  const approvalsOf = (approvals?: ApprovalPolicy) =>
    onThisMachine({ cwd: "/repo", ...(approvals && { approvals }) }).approvals;
  const unattended = () => "nobody";

  expect(approvalsOf()?.unattended?.("bash(ls:*)")).toContain('allow: ["bash(ls:*)"]');
  expect(approvalsOf()).toEqual(approvalsOf("deny"));
  expect(approvalsOf("wait")).toEqual({});
  expect(approvalsOf({ timeoutMs: 5 })).toEqual({ timeoutMs: 5 });
  expect(approvalsOf({ unattended })).toEqual({ unattended });
});

test("a lead has the person's settings, and defaults for the rest", () => {
  const own = settings({ model: "a/b", openModel, allow: ["bash"], deny: ["web_fetch"] });
  expect(own).toMatchObject({
    ...{ root: "/repo", cwd: "/repo", model: "a/b", mode: "default", maxTurns: 200 },
    rules: [
      { decision: "allow", text: "bash" },
      { decision: "deny", text: "web_fetch" },
    ],
  });
  const memberBudget = { maxTokens: 5 };
  expect(settings({ openModel, mode: "plan", maxTurns: 3, memberBudget })).toMatchObject({
    ...{ model: "c/d", mode: "plan", maxTurns: 3, memberBudget, rules: [] },
  });
});

test("a lead without a model, or with one that cannot be had, is refused", () => {
  expect(() => settings({ openModel, env: {} })).toThrow(
    expect.objectContaining({ code: "model-missing" }),
  );
  expect(() => settings({ model: "nobody/nothing" })).toThrow(/nobody/);
  expect(settings({ model: "nobody/nothing", openModel }).model).toBe("nobody/nothing");
});

function settings(options: Partial<Parameters<typeof onThisMachine>[0]>) {
  const env = { TROUPE_MODEL: "c/d" };
  return leadSettings(onThisMachine({ cwd: "/repo", place: teamPlace("/repo"), env, ...options }));
}
