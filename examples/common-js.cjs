/**
 * A CommonJS program: `require` works as `import` does, but there is no `await using`, so it closes
 * the team itself. Exits with 1 if the file is not written.
 */
const assert = require("node:assert/strict");
const { readFile } = require("node:fs/promises");
const { join } = require("node:path");
const { Team } = require("troupe");
const { calls, ScriptedModel, says, temporaryDirectory } = require("troupe/testing");

async function main() {
  const workspace = await temporaryDirectory();
  const model = new ScriptedModel([
    calls("write_file", { path: "hello.txt", content: "Hello.\n" }),
    says("It is written."),
  ]);
  const team = await Team.open({
    cwd: workspace.path,
    model: "scripted",
    openModel: () => model,
    mode: "acceptEdits",
  });
  try {
    await team.prompt("Write hello.txt.");
    const { result } = await team.quiet();
    assert.equal(result, "It is written.");
    assert.equal(await readFile(join(workspace.path, "hello.txt"), "utf8"), "Hello.\n");
  } finally {
    await team.close();
    await workspace[Symbol.asyncDispose]();
  }
}

void main();
