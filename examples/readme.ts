/**
 * The program of the README, word for word, with a scripted provider: a call that needs approval is
 * denied instead of waiting forever, and the lead continues. Exits with 1 if it does not.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Team } from "troupe";
import { calls, ProviderServer, reply, says, temporaryDirectory } from "troupe/testing";

await using workspace = await temporaryDirectory();
process.chdir(workspace.path);
await using provider = await ProviderServer.start({ strict: true });
process.env.ANTHROPIC_BASE_URL = provider.url;
process.env.ANTHROPIC_API_KEY = "none-is-needed";
provider.reply(
  reply([
    calls("write_file", { path: "built.txt", content: "It builds.\n" }),
    calls("bash", { command: "npm publish" }),
  ]),
  says("I repaired the build. Publishing it was denied."),
);

await using team = await Team.open({
  cwd: process.cwd(),
  model: "anthropic/claude-sonnet-5-5", // default: one for the key that is set
  mode: "acceptEdits",
  allow: ["bash(npm test:*)"],
});
await team.prompt("Let alice repair the build and bob write a test for it.");
const { result, members, tasks, cost_usd } = await team.quiet();

console.log(result, { members, tasks, cost_usd });
provider.assertDone();
assert.match(JSON.stringify(provider.requests[1]?.body), /Denied: nobody answers requests/);
assert.equal(result, "I repaired the build. Publishing it was denied.");
assert.equal(await readFile("built.txt", "utf8"), "It builds.\n");
