import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("everything works by keyboard: answering, opening a member, writing, searching, switching views and the theme", async () => {
    await using scene = await DashboardScene.open({
      lead: [spawns("alice"), says("She is at it.")],
      alice: [
        calls("bash", { command: "echo needle > made.txt" }),
        says("It is there."),
        says("Read by alice."),
      ],
    });
    scene.startTeam().type("Go.");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const question = page.getByRole("article", { name: "alice wants to use bash" });
    await question.locator("button[aria-disabled=false]").first().waitFor();

    await press("q");
    await page.locator("article.question:focus").waitFor();
    // Letters answer nothing: they could be meant for a field that does not have the focus.
    await press("a", "A", "d", "y");
    const allow = question.getByRole("button", { name: "Allow once" });
    for (let step = 0; step < 10 && !(await allow.evaluate(isFocused)); step++) await press("Tab");
    await press("Enter");
    const made = await scene.wire.made("made.txt");
    await question.waitFor({ state: "detached" });

    await press("j", "j");
    await page.locator("[data-member=alice]:focus").waitFor();
    await press("Enter");
    await page
      .getByRole("log", { name: "Transcript of alice" })
      .getByText("It is there.")
      .waitFor();
    await press("w");
    await page.keyboard.type("Thank you, alice.");
    await press("Control+Enter");
    await page.getByText("Read by alice.").waitFor();
    await press("Escape", "/");
    await page.keyboard.type("needle");
    await press("Enter");
    const found = page.getByRole("complementary", { name: "Search results" });
    await found.locator("[aria-current=true]").waitFor();
    await page.locator(".row.is-target").waitFor();
    await press("Escape", "Escape");

    const titles: string[] = [];
    for (const key of ["2", "3", "4", "5", "1"]) {
      await press(key);
      titles.push(await currentView(page));
    }
    const themes: (string | null)[] = [];
    for (const key of ["t", "t", "t"]) {
      await press(key);
      themes.push(await page.locator("html").getAttribute("data-theme"));
    }
    await press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    expect(made).toBe("needle");
    expect(scene.wire.shownTo("alice")).toContain("Thank you, alice.");
    expect(titles).toEqual(["Messages", "Tasks", "Cost", "Permissions", "Overview"]);
    expect(themes).toEqual(["light", "dark", "light"]);
    expect(browser.complaints).toEqual([]);
  });
});

function currentView(page: Page): Promise<string> {
  return page.getByRole("navigation", { name: "Views" }).locator("[aria-current=page]").innerText();
}

function isFocused(element: { ownerDocument: { activeElement: unknown } }): boolean {
  return element === element.ownerDocument.activeElement;
}
