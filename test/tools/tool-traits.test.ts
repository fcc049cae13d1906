import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolsWithTraits, traitsOf } from "../../src/protocol/tool-traits.ts";
import { teamToolNames } from "../../src/tools/team/team-tools.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { workToolNames, workTools } from "../../src/tools/work-tools.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";
import { SeenFiles } from "../../src/workspace/seen-files.ts";
import { openShell } from "../processes/shell-fixture.ts";
import { Scene } from "../workspace/fixture.ts";
import { leadsTools, teammatesTools } from "./team/fixture.ts";

/** An input that every tool takes which works on the repository. */
const input = {
  command: "ls",
  path: "a",
  pattern: "a",
  content: "a",
  old_text: "a",
  new_text: "b",
  url: "https://example.com",
};

async function allTools(): Promise<Tool[]> {
  await using scene = await Scene.open({});
  await using shell = await openShell();
  const work = workTools({
    ...shell,
    workspace: await scene.workspace(),
    mayRead: () => true,
    seenFiles: new SeenFiles(),
    history: { keep: async () => undefined },
    locks: new FileLocks(),
    web: { fetch: async () => ({ type: "failed", reason: "there is no network" }) },
  });
  expect(work.map(({ spec }) => spec.name)).toEqual(workToolNames);
  const team = [...leadsTools({ hasResults: true }), ...teammatesTools()];
  expect(new Set(team.map(({ spec }) => spec.name))).toEqual(new Set(teamToolNames));
  return [...work, ...team];
}

function actionOf(tool: Tool) {
  const call = tool.prepare(input);
  return call.type === "prepared" ? call.action : undefined;
}

test("the traits of each tool name an existing tool and existing fields", async () => {
  const tools = new Map((await allTools()).map((tool) => [tool.spec.name, tool]));

  expect([...tools.keys()]).toEqual(expect.arrayContaining([...toolsWithTraits]));
  for (const name of toolsWithTraits) {
    const { ruleScope, mainField, placeField, change, cancelledCron } = traitsOf(name);
    const fields = [
      ...(ruleScope === "commands" ? ["command"] : []),
      ...(mainField ? [mainField] : []),
      ...(placeField ? [placeField] : []),
      ...(cancelledCron ? [cancelledCron] : []),
      ...(change ? ["path", change.after] : []),
      ...(change?.before ? [change.before] : []),
    ];
    const known = Object.keys(Object(tools.get(name)?.spec.input_schema.properties));
    expect(known, name).toEqual(expect.arrayContaining(fields));
  }
});

test("a tool that runs commands, reads, writes or fetches is covered by the rules for that", async () => {
  const scopes = { command: "commands", read: "reading", write: "writing", fetch: "hosts" };

  for (const tool of await allTools()) {
    const action = actionOf(tool);
    const isScoped = action && action.type in scopes;
    expect(traitsOf(tool.spec.name).ruleScope, tool.spec.name).toBe(
      isScoped ? Reflect.get(scopes, action.type) : undefined,
    );
  }
});

test("P12 only background_run is gated regardless of its command", async () => {
  const gated = (await allTools()).filter((tool) => {
    const action = actionOf(tool);
    return action?.type === "command" && action.isGated;
  });

  expect(gated.map(({ spec }) => spec.name)).toEqual(["background_run"]);
});

/** Where names of tools belong: what they are, what is known of each, and what a model says in tests. */
const homes =
  /^src\/((tools|testing|model\/rehearsal|cli\/(mcp|init)|mcp-server|team\/roles)\/|protocol\/tool-(traits|names)\.ts$)/;
/** Files that speak of the programs of these names. */
const programs =
  /^src\/(permissions|processes|sandbox|cli\/commands\/completion|protocol\/hook-configuration)/;

test("no tool name is used outside its own file and the table of traits", async () => {
  const names = (await allTools()).map(({ spec }) => spec.name);
  const files = ["src", "web/src"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const uses = files
    .filter((file) => /\.tsx?$/.test(file) && !homes.test(file))
    .flatMap((file) => usesIn(readFileSync(file, "utf8"), file, names));

  expect(uses).toEqual([]);
  expect(usesIn('if (tool === "edit_file") {', "cli/call.ts", names)).toHaveLength(1);
  expect(usesIn('name !== "broadcast" &&', "cli/call.ts", names)).toHaveLength(1);
});

/** The names of tools that a file has in quotes. Some are also names of message types or of programs. */
function usesIn(text: string, file: string, names: readonly string[]): string[] {
  return [...new Set(names)].flatMap((name) => {
    if (["bash", "grep"].includes(name) && programs.test(file)) return [];
    const isMessageType = ["broadcast", "shutdown_request", "shutdown_response"].includes(name);
    const use = isMessageType ? `\\b(tool|name)\\b[ !=:(]+"${name}"` : `["']${name}["']`;
    return [...text.matchAll(new RegExp(use, "g"))].map(() => `${file}: ${name}`);
  });
}
