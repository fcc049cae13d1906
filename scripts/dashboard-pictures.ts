import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { TestBrowser } from "../test/support/browser.ts";
import { Running } from "../test/support/dashboard-scene.ts";

/** Takes the pictures of the dashboard that the documentation shows: of a real team, in a real browser. */

await using directory = await temporaryDirectory();
const workspace = join(directory.path, "shop");
await mkdir(workspace);
const env = {
  PATH: process.env.PATH ?? "",
  HOME: directory.path,
  XDG_STATE_HOME: join(directory.path, "state"),
};
const team = new Running(["--plain", "--model", "rehearsal"], { cwd: workspace, env });
const dashboard = new Running(["web"], { cwd: workspace, env });
await using browser = await TestBrowser.launch();

try {
  const page = await browser.newPage({
    viewport: { width: 1360, height: 860 },
    deviceScaleFactor: 1.5,
  });
  await page.goto(await dashboard.printed(/^http:\S+$/));

  team.type("Spawn alice (coder) and bob (tester). Have alice send bob a message.");
  await team.printed(/^alice reports: bob wrote/);
  team.type("Create tasks with dependencies. Watch teammates respect the blocked order.");
  await team.printed(/^bob reports: Task 3 is done|^alice reports: Task 3 is done/);
  team.type(
    "Spawn charlie as a backend developer. Ask him to create a file called schema.sql with a users table.",
  );
  await page.getByRole("button", { name: /allow once/i }).waitFor();
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
