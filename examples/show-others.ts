/**
 * Shows a team to others: its dashboard in a browser of this machine, the whole run as one file, and a text
 * without the secrets in it. Exits with 1 if anything else happens.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { exportTeam, findDashboard, secretMask, serveDashboard, Team } from "troupe";
import { ScriptedModel, says, temporaryDirectory } from "troupe/testing";

await using workspace = await temporaryDirectory();
const env = { ANTHROPIC_API_KEY: "a-key-that-nobody-may-see" };
await using team = await Team.open({
  cwd: workspace.path,
  env,
  model: "scripted",
  openModel: () => new ScriptedModel([says("The door is painted.")]),
});
await team.prompt("Paint the door.");
await team.quiet();

const view = team.view();

await using dashboard = await serveDashboard(view, { env });
console.log(`Open ${dashboard.newAddress()}`);
assert.equal((await fetch(dashboard.address)).status, 200);
assert.equal((await findDashboard(view))?.port, dashboard.port);

await using page = await exportTeam(view, { env });
const { messages, masked } = await page.writeTo(join(workspace.path, page.fileName));
console.log(`Wrote ${page.fileName}: ${messages} messages, ${masked} secrets masked.`);
const written = await readFile(join(workspace.path, page.fileName), "utf8");
assert(written.includes("The door is painted."));

const mask = await secretMask({ env });
assert.equal(mask.text(`The key is ${env.ANTHROPIC_API_KEY}.`), "The key is [key].");
