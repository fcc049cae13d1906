import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

/** Looks like a key, and is in no environment. */
const canary = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("an exported run shows what the live page shows, without a server, a request or a secret", async () => {
    await using scene = await DashboardScene.open({
      lead: [spawns("alice"), says("She is at it.")],
      alice: [calls("bash", { command: `echo ${canary}` }), says("All is written.")],
    });
    scene.startTeam().type("Go.");
    await using browser = await TestBrowser.launch();
    const live = await browser.newPage();
    await live.goto((await scene.startDashboard()).address);
    await live.getByRole("link", { name: "Messages" }).click();
    await live
      .getByRole("option", { name: /alice to lead, result, seen .*All is written/ })
      .waitFor();

    await scene.run("export", "run.html").printed(/masked secrets: [1-9]/);
    const path = join(scene.wire.root, "run.html");
    const recorded = await browser.newPage();
    const requests: string[] = [];
    recorded.on("request", (request) => requests.push(request.url()));
    await recorded.goto(pathToFileURL(path).href);
    await recorded.getByText(/^A recording of/).waitFor();
    await recorded.getByRole("link", { name: "Messages" }).click();
    const [shown, exported] = [await look(live), await look(recorded)];
    const buttons = recorded.getByRole("button", { name: /^(Stop|Send|Write to)/ });

    expect(exported).toEqual(shown);
    expect(exported.mail.length).toBeGreaterThan(2);
    expect(exported.transcript.join()).toContain("All is written.");
    expect(await buttons.count()).toBe(0);
    expect(await readFile(path, "utf8")).not.toContain(canary);
    // The browser itself asks for the file, and for pictures that the page has in it.
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(path).href]);
    expect(browser.complaints).toEqual([]);
  });
});

/** The timeline and alice's transcript, as a page that shows the messages has them. */
async function look(page: Page): Promise<{ mail: string[]; transcript: string[] }> {
  const timeline = page.getByRole("listbox", { name: "Messages, oldest first" });
  await timeline.getByRole("option", { name: /All is written/ }).waitFor();
  const labelled = await timeline.getByRole("option").evaluateAll(labels);
  // A live page has the time from the event, which comes a moment after the transcript's entry.
  const mail = labelled.map((label) => label.replace(/seen after [^:]*:/, "seen soon:"));
  await page.getByRole("navigation", { name: "Members" }).getByText("alice").click();
  const log = page.getByRole("log", { name: "Transcript of alice" });
  await log.getByText("All is written.").waitFor();
  const transcript = await log.getByRole("article").allTextContents();
  return { mail, transcript: transcript.map((text) => text.replaceAll(canary, "[secret]")) };
}

function labels(elements: { getAttribute(name: string): string | null }[]): string[] {
  return elements.map((element) => element.getAttribute("aria-label") ?? "");
}
