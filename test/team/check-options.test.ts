import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { checkOptions } from "../../src/team/check-options.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamOptions } from "../../src/team/team-options.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { teamPlace } from "../support/team.ts";

const cwd = process.cwd();

const ownTool = defineTool({
  ...{ name: "hail", description: "Says hello.", input: z.object({}) },
  action: () => ({ type: "coordinate" }),
  run: async () => ({ text: "Hello.", isError: false }),
});

test("right options are accepted, and undefined ones count as left out", async () => {
  const full: Required<TeamOptions> = {
    ...{ cwd, place: teamPlace(cwd), env: process.env, onWarning: () => undefined },
    ...{
      model: "a/b",
      effort: "low",
      defaultModel: "a/c",
      defaultEffort: "high",
      thinkingBudget: 1024,
      mode: "plan",
      allow: ["bash"],
      ask: [],
      deny: [],
      maxTurns: 1,
      maxOutputTokens: 1,
    },
    ...{ memberBudget: { maxTokens: 5 }, budget: { maxCostUsd: 0.5, maxTokens: undefined } },
    checkouts: {
      ...{ isolation: "checkout", base: "working", link: ["node_modules"], setup: "npm ci" },
      ...{ directory: "/checkouts", target: "agents" },
    },
    sandbox: { mode: "auto", network: "off", write: ["/data"], denyRead: ["/secret"] },
    landing: { mode: "ask", check: "npm test", checkTimeoutMs: 1 },
    ...{ maxTeammates: 1, autoclaim: false, shutdownGraceMs: 1, planApproval: "user" },
    ...{ onRequest: () => undefined, approvals: { timeoutMs: 5 }, providers: {} },
    models: { "a/*": { price: { input: 1, output: 2 }, contextWindow: 5 } },
    provider: { maxInFlight: 2, fallbackAfterMs: 5, watchdogs: { stallMs: 1 } },
    ...{ recordTo: "run.jsonl", fresh: true, takeOver: false },
    ...{ store: new MemoryTeamStore({ clock: systemClock }), openModel: () => ({}) as never },
    tools: [ownTool],
    roles: [{ name: "reviewer", description: "Reviews.", prompt: "Review.", tools: ["Read"] }],
    ...{ modelAliases: { opus: "a/b" }, agent: "reviewer" },
    ...{ instructions: { lead: "Be brief." }, memberTools: { lead: [], teammates: ["bash"] } },
    ...{ systemPrompt: ({ builtIn }) => builtIn, guidance: { instructions: "/own/AGENTS.md" } },
    ...{ hooks: { beforeCall: () => undefined }, structuredResults: true },
    commandHooks: [
      {
        origin: "the program",
        hooks: { Stop: [{ hooks: [{ type: "command", command: "npm test" }] }] },
        isRepository: false,
      },
    ],
    mcp: { servers: { files: { command: "files" } }, untrusted: ["files"] },
  };

  await checkOptions(full);
  await checkOptions({ cwd });
  for (const approvals of ["deny", "wait", { unattended: () => "no" }] as const) {
    await checkOptions({ cwd, approvals });
  }
  const unset = Object.fromEntries(Object.keys(full).map((name) => [name, undefined]));
  await checkOptions({ ...unset, cwd } as TeamOptions);
});

