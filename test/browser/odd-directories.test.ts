import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { replaceFile } from "../../src/lib/files.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("the page waits for a team, reports one that is too new, and shows damaged records beside the others", async () => {
    await using scene = await DashboardScene.open({
      lead: [
        reply([
          calls("create_task", { subject: "Damaged later" }),
          calls("create_task", { subject: "Left alone" }),
          spawns("alice"),
        ]),
        says("Noted."),
      ],
      alice: [says("Whole and well.")],
    });
    await writeFile(join(scene.wire.root, "troupe.json"), '{ "autoclaim": false }');
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);
    await page.evaluate("globalThis.isSamePage = true");

    await page.getByRole("heading", { name: "There is no team here yet" }).waitFor();
    const waiting = await page.getByRole("main").innerText();
    const team = scene.startTeam();
    team.type("Go.");
    const newest = page.getByRole("region", { name: "Newest messages" });
    await newest.getByText("Whole and well.").waitFor();
    await team.kill();
    await page.getByText("This team is not running.").waitFor();

    const config = join(scene.wire.teamDirectory, "config.json");
    const roster = await readFile(config, "utf8");
    await writeFile(config, roster.replace(/"format": \d+/, '"format": 99'));
    await page.getByRole("heading", { name: "This team cannot be shown" }).waitFor();
    const tooNew = await page.getByRole("main").innerText();
    await writeFile(config, roster);
    await newest.getByText("Whole and well.").waitFor();

    const line = '{"type": "mess\n';
    await appendFile(join(scene.wire.teamDirectory, "transcripts", "alice.jsonl"), line);
    await appendFile(join(scene.wire.teamDirectory, "inbox", "alice.jsonl"), line);
    await replaceFile(join(scene.wire.teamDirectory, "tasks", "1.json"), "{");
    await page.getByText(/^[1-9] problems?$/).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: /tasks\/1\.json.* is not JSON/ })
      .waitFor();
    await page.getByRole("link", { name: "Messages" }).click();
    await page.getByRole("option", { name: /outside to alice, set aside/ }).waitFor();
    await page.getByRole("link", { name: "Tasks" }).click();
    await page.getByRole("main").getByText("Left alone").first().waitFor();
    await page.getByRole("navigation", { name: "Members" }).getByText("alice").click();
    const log = page.getByRole("log", { name: "Transcript of alice" });
    await log.getByText("Whole and well.").waitFor();
    const damaged = await log.getByRole("article", { name: "Damaged line" }).innerText();

    expect(waiting).toContain(scene.wire.teamDirectory);
    expect(tooNew).toMatch(
      /config\.json has format 99; this version of troupe reads formats up to \d/,
    );
    expect(damaged).toContain("An unreadable line");
    expect(await page.evaluate("globalThis.isSamePage")).toBe(true);
    expect(browser.complaints).toEqual([]);
  });
});
