/**
 * A prompt with an image. Exits with 1 if the lead's model is not shown it.
 */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Team } from "troupe";
import { ProviderServer, says, temporaryDirectory } from "troupe/testing";

await using workspace = await temporaryDirectory();
await using provider = await ProviderServer.start({ strict: true });
provider.reply(says("A single pixel."));

/** A PNG of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const screenshot = join(workspace.path, "screenshot.png");
await writeFile(screenshot, pixel, "base64");

await using team = await Team.open({
  cwd: workspace.path,
  model: "anthropic/claude-sonnet-5-5",
  env: { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "none-is-needed" },
});

await team.prompt({
  text: "What is wrong on this page?",
  images: [screenshot, { data: Buffer.from(pixel, "base64"), mediaType: "image/png" }],
});
const { result } = await team.quiet();

console.log(result);
const [request] = provider.requests;
assert.equal(request?.text.split(pixel).length, 3);
