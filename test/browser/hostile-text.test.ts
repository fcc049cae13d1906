import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { Latch, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

/** Text that does something wherever it is taken for markup. */
const hostile = (place: string) =>
  `${place} <img src=x onerror=ranHere()><script>ranHere()</script><svg onload=ranHere()> [go](javascript:ranHere()) javascript:ranHere() </textarea><iframe srcdoc="<script>parent.ranHere()</script>">`;

describe.skipIf(noBrowser)(inBrowser, () => {
  test("text of members stays text everywhere in the page", async () => {
    await using scene = await DashboardScene.open({
      lead: [
        reply([
          calls("create_task", { subject: hostile("subject"), description: hostile("task") }),
          spawns("alice", {
            role: hostile("role"),
            prompt: hostile("prompt"),
            plan_required: true,
          }),
        ]),
        says(hostile("words")),
      ],
      alice: [
        reply([
          thinks(hostile("thoughts")),
          calls("bash", { command: `echo '${hostile("output")}'` }),
        ]),
        calls("plan_approval", { plan: hostile("plan") }),
        says(hostile("result")),
      ],
    });
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    const ran = new Latch();
    let runs = 0;
    await page.exposeFunction("ranHere", () => {
      runs += 1;
      ran.open();
    });
    scene.startTeam("--plan-approval", "user").type(hostile("typed"));
    await page.goto((await scene.startDashboard()).address);

    await page.getByRole("region", { name: "The plan" }).getByText("plan <img").waitFor();
    await page.getByRole("region", { name: "Newest messages" }).getByText("result <img").waitFor();
    await page.getByRole("region", { name: "Tasks" }).getByText("subject <img").waitFor();
    const room = await foreignElements(page);
    await page.keyboard.press("2");
    await page.getByRole("option", { name: /result <img/ }).click();
    await page.getByRole("complementary", { name: "Message" }).getByText("result <img").waitFor();
    const messages = await foreignElements(page);
    await page.keyboard.press("3");
    await page.getByRole("main").getByText("subject <img").first().click();
    await page.getByText("task <img").first().waitFor();
    const tasks = await foreignElements(page);
    await page.getByRole("navigation", { name: "Members" }).getByText("alice").click();
    const log = page.getByRole("log", { name: "Transcript of alice" });
    await log.getByText("result <img").waitFor();
    await page.keyboard.press("e");
    await log.getByText("output <img").first().waitFor();
    await log.getByText("thoughts <img").first().waitFor();
    await page.getByRole("searchbox", { name: "Search this transcript" }).fill("<script>");
    await page
      .getByRole("complementary", { name: "Search results" })
      .getByRole("button")
      .first()
      .waitFor();
    const transcript = await foreignElements(page);
    const runsInDashboard = runs;
    // Where it is taken for markup, the same text does run.
    await page.goto("about:blank");
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(hostile("control"))}`);
    await ran.opened;

    expect([room, messages, tasks, transcript]).toEqual([[], [], [], []]);
    expect(runsInDashboard).toBe(0);
    expect(browser.complaints).toEqual([]);
  });
});

/** What only somebody's text can have put there. */
function foreignElements(page: Page): Promise<string[]> {
  return page
    .locator(
      "#app :is(img, script, iframe, object, [srcdoc], [onload], [onerror], [href^='javascript:'])",
    )
    .evaluateAll((elements: { outerHTML: string }[]) => elements.map(({ outerHTML }) => outerHTML));
}
