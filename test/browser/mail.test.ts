import { describe, expect, test } from "vitest";
import { reply, says } from "../../src/testing/scripted-model.ts";
import { after, Latch, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";
import { occurrences } from "../support/team-on-wire.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("mail from the person to one and to all is seen by their models, and the timeline shows when", async () => {
    const busy = new Latch();
    await using scene = await DashboardScene.open({
      lead: [reply([spawns("alice"), spawns("bob")]), says("Both are here.")],
      alice: [after(busy, says("I have been thinking.")), says("I have read it.")],
      bob: [says("Ready.")],
    });
    scene.startTeam().type("Go.");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);
    const members = page.getByRole("navigation", { name: "Members" });
    // The lead may have unread mail as well: that its teammates are done.
    const alice = members.getByRole("link", { name: /alice/ });
    await Promise.all(["alice", "bob"].map((name) => scene.wire.requested(name, 1)));

    const text = page.getByRole("textbox", { name: "Message" });
    await page.getByRole("button", { name: "Write to alice" }).click();
    await text.fill("Leave <b>main</b> alone.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Sent to alice").waitFor();
    await page.getByRole("link", { name: "Messages" }).click();
    const row = page.getByRole("option", { name: /user to alice/ });
    await row.and(page.getByRole("option", { name: /queued/ })).waitFor();
    await alice.getByText("1 unread").waitFor();
    const queued = await row.getAttribute("aria-label");
    busy.open();
    await row.and(page.getByRole("option", { name: /seen after/ })).waitFor();
    const seen = await row.getAttribute("aria-label");

    await text.fill("@all Tests first.");
    await text.press("Control+Enter");
    await page.getByText("Sent to everybody").waitFor();
    const copies = page.getByRole("option", { name: /user to 3 members.*Tests first/ });
    await copies.and(page.getByRole("option", { name: /seen after/ })).waitFor();
    await copies.click();
    const recipients = page.getByRole("list", { name: "Recipients" }).getByRole("button");
    await recipients.nth(2).waitFor();
    const all = ["alice", "bob", "lead"];
    // What is seen is in the transcript; the model's request comes a moment later.
    await scene.wire.server.until(() =>
      all.every((name) => scene.wire.shownTo(name).includes("Tests first.")),
    );

    expect(queued).toMatch(
      /^\d\d:\d\d:\d\d user to alice, message, queued: Leave <b>main<\/b> alone\.$/,
    );
    expect(seen).toMatch(/ user to alice, message, seen after [\d.]+ m?s: /);
    expect((await recipients.allInnerTexts()).sort()).toEqual(all);
    for (const name of all) expect(occurrences(scene.wire.shownTo(name), "Tests first.")).toBe(1);
    expect(occurrences(scene.wire.shownTo("alice"), "Leave <b>main</b> alone.")).toBe(1);
    expect(browser.complaints).toEqual([]);
  });
});
