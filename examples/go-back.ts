/**
 * A program that undoes a prompt: it takes the team back to before it, with the files that its tools
 * changed, and adds a rule for the next attempt. Exits with 1 if anything else happens.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Team, workspaceDiff } from "troupe";
import { calls, ScriptedModel, says, temporaryDirectory } from "troupe/testing";

await using workspace = await temporaryDirectory();
const notes = join(workspace.path, "notes.txt");
await writeFile(notes, "Buy milk.\n");
const model = new ScriptedModel([
  calls("read_file", { path: "notes.txt" }),
  calls("write_file", { path: "notes.txt", content: "Buy a boat.\n" }),
  says("The notes are better now."),
]);
await using team = await Team.open({
  cwd: workspace.path,
  model: "scripted",
  openModel: () => model,
  mode: "acceptEdits",
});

await team.prompt("Improve the notes.");
await team.quiet();
assert.equal(await readFile(notes, "utf8"), "Buy a boat.\n");

const diff = await workspaceDiff(team.view(), { workspace: workspace.path });
assert.deepEqual(
  diff.files.map(({ path, added, removed }) => [path, added, removed]),
  [["notes.txt", 1, 1]],
);

const [checkpoint] = await team.checkpoints();
assert(checkpoint);
const { files, cannot } = await team.previewRewind(checkpoint.id);
assert.deepEqual(
  files.map(({ action }) => action),
  ["restore"],
);
assert.deepEqual(cannot, []);

const { restored } = await team.rewind(checkpoint.id);
assert.equal(restored.length, 1);
assert.equal(await readFile(notes, "utf8"), "Buy milk.\n");
assert.deepEqual(await team.checkpoints(), []);

await team.addRule({ decision: "deny", rule: "edit_file(notes.txt)" });
assert.equal(team.rules().length, 1);
console.log("The notes are as they were, and stay so.");
