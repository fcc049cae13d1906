import { expect, test } from "vitest";
import { z } from "zod";
import { modelAtStart } from "../../src/team/model-at-start.ts";
import { type ApprovalPolicy, leadSettings, onThisMachine } from "../../src/team/team-options.ts";
import { defineTool } from "../../src/tools/tool.ts";
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
  const own = settings({ openModel, allow: ["bash"], deny: ["broadcast"] });
  expect(own).toMatchObject({
    ...{ root: "/repo", cwd: "/repo", maxTurns: 200 },
    rules: [
      { decision: "allow", text: "bash" },
      { decision: "deny", text: "broadcast" },
    ],
  });
  const memberBudget = { maxTokens: 5 };
  expect(settings({ openModel, maxTurns: 3, memberBudget })).toMatchObject({
    ...{ maxTurns: 3, memberBudget, rules: [] },
  });
});

test("a lead without a model, or with one that cannot be had, is refused", async () => {
  const at = (options: Options) => modelAtStart(opened(options));

  await expect(at({ openModel, env: {} })).rejects.toMatchObject({ code: "model-missing" });
  await expect(at({ model: "nobody/nothing" })).rejects.toThrow(/nobody/);
  expect(await at({ model: "nobody/nothing", openModel })).toEqual({ model: "nobody/nothing" });
  expect(await at({ openModel })).toEqual({ model: "c/d" });
  expect(await at({ openModel, defaultModel: "e/f" })).toEqual({ model: "e/f" });
});

test("a rule for a tool that there is not is told, with the tool that may be meant", () => {
  const warnings: string[] = [];
  const place = teamPlace("/repo", { onWarning: (warning) => warnings.push(warning) });
  const tool = defineTool({
    ...{ name: "open_tickets", description: "Lists tickets.", input: z.object({}) },
    ...{
      action: () => ({ type: "coordinate" as const }),
      run: () => Promise.resolve({ text: "None.", isError: false }),
    },
  });

  settings({
    place,
    tools: [tool],
    allow: ["open_tickets", "send_message", "bash", "glob"],
    deny: ["background_runs", "send_mail"],
  });

  expect(warnings).toEqual([
    'The deny rule "background_runs" has no effect: there is no tool of this name. Did you mean background_run?',
    'The deny rule "send_mail" has no effect: there is no tool of this name.',
  ]);
});

type Options = Partial<Parameters<typeof onThisMachine>[0]>;

function opened(options: Options) {
  const env = { TROUPE_MODEL: "c/d" };
  return onThisMachine({ cwd: "/repo", place: teamPlace("/repo"), env, ...options });
}

function settings(options: Options) {
  return leadSettings(opened(options));
}
