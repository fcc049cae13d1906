/**
 * One prompt: the lead repairs a program. It looks around, reads, edits and runs the test, with
 * real tools in a real directory. The model's replies come from a script, over a real connection,
 * so it needs no key. Exits with 1 if the program is not repaired.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Team } from "troupe";
import { calls, ProviderServer, reply, says, temporaryDirectory } from "troupe/testing";

await using workspace = await temporaryDirectory();
const program = join(workspace.path, "sum.mjs");
await writeFile(program, "export const add = (a, b) => a - b;\n");
await writeFile(
  join(workspace.path, "test.mjs"),
  'import assert from "node:assert";\nimport { add } from "./sum.mjs";\nassert.equal(add(2, 3), 5);\n',
);

await using provider = await ProviderServer.start({ strict: true });
provider.reply(
  reply([
    says("I look around and run the test."),
    calls("glob", { pattern: "*.mjs" }),
    calls("bash", { command: "node test.mjs" }),
  ]),
  calls("read_file", { path: "sum.mjs" }),
  calls("edit_file", { path: "sum.mjs", old_text: "a - b", new_text: "a + b" }),
  calls("bash", { command: "node test.mjs" }),
  says("`add` subtracted. I corrected sum.mjs, and the test passes."),
);

await using team = await Team.open({
  cwd: workspace.path,
  model: "anthropic/scripted",
  mode: "acceptEdits",
  allow: ["bash(node test.mjs)"],
  // Where the scripted provider is; without `env` it is what this process was started with.
  env: { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "none-is-needed" },
});

const called: string[] = [];
const telling = (async () => {
  for await (const event of team.events()) {
    if (event.type === "text-delta") process.stdout.write(event.text);
    if (event.type !== "tool-call") continue;
    called.push(event.name);
    console.log(`\n● ${event.name} ${JSON.stringify(event.input)}`);
  }
})();

await team.prompt("The test fails. Repair it.");
const summary = await team.quiet();
await team.close();
await telling;

console.log(`\n\n${summary.result}`);
console.log(`${summary.usage.input_tokens} tokens read, ${summary.usage.output_tokens} written`);

provider.assertDone();
assert.equal(summary.end?.outcome, "done");
assert.deepEqual(called, ["glob", "bash", "read_file", "edit_file", "bash"]);
assert.equal(await readFile(program, "utf8"), "export const add = (a, b) => a + b;\n");
