import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { after, Latch, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";
import { countShifts, faintTexts, namelessControls, takeShifts } from "../support/page-checks.ts";

const names = ["alice", "bob", "carol"];

describe.skipIf(noBrowser)(inBrowser, () => {
  test("in every view controls have names, text has enough contrast in both themes, and nothing moves while a team works", async () => {
    const start = new Latch();
    const worker = (next: string) => [
      after(start, calls("bash", { command: "echo one" })),
      reply([thinks("Let me see."), says("One."), calls("bash", { command: "ls nowhere" })]),
      calls("send_message", { to: next, content: `Look at this, ${next}.` }),
      calls("write_file", { path: "notes.txt", content: "A note.\n" }),
      says("Over."),
    ];
    await using scene = await DashboardScene.open({
      lead: [
        reply([
          calls("create_task", { subject: "First" }),
          calls("create_task", { subject: "Second", blocked_by: ["1"] }),
          ...names.map((name) => spawns(name)),
        ]),
        says("They are at it."),
      ],
      alice: worker("bob"),
      bob: worker("carol"),
      carol: worker("alice"),
    });
    scene.startTeam().type("Go.");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await countShifts(page);
    await page.goto((await scene.startDashboard()).address);
    await scene.wire.requested("lead", 2);
    for (const name of names) {
      await scene.wire.requested(name, 1);
      await page.locator(`[data-member=${name}]`).waitFor();
    }

    await takeShifts(page);
    start.open();
    await page
      .getByRole("article", { name: /wants to use/ })
      .nth(2)
      .waitFor();
    const shifts = await takeShifts(page);
    const found: Record<string, unknown> = {};
    for (const [view, open] of Object.entries(views)) {
      await open(page);
      found[view] = await looked(page);
    }

    expect(
      shifts.reduce((sum, { value }) => sum + value, 0),
      JSON.stringify(shifts),
    ).toBeLessThan(0.01);
    expect(found).toEqual(
      Object.fromEntries(
        Object.keys(views).map((view) => [view, { h1: 1, nameless: [], light: [], dark: [] }]),
      ),
    );
    expect(browser.complaints).toEqual([]);
  });

  test("control: a page with a nameless button, a faint text and a moving part is detected", async () => {
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await countShifts(page);
    await page.goto("data:text/html,<p style='color:%23999'>faint</p><button></button>");
    const nameless = await namelessControls(page);
    const faint = await faintTexts(page);
    await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
      document.body.prepend(Object.assign(document.createElement("h1"), { textContent: "New" }));
      requestAnimationFrame(() => requestAnimationFrame(done));
    })))`);

    expect(nameless).toEqual(["button"]);
    expect(faint).toEqual(["2.85  faint"]);
    expect(await takeShifts(page)).toMatchObject([{ value: expect.any(Number) }]);
    expect(browser.complaints).toEqual([]);
  });
});

/** How a person comes to each view, with all that can be opened there. */
const views: Record<string, (page: Page) => Promise<void>> = {
  room: async (page) => {
    await page.getByRole("main").waitFor();
    await page.getByRole("banner").waitFor();
    await page.getByRole("complementary", { name: "Waiting for you" }).waitFor();
  },
  messages: async (page) => {
    await page.keyboard.press("2");
    await page.getByRole("option", { name: /alice to bob/ }).click();
    await page.getByRole("complementary", { name: "Message" }).waitFor();
  },
  tasks: async (page) => {
    await page.keyboard.press("3");
    await page.getByRole("main").getByText("Second").first().click();
  },
  cost: async (page) => {
    await page.keyboard.press("4");
    await page.getByRole("main").getByText("alice").first().waitFor();
  },
  permissions: async (page) => {
    await page.keyboard.press("5");
    await page.getByRole("region", { name: "Modes" }).getByText("alice").first().waitFor();
    await page.getByRole("textbox", { name: "The new rule" }).fill("read_file(.env)");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: "Remove deny read_file(.env)" }).waitFor();
  },
  member: async (page) => {
    await page.getByRole("navigation", { name: "Members" }).getByText("alice").click();
    await page.getByRole("searchbox", { name: "Search this transcript" }).fill("one");
    await page
      .getByRole("complementary", { name: "Search results" })
      .getByRole("button")
      .first()
      .waitFor();
    await page.getByRole("log").press("e");
  },
  help: async (page) => {
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
  },
  stop: async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Stop all members" }).click();
    await page.getByRole("dialog", { name: "Stop all members" }).waitFor();
  },
  narrow: async (page) => {
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 700, height: 900 });
    await page.getByRole("button", { name: "Waiting for you: 3" }).click();
  },
};

async function looked(page: Page) {
  const h1 = await page.getByRole("heading", { level: 1, includeHidden: true }).count();
  const nameless = await namelessControls(page);
  return { h1, nameless, light: await faintIn(page, "light"), dark: await faintIn(page, "dark") };
}

async function faintIn(page: Page, colorScheme: "light" | "dark"): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
  return faintTexts(page);
}
