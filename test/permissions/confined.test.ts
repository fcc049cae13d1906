import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { Permissions } from "../../src/permissions/permissions.ts";
import { parseRule, type Rule } from "../../src/permissions/rule.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { project } from "./judge-lines.ts";

interface Confined {
  mode?: PermissionMode;
  rules?: readonly Rule[];
  leaving?: string;
  isConfined?: boolean;
  /** False for a command that its tool cannot try. */
  isTriable?: boolean;
  isShared?: boolean;
}

/** The decision about a command, and whether a rule could allow such commands always. */
async function decisionOn(command: string, options: Confined = {}) {
  const {
    mode = "acceptEdits",
    rules = [],
    leaving,
    isConfined = true,
    isShared = false,
  } = options;
  const triable = options.isTriable === false ? {} : ({ isTriable: true } as const);
  await using directory = await temporaryDirectory();
  const teamDirectory = `${directory.path}/.team`;
  const workspace = await Workspace.open({ root: directory.path, teamDirectory });
  const permissions = new Permissions({
    ...{ mode, rules, teamDirectory, keyDirectories: [] },
    locate: (path) => workspace.locate(path),
    isConfined: async () => isConfined,
    isShared: () => isShared,
  });
  const left = leaving === undefined ? {} : { leaving };
  return permissions.judge({
    tool: "bash",
    action: { type: "command", command, ...left, ...triable },
  });
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

const takingBack = [
  "git stash",
  "git checkout -- a.txt",
  "git clean -fd",
  "git -C . reset --hard",
  "/usr/bin/git switch main",
  "bash -c 'git restore .'",
  "env A=1 git checkout -- a.txt",
  "git -c core.x=y stash",
  "true && git rebase main",
  "for f in *; do git clean -f $f; done",
];

test.each(takingBack)("%j asks where others work in the same directory", async (command) => {
  const rules = [parseRule("allow", "bash")];
  const shared = { isShared: true, rules };

  for (const isConfined of [true, false]) {
    const verdict = await decisionOn(command, { ...shared, isConfined });
    expect(verdict).toMatchObject({ decision: "ask" });
    expect(verdict.suggestedRule).toBeUndefined();
  }
  expect(await decisionOn(command, { ...shared, mode: "bypassPermissions" })).toMatchObject({
    decision: "allow",
  });
  // Alone it is as before.
  expect(await decisionOn(command, { rules })).toMatchObject({ decision: "allow" });
});

test.each(["git stash list", "git status", "git commit -m 'clean up'", "git log --grep=reset"])(
  "%j does not ask because others work in the same directory",
  async (command) => {
    expect(await decisionOn(command, { isShared: true })).toMatchObject({ decision: "allow" });
  },
);

test("in default and plan, what only reads runs where it can change nothing", async () => {
  const readOnly = { decision: "allow", confinement: "read-only" };

  expect(await decisionOn("cat a.txt", { mode: "default" })).toMatchObject(readOnly);
  expect(await decisionOn("cat a.txt", { mode: "plan" })).toMatchObject(readOnly);
  for (const options of [
    { mode: "acceptEdits" },
    { mode: "default", isConfined: false },
  ] as const) {
    expect(await decisionOn("cat a.txt", options)).not.toHaveProperty("confinement");
  }
});

test.each(unjudged.filter((line) => !line.includes("curl")))(
  "in default and plan, %j is tried before anybody is asked",
  async (command) => {
    const tried = (decision: string) => ({ decision, confinement: "trial" });

    expect(await decisionOn(command, { mode: "default" })).toMatchObject(tried("ask"));
    expect(await decisionOn(command, { mode: "plan" })).toMatchObject(tried("deny"));
    for (const options of [{ isConfined: false }, { isTriable: false }]) {
      const verdict = await decisionOn(command, { mode: "default", ...options });
      expect(verdict.decision).toBe("ask");
      expect(verdict).not.toHaveProperty("confinement");
    }
  },
);

const notTried: readonly [string, Confined][] = [
  ["cat /etc/hosts", {}],
  ["node -e 'x()' < ../other.txt", {}],
  ["cd .. && make all", {}],
  ["make all > out.txt", {}],
  ["rm a.txt", {}],
  ["curl example.com", {}],
  ["npm install left-pad", {}],
  ["git push", {}],
  ["echo x > .team/config.json", {}],
  ["make all", { leaving: "it must" }],
  ["make all", { rules: [parseRule("ask", "bash(make:*)")] }],
  ["make all", { rules: [parseRule("deny", "bash(make:*)")] }],
  ["$(cat what) all", { rules: [parseRule("deny", "bash(make:*)")] }],
  ["grep -r x .", { rules: [parseRule("deny", "read_file(.env)")] }],
];

test.each(notTried)("%j is not tried (%j)", async (command, options) => {
  const verdict = await decisionOn(command, { mode: "default", ...options });

  expect(verdict.decision).not.toBe("allow");
  expect(verdict).not.toHaveProperty("confinement");
});

test("of the lines of a day's work that only read, the sandbox leaves one to be asked about needlessly", async () => {
  const path = new URL("../fixtures/commands/ordinary-lines.json", import.meta.url);
  const lines = z.array(z.string()).parse(JSON.parse(await readFile(path, "utf8")));
  await using workspace = await project();
  const permissions = workspace.permissions({ isConfined: true });
  const asked: string[] = [];
  for (const command of lines) {
    const action = { type: "command", command, isTriable: true } as const;
    const { decision, confinement } = await permissions.judge({ tool: "bash", action });
    if (decision !== "allow" && confinement !== "trial") asked.push(command);
  }

  // Its program looks like a path.
  expect(asked).toEqual(["cat CHANGELOG.md | awk '/^## /{n++} n==1'"]);
});
