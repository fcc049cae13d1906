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

    const views = page.getByRole("navigation", { name: "Views" });
    for (const [key, title] of viewKeys) {
      await press(key);
      await views.locator("[aria-current=page]", { hasText: title }).waitFor();
    }
    for (const theme of ["light", "dark", "light"]) {
      await press("t");
      await page.locator(`html[data-theme=${theme}]`).waitFor();
    }
    await press("?");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    expect(made).toBe("needle");
    expect(scene.wire.shownTo("alice")).toContain("Thank you, alice.");
    expect(browser.complaints).toEqual([]);
  });
});

const viewKeys = [
  ["2", "Messages"],
  ["3", "Tasks"],
  ["4", "Cost"],
  ["5", "Permissions"],
  ["1", "Overview"],
] as const;

function isFocused(element: { ownerDocument: { activeElement: unknown } }): boolean {
  return element === element.ownerDocument.activeElement;
}
