import { describe, expect, test } from "vitest";
import { reply } from "../../src/testing/scripted-model.ts";
import { never, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("one member is stopped, then all of them, and none without a confirmation", async () => {
    await using scene = await DashboardScene.open({
      lead: [reply([spawns("alice"), spawns("bob"), spawns("carol")]), never],
      alice: [never],
      bob: [never],
      carol: [never],
    });
    scene.startTeam().type("Go.");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);
    await Promise.all(["alice", "bob", "carol"].map((name) => scene.wire.requested(name, 1)));
    const members = page.getByRole("navigation", { name: "Members" });
    const counted = (name: string) => members.getByRole("button", { name }).waitFor();
    await counted("4 working");

    await page.getByRole("button", { name: "Stop alice" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const afterCancel = await scene.wire.statusOf("alice");
    await page.getByRole("button", { name: "Stop alice" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop alice" }).click();
    await counted("3 working");
    const afterOne = await Promise.all(["alice", "bob"].map((name) => scene.wire.statusOf(name)));

    await page.getByRole("button", { name: "Stop all members" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop all members" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await counted("3 shut down");
    await counted("1 idle");

    expect(afterCancel).toBe("working");
    expect(afterOne).toEqual(["shutdown", "working"]);
    expect(await scene.wire.statusOf("bob")).toBe("shutdown");
    expect(browser.complaints).toEqual([]);
  });
});
