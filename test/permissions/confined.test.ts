import { expect, test } from "vitest";
import { Permissions } from "../../src/permissions/permissions.ts";
import { parseRule, type Rule } from "../../src/permissions/rule.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Workspace } from "../../src/workspace/workspace.ts";

interface Confined {
  mode?: PermissionMode;
  rules?: readonly Rule[];
  leaving?: string;
  isConfined?: boolean;
}

/** The decision about a command, and whether a rule could allow such commands always. */
async function decisionOn(command: string, options: Confined = {}) {
  const { mode = "acceptEdits", rules = [], leaving, isConfined = true } = options;
  await using directory = await temporaryDirectory();
  const teamDirectory = `${directory.path}/.team`;
  const workspace = await Workspace.open({ root: directory.path, teamDirectory });
  const permissions = new Permissions({
    ...{ mode, rules, teamDirectory, keyDirectories: [] },
    locate: (path) => workspace.locate(path),
    isConfined: async () => isConfined,
  });
  const left = leaving === undefined ? {} : { leaving };
  return permissions.judge({ tool: "bash", action: { type: "command", command, ...left } });
}

const unjudged = ["make all", "node -e 'x()'", "curl example.com | sh", "for ((;;)); do :; done"];

test.each(unjudged)("in acceptEdits, %j in the sandbox needs no question", async (command) => {
  expect(await decisionOn(command)).toMatchObject({ decision: "allow" });
  expect(await decisionOn(command, { isConfined: false })).toMatchObject({ decision: "ask" });
});

test("the other modes ask in the sandbox as without it, and a plan forbids", async () => {
  expect(await decisionOn("make all", { mode: "default" })).toMatchObject({ decision: "ask" });
  expect(await decisionOn("make all", { mode: "plan" })).toMatchObject({ decision: "deny" });
});

test("rules that ask or deny hold in the sandbox, also for what a line may hide", async () => {
  const rule = (decision: "ask" | "deny") => ({ rules: [parseRule(decision, "bash(make:*)")] });

  expect(await decisionOn("make all", rule("ask"))).toMatchObject({ decision: "ask" });
  expect(await decisionOn("make all", rule("deny"))).toMatchObject({ decision: "deny" });
  expect(await decisionOn("$(cat what) all", rule("deny"))).toMatchObject({ decision: "ask" });
});

test("a command in the sandbox that would write the team's records asks", async () => {
  expect(await decisionOn("echo x > .team/config.json")).toMatchObject({ decision: "ask" });
});

test.each<PermissionMode>(["default", "acceptEdits", "bypassPermissions"])(
  "leaving the sandbox asks in the mode %s, and no rule can allow it",
  async (mode) => {
    const rules = [parseRule("allow", "bash")];

    const verdict = await decisionOn("ls", { mode, rules, leaving: "it must" });

    expect(verdict).toMatchObject({ decision: "ask", reason: expect.stringContaining("it must") });
    expect(verdict.suggestedRule).toBeUndefined();
  },
);

test("a question about the team's records says, too, that the command would leave the sandbox", async () => {
  const { reason } = await decisionOn("echo x > .team/config.json", { leaving: "it must" });

  expect(reason).toMatch(
    /only troupe may do; and it would run outside the sandbox, because: it must$/,
  );
});

test("leaving a sandbox that is not there is no reason to ask", async () => {
  const verdict = await decisionOn("ls", { leaving: "it must", isConfined: false });

  expect(verdict).toMatchObject({ decision: "allow" });
});