test.each([
  [{ cwd: 5 }, /option cwd must be the path/],
  [{ cwd: undefined }, /Team.open needs the option cwd/],
  [{ place: {} }, /place must be a place/],
  [{ store: {} }, /store must be a TeamStore/],
  [{ tools: [{ name: "x" }] }, /tools must be a list of tools/],
  [{ provider: { attempts: 1 } }, /provider must have only watchdogs/],
  [{ provider: { watchdogs: { headers: 1 } } }, /provider must have only watchdogs/],
  [{ providers: { a: { family: "nope" } } }, /The provider "a" has an unknown family/],
  [{ providers: { a: 1 } }, /The provider "a" must be an object/],
  [{ place: "/repo" }, /place must be a place/],
  [{ env: "PATH=/bin" }, /env must be an object/],
  [{ onWarning: console }, /onWarning must be a function/],
  [{ maxOutputTokens: 0 }, /maxOutputTokens must be a whole number/],
  [{ model: "" }, /model must be a text such as anthropic/],
  [{ effort: "xhigh" }, /effort must be one of none, low, medium, high, max/],
  [{ thinkingBudget: 1023 }, /thinkingBudget must be a whole number of tokens, 1024 or more/],
  [{ mode: "yolo" }, /mode must be one of default, acceptEdits, plan, bypassPermissions/],
  [{ allow: "bash" }, /allow must be a list of permission rules/],
  [{ ask: [1] }, /ask must be/],
  [{ deny: {} }, /deny must be/],
  [{ instructions: "Be brief." }, /instructions must have only lead and teammates/],
  [{ instructions: { alice: "Be brief." } }, /instructions must have only/],
  [{ instructions: { lead: "é".repeat(32_769) } }, /each a text of at most 65536 bytes/],
  [{ memberTools: ["bash"] }, /memberTools must have only lead and teammates/],
  [{ memberTools: { lead: "bash" } }, /memberTools must/],
  [{ hooks: { onCall: () => undefined } }, /hooks must have only beforeCall, afterCall/],
  [{ hooks: { onSpawn: true } }, /hooks must have only/],
  [{ guidance: { instructions: "AGENTS.md" } }, /guidance must have only/],
  [{ systemPrompt: "You are …" }, /systemPrompt must be a function/],
  [{ maxTurns: 0 }, /maxTurns must be a whole number, 1 or more/],
  [{ maxTurns: 1.5 }, /maxTurns must be/],
  [{ maxTeammates: Number.NaN }, /maxTeammates must be/],
  [{ budget: { maxCostUsd: -1 } }, /budget must have only maxTokens.*each more than 0/],
  [{ budget: { maxCost: 1 } }, /budget must/],
  [{ memberBudget: 5 }, /memberBudget must/],
  [{ autoclaim: "no" }, /autoclaim must be true or false/],
  [{ fresh: 1 }, /fresh must/],
  [{ takeOver: null }, /takeOver must/],
  [{ shutdownGraceMs: 0 }, /shutdownGraceMs must be a number of milliseconds/],
  [{ shutdownGraceMs: Number.POSITIVE_INFINITY }, /shutdownGraceMs must/],
  [{ planApproval: "me" }, /planApproval must be lead or user/],
  [{ onRequest: {} }, /onRequest must be a function/],
  [{ approvals: "allow" }, /approvals must be deny, wait/],
  [{ approvals: {} }, /approvals must/],
  [{ approvals: { timeoutMs: -5 } }, /approvals must/],
  [{ providers: 1 }, /providers must/],
  [{ models: { "a/b": { price: { input: "1" } } } }, /models must be an object such as/],
  [{ models: { "a/b": { input: 1, output: 1 } } }, /models must/],
  [{ provider: { maxInFlight: 0 } }, /provider must/],
  [{ recordTo: "" }, /recordTo must/],
  [{ store: "files" }, /store must be a TeamStore/],
  [{ openModel: "a/b" }, /openModel must be a function/],
  [{ tools: ["bash"] }, /tools must be a list of tools/],
])("the option in %j is refused, with what it must be", async (wrong, message) => {
  const refusal = checkOptions({ cwd, ...(wrong as object) });

  await expect(refusal).rejects.toMatchObject({
    ...{ code: "config-invalid", message: expect.stringMatching(message) },
    hint: expect.stringMatching(/./),
  });
});

test("an unknown option is refused, with the one that was meant, or with all", async () => {
  const hintOf = async (name: string) => {
    const refusal = checkOptions({ cwd, [name]: 1 });
    await expect(refusal).rejects.toThrow(`Team.open has no option "${name}"`);
    return refusal.catch((error) => error.hint);
  };

  expect(await hintOf("maxTurn")).toBe("Did you mean maxTurns?");
  expect(await hintOf("modle")).toBe("Did you mean model?");
  expect(await hintOf("permissionMode")).toMatch(/^The options are cwd, .*mode.*tools\.$/);
  expect(await hintOf("constructor")).toMatch(/The options are/);
});

test("a team without options is refused, with how to open one", async () => {
  const open = Team.open as (options?: unknown) => Promise<Team>;

  for (const given of [undefined, null, {}, "cwd"]) {
    await expect(open(given)).rejects.toMatchObject({
      ...{ code: "config-invalid", message: "Team.open needs the option cwd" },
      hint: expect.stringContaining("Team.open({ cwd"),
    });
  }
});

test.each([undefined, {}, { id: "x" }, { id: "", stream: () => undefined }])(
  "an openModel that returns %j is refused",
  async (returned) => {
    await using directory = await temporaryDirectory();

    const opening = Team.open({
      ...{ cwd: directory.path, place: teamPlace(directory.path), model: "a/b" },
      openModel: () => returned as never,
    });

    await expect(opening).rejects.toMatchObject({
      ...{ code: "config-invalid", message: "openModel has not returned a model" },
      hint: expect.stringContaining("a method stream"),
    });
  },
);

test("a recording that cannot be created is refused, with what to do", async () => {
  await using directory = await temporaryDirectory();

  const opening = Team.open({
    ...{ cwd: directory.path, place: teamPlace(directory.path), model: "rehearsal" },
    recordTo: join(directory.path, "missing", "run.jsonl"),
  });

  await expect(opening).rejects.toMatchObject({
    ...{ code: "config-invalid", message: expect.stringContaining("cannot be created") },
    hint: expect.stringContaining("a directory that exists"),
  });
});

test("a directory that is not there is refused and not created", async () => {
  await using directory = await temporaryDirectory();
  const missing = join(directory.path, "missing");
  const file = join(directory.path, "file");
  await writeFile(file, "");

  for (const wrong of [missing, file, join(file, "below")]) {
    await expect(Team.open({ cwd: wrong, model: "rehearsal" })).rejects.toMatchObject({
      ...{ code: "config-invalid", message: `${wrong} is not a directory` },
      hint: expect.stringContaining("Create it first"),
    });
  }
  expect(existsSync(missing)).toBe(false);
});
