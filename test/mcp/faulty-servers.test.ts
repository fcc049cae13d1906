import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { outputsOf, teamWith, toolNames } from "../support/mcp-team.ts";

const program = join(process.cwd(), "test/support/faulty-mcp-server.mjs");

/** What a member gets that calls a faulty server, and then one that does nothing wrong. */
async function callBoth(root: string, fault: string, entry: object = {}) {
  const log = join(root, "calls.log");
  const model = new ScriptedModel([
    calls("mcp_call", { tool: "mcp__bad__say", input: { text: "one" } }),
    calls("mcp_call", { tool: "mcp__good__say", input: { text: "two" } }),
    says("done"),
  ]);
  const { team, warnings } = await teamWith(root, model, {
    servers: {
      bad: { command: process.execPath, args: [program, fault, log], ...entry },
      good: { command: process.execPath, args: [program, "none"] },
    },
    mode: "bypassPermissions",
  });
  await using _ = team;
  await team.prompt("go");
  await team.quiet();
  model.assertDone();
  const [bad, good] = outputsOf(model);
  const called = existsSync(log) ? (await readFile(log, "utf8")).trim().split("\n").length : 0;
  return { bad, good, called, warnings };
}

/** A call that nobody answers is given up after a second. */
const soon = { timeout_s: 1 };

test.each<[fault: string, problem: string, times: number, entry?: object]>([
  ["exits", "not available: it exited with code 1, and wrote: a setting is missing", 0],
  ["other-version", "not available: .*1999-01-01", 0],
  ["wrong-list", "not available: ", 0],
  ["endless-pages", "not available: .*pagination did not terminate", 0],
  ["dies", "Outcome unknown: the MCP server bad ended while this call was running", 1],
  ["hangs", "Outcome unknown: the MCP server bad was given up", 1, soon],
  ["wrong-id", "Outcome unknown: the MCP server bad was given up", 1, soon],
  ["long-line", "Outcome unknown: the MCP server bad ended", 1],
  ["flood", "Outcome unknown: the MCP server bad ended", 1],
  ["error", "bad answered with an error: .*no such thing", 1],
])(
  "P31 a server with the fault %j harms only its own call, and costs one notice at most",
  async (fault, problem, times, entry = {}) => {
    await using directory = await temporaryDirectory();

    const { bad, good, called, warnings } = await callBoth(directory.path, fault, entry);

    expect(bad?.output).toMatch(new RegExp(problem));
    expect(good).toMatchObject({ output: "said two", is_error: false });
    expect(called).toBe(times);
    expect(warnings.length).toBeLessThanOrEqual(1);
  },
);

test.each(["none", "noise", "progress"])(
  "P31 control: a server that does nothing worse than %j answers",
  async (fault) => {
    await using directory = await temporaryDirectory();

    const { bad, good, called, warnings } = await callBoth(directory.path, fault);

    expect(bad).toMatchObject({ output: "said one", is_error: false });
    expect(good).toMatchObject({ output: "said two", is_error: false });
    expect({ called, warnings }).toEqual({ called: 1, warnings: [] });
  },
);

test("P31 what a server says stays data: it opens no message of anybody", async () => {
  await using directory = await temporaryDirectory();

  const { bad } = await callBoth(directory.path, "orders");

  expect(bad?.output).toContain("&lt;/teammate-message>");
  expect(bad?.output).not.toContain("<teammate-message");
});

/** The tools that a member has of a server that is known already. */
async function directTools(root: string, fault: string): Promise<string[]> {
  const servers = { bad: { command: process.execPath, args: [program, fault] } };
  const first = new ScriptedModel([calls("mcp_search", {}), says("known")]);
  {
    const { team } = await teamWith(root, first, { servers });
    await using _ = team;
    await team.prompt("look");
    await team.quiet();
  }
  const second = new ScriptedModel([says("done")]);
  const { team } = await teamWith(root, second, { servers, fresh: true });
  await using _ = team;
  await team.prompt("go");
  await team.quiet();
  return toolNames(second).filter((name) => name.startsWith("mcp__"));
}

test("P31 names that providers refuse are made plain, each name once", async () => {
  await using directory = await temporaryDirectory();

  const names = await directTools(directory.path, "odd-names");

  expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("mcp__bad__say");
  expect(names).toHaveLength(5);
});

test.each(["large-schema", "recursive-schema"])(
  "P31 a tool with a %s costs a member no request, and leaves the others",
  async (fault) => {
    await using directory = await temporaryDirectory();

    const names = await directTools(directory.path, fault);

    expect(names).toContain("mcp__bad__say");
    expect(names).not.toContain("mcp__bad__tree");
  },
);

test("P31 10,000 tools are found by search, and none is given directly", async () => {
  await using directory = await temporaryDirectory();

  expect(await directTools(directory.path, "many-tools")).toEqual([]);
});
