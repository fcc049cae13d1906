import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { Permissions } from "../../src/permissions/permissions.ts";
import { runHostProgram } from "../../src/processes/host-program.ts";
import { toolContext } from "../../src/testing/call-tool.ts";
import { fileTools } from "../../src/tools/work-tools.ts";
import { SeenFiles } from "../../src/workspace/seen-files.ts";
import { deny } from "../permissions/judge-lines.ts";
import { type FileTool, Scene } from "../workspace/fixture.ts";

const canary = "canary-of-a-closed-file";

/** Ways to have a closed file shown: by its name, by others, through links, and by searching around it. */
const calls: readonly (readonly [FileTool, Record<string, string>])[] = [
  ["read_file", { path: ".env" }],
  ["read_file", { path: "./.env" }],
  ["read_file", { path: "src/../.env" }],
  ["read_file", { path: ".//.env" }],
  ["read_file", { path: "secrets/key.txt" }],
  ["read_file", { path: "secrets/deep/key.txt" }],
  ["read_file", { path: "link.txt" }],
  ["read_file", { path: "folder/key.txt" }],
  ["read_file", { path: "folder/deep/../key.txt" }],
  ["grep", { pattern: "canary" }],
  ["grep", { pattern: "canary", path: "." }],
  ["grep", { pattern: "canary", path: ".env" }],
  ["grep", { pattern: "canary", path: "./src/../.env" }],
  ["grep", { pattern: "canary", path: "secrets" }],
  ["grep", { pattern: "canary", path: "secrets/" }],
  ["grep", { pattern: "canary", path: "secrets/deep" }],
  ["grep", { pattern: "canary", path: "folder" }],
  ["grep", { pattern: "canary", path: "link.txt" }],
  ["grep", { pattern: "canary", glob: ".env" }],
  ["grep", { pattern: "canary", glob: "**/*.txt" }],
  ["grep", { pattern: "canary", glob: "secrets/**" }],
  ["grep", { pattern: "(?s).*", path: "secrets" }],
  ["glob", { pattern: "secrets/**" }],
  ["glob", { pattern: "**/*.txt" }],
  ["glob", { pattern: ".*" }],
  ["glob", { pattern: "*", path: "secrets" }],
  ["glob", { pattern: "*", path: "folder" }],
];

/** What the model is shown of each call, where it runs unasked. */
async function shownBy(rules: readonly string[]): Promise<string[]> {
  await using scene = await Scene.open({
    ".env": `TOKEN=${canary}\n`,
    "secrets/key.txt": `${canary}\n`,
    "secrets/deep/key.txt": `${canary}\n`,
    "src/a.ts": "text\n",
  });
  await symlink("secrets/key.txt", scene.path("link.txt"));
  await symlink("secrets", scene.path("folder"));
  const workspace = await scene.workspace();
  const permissions = new Permissions({
    mode: "default",
    rules: deny(...rules),
    locate: (path) => workspace.locate(path),
    teamDirectory: scene.path(".team"),
    keyDirectories: [],
  });
  const tools = fileTools({
    workspace,
    mayRead: (place) => permissions.mayRead(place),
    seenFiles: new SeenFiles(),
    history: { keep: async () => undefined },
    locks: scene.locks,
    runner: { runProgram: runHostProgram },
  });
  const shown: string[] = [];
  for (const [tool, input] of calls) {
    const call = tools.find(({ spec }) => spec.name === tool)?.prepare(input);
    if (call?.type !== "prepared")
      throw new Error(`${tool} does not take ${JSON.stringify(input)}`);
    const { decision } = await permissions.judge({ tool, action: call.action });
    shown.push(decision === "allow" ? (await call.run(toolContext())).text : decision);
  }
  return shown;
}

test("no file tool shows files covered by a deny rule, by any name, link or search", async () => {
  const shown = await shownBy(["read_file(.env)", "read_file(secrets/**)"]);
  const control = await shownBy([]);

  const isShown = (text: string) => /canary-of|key\.txt|^\.env$/m.test(text);
  const leaking = calls.filter((_, index) => isShown(shown[index] ?? ""));
  expect(leaking).toEqual([]);
  expect(control.filter(isShown).length, "the control").toBeGreaterThan(20);
});
