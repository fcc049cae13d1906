/**
 * One agent repairs a program: it looks around, reads, edits, and runs the test, with real tools in
 * a real directory. What a language model would say comes from a script, over a real connection, so
 * that it runs without a key. Exits with 1 if the program is not repaired.
 */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemPlace, Team } from "troupe";
import { calls, ProviderServer, reply, says } from "troupe/testing";

const workspace = await mkdtemp(join(tmpdir(), "troupe-agent-"));
await writeFile(join(workspace, "sum.mjs"), "export const add = (a, b) => a - b;\n");
await writeFile(
  join(workspace, "test.mjs"),
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
  place: systemPlace({ directory: join(workspace, ".team"), onWarning: console.error }),
  env: { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "no-real-key" },
  cwd: workspace,
  model: "anthropic/scripted",
  mode: "acceptEdits",
  allow: ["bash(node test.mjs)"],
});

console.log(`In ${workspace}\n> The test fails. Repair it.`);
const events = team.events();
await team.prompt("The test fails. Repair it.");
for await (const event of events) {
  if (event.type === "run-end") break;
  switch (event.type) {
    case "text-delta":
      process.stdout.write(event.text);
      break;
    case "tool-call":
      console.log(`\n● ${event.name} ${JSON.stringify(event.input)}`);
      break;
    case "tool-result":
      console.log(event.output.replace(/^/gm, "  ").split("\n").slice(0, 4).join("\n"));
  }
}

console.log();

provider.assertDone();
const repaired = await readFile(join(workspace, "sum.mjs"), "utf8");
process.exitCode = repaired.includes("a + b") ? 0 : 1;
