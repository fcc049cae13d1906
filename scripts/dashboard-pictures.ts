import { join } from "node:path";
import { providerEnvironment } from "../test/support/agent-on-wire.ts";
import { TestBrowser } from "../test/support/browser.ts";
import { Running } from "../test/support/dashboard-scene.ts";
import { TeamOnWire } from "../test/support/team-on-wire.ts";
import { aliceHasAsked, makeShop, parts, prompt } from "./repair-story.ts";

/** Takes the pictures of the dashboard that the documentation shows: of a real team, in a real browser. */

await using wire = await TeamOnWire.start(parts);
const workspace = join(wire.root, "shop");
await makeShop(workspace);
const env = {
  ...providerEnvironment(wire.server),
  PATH: process.env.PATH ?? "",
  HOME: wire.root,
  XDG_STATE_HOME: join(wire.root, "state"),
};
const model = ["--model", "anthropic/claude-sonnet-5-5"];
const team = new Running(["--plain", ...model], { cwd: workspace, env });
const dashboard = new Running(["web"], { cwd: workspace, env });
await using browser = await TestBrowser.launch();

try {
  const page = await browser.newPage({
    viewport: { width: 1360, height: 860 },
    deviceScaleFactor: 1.5,
  });
  await page.goto(await dashboard.printed(/^http:\S+$/));

  team.type(prompt);
  await page.getByText("alice wants to use edit_file", { exact: true }).waitFor();
  aliceHasAsked.open();
  await page.getByText("bob wants to use write_file", { exact: true }).waitFor();
  // Waits until the browser has drawn everything.
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: "docs/dashboard.png" });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.keyboard.press("2");
  await page.waitForTimeout(500);
  await page.screenshot({ path: "docs/dashboard-messages.png" });
} finally {
  await team.kill();
  await dashboard.kill("SIGTERM");
}
