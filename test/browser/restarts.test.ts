import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { MessageView } from "../../src/protocol/dashboard.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { memberNames } from "../../src/team/find-member.ts";
import { mailNewestFirst } from "../../src/team/view/read-pages.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { never, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";
import { viewTeam } from "../support/team.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("the page continues when the team is killed and restarted, and says what to do when its own server is: nothing missing, nothing twice", async () => {
    await using scene = await DashboardScene.open({
      lead: [
        reply([spawns("alice", { prompt: "Make it." }), spawns("bob", { prompt: "Wait." })]),
        says("Both are here."),
      ],
      alice: [calls("bash", { command: "echo one >> made.txt" }), says("Made.")],
      bob: [never, says("I have read it."), says("And that.")],
    });
    const team = scene.startTeam();
    team.type("Go.");
    const dashboard = await scene.startDashboard();
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto(dashboard.address);
    await page.evaluate("globalThis.isSamePage = true");
    const strip = page.getByRole("status").first();
    await scene.wire.requested("bob", 1);
    await page.getByRole("article", { name: "alice wants to use bash" }).waitFor();
    await write(page, "@bob Before the kill.");
    await page.getByRole("link", { name: "Messages" }).click();
    await row(page, /user to bob, message, queued: Before/).waitFor();

    await team.kill();
    await strip.getByText("This team is not running.").waitFor();
    await page.locator("button[aria-disabled=false]", { hasText: "Allow once" }).click();
    await page.getByText("taken up when the team runs again").waitFor();
    await write(page, "@bob While nobody runs it.");
    await row(page, /user to bob, message, queued: While/).waitFor();
    const again = scene.startTeam();
    await strip.getByText("Live").waitFor();
    await row(page, /user to bob, message, seen after .*: Before/).waitFor();
    await row(page, /user to bob, message, seen after .*: While/).waitFor();
    await row(page, /alice to lead, result, seen after .*: Made/).waitFor();
    const made = await scene.wire.made("made.txt");

    await dashboard.kill();
    await strip.getByText("Connection lost").waitFor();
    again.type("@bob While nobody looks.");
    await scene.wire.requested("bob", 3);
    const told = await strip.innerText();
    const isSamePage = await page.evaluate("globalThis.isSamePage");
    await page.goto((await scene.startDashboard()).address);
    await strip.getByText("Live").waitFor();
    await page.getByRole("link", { name: "Messages" }).click();
    await row(page, /user to bob, message, seen after .*: While nobody looks/).waitFor();
    await row(page, /bob to lead, result, seen after .*: And that/).waitFor();
    const shownMail = await row(page, /./).evaluateAll(labels);
    await page.getByRole("navigation", { name: "Members" }).getByText("bob").click();
    const log = page.getByRole("log", { name: "Transcript of bob" });
    await log.getByText("And that.").waitFor();
    const shownRows = await log.getByRole("article").evaluateAll(labels);

    expect(made).toBe("one");
    expect(shownMail.map(withoutTimes).sort()).toEqual((await mailOnDisk(scene)).sort());
    expect(shownRows.map(withoutTimes)).toEqual(await rowsOnDisk(scene, "bob"));
    expect(told).toContain("If the dashboard was stopped, run troupe web for a new address");
    expect(isSamePage).toBe(true);
    expect(browser.complaints).toEqual([]);
  });
});

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Sent to").waitFor();
}

function row(page: Page, name: RegExp) {
  const timeline = page.getByRole("listbox", { name: "Messages, oldest first" });
  return timeline.getByRole("option", { name });
}

function labels(elements: { getAttribute(name: string): string | null }[]): string[] {
  return elements.map((element) => element.getAttribute("aria-label") ?? "");
}

/** As when nobody looks at a watch: sent and seen by whom, and what. */
function withoutTimes(label: string): string {
  return label
    .replace(/^[\d:]+ /, "")
    .replace(/ after [\d.]+ m?s/, "")
    .replace(/, .*\d\d:\d\d.*$/, "");
}

const words: Partial<Record<MessageView["type"], string>> = {
  message: "message",
  result: "result",
};

/** The mail that the timeline shows unless a person wants another, from the files themselves. */
async function mailOnDisk({ wire }: DashboardScene): Promise<string[]> {
  const view = viewTeam(wire.root);
  const found: string[] = [];
  for (const owner of memberNames(await view.team())) {
    for await (const record of mailNewestFirst(view, owner)) {
      if (record.state === "set aside") throw new Error("A line was set aside");
      const { message } = record;
      const word = words[message.type];
      const text = "content" in message ? message.content : "";
      if (word) found.push(`${message.from} to ${owner}, ${word}, seen: ${text}`);
    }
  }
  return found;
}

/** The rows that a transcript makes, from the file itself. */
async function rowsOnDisk({ wire }: DashboardScene, member: string): Promise<string[]> {
  const rows: string[] = [];
  for (const entry of await wire.transcriptOf(member)) {
    if (entry.type === "delivery") rows.push(`Mail from ${entry.message.from}`);
    else if (entry.type === "reply") rows.push(...entry.blocks.map(() => "Reply"));
    else rows.push(...(rowNames[entry.type] ?? []));
  }
  return rows;
}

const rowNames: Partial<Record<TranscriptEntry["type"], readonly string[]>> = {
  profile: ["Profile"],
  note: ["Note"],
  "run-start": ["Run"],
  "run-end": ["End of the run"],
};
