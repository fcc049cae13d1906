import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { lastResult, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";
import { shownIn } from "../support/team-on-wire.ts";

const runs = (command: string) => calls("bash", { command });
const question = (page: Page) => page.getByRole("article", { name: /^alice (wants|submits)/ });

describe.skipIf(noBrowser)(inBrowser, () => {
  test("commands and edits are shown exactly, and run only if the person allows them in the page", async () => {
    await using scene = await DashboardScene.open({
      lead: [spawns("alice"), says("She is at it.")],
      alice: [
        runs("echo 'ab\u200bc\u202ed' | tee made.txt"),
        runs("rm notes.txt"),
        reply([
          calls("read_file", { path: "notes.txt" }),
          calls("edit_file", { path: "notes.txt", old_text: "first\nold", new_text: "first\nnew" }),
        ]),
        runs("touch one.txt"),
        runs("touch two.txt"),
        says("All done."),
      ],
    });
    await writeFile(join(scene.wire.root, "notes.txt"), "first\nold\nlast\n");
    scene.startTeam().type("Go.");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);

    const asked = question(page).getByRole("region", { name: "The call" });
    await asked.waitFor();
    const shownCommand = await asked.innerText();
    const title = await page.title();
    await answer(page, "Allow once");
    const made = await scene.wire.made("made.txt");

    await asked.getByText("rm notes.txt").waitFor();
    await page.getByLabel("Reason for denying (optional)").fill("Not in this directory.");
    await answer(page, "Deny");
    const denied = await scene.wire.requested("alice", 3);

    await question(page).getByText("wants to use edit_file").waitFor();
    const diff = question(page).getByRole("region", { name: "The change" });
    const shownDiff = (await diff.innerText()).split("\n").filter((line) => line.trim() !== "");
    await answer(page, "Allow once");

    await asked.getByText("touch one.txt", { exact: true }).waitFor();
    const rule = await question(page).locator(".rule").innerText();
    await answer(page, "Always");
    await page.getByText("No open questions. Questions and plans appear here.").waitFor();
    await page.getByRole("navigation", { name: "Members" }).getByText("alice").click();
    const log = page.getByRole("log", { name: "Transcript of alice" });
    await log.getByText("All done.").waitFor();
    await log.getByRole("button", { name: /^ok: bash echo/ }).click();
    const output = (await log.getByRole("region", { name: "Output" }).first().innerText()).trim();

    expect(shownCommand.trim()).toBe("echo 'ab<U+200B>c<U+202E>d' | tee made.txt");
    expect(title).toMatch(/^\(1\) /);
    expect(made).toBe("ab\u200bc\u202ed");
    expect(output).toBe(made);
    expect(lastResult(denied)).toMatchObject({
      isError: true,
      text: expect.stringContaining("Not in this directory."),
    });
    expect(shownDiff).toEqual([" first", "−old", "+new"]);
    expect(await readFile(join(scene.wire.root, "notes.txt"), "utf8")).toBe("first\nnew\nlast\n");
    expect(rule).toBe("“Always” would allow bash(touch:*)");
    // The last command asked nobody: the rule covers it.
    expect(existsSync(join(scene.wire.root, "two.txt"))).toBe(true);
    expect(scene.wire.requestsOf("alice")).toHaveLength(6);
    expect(browser.complaints).toEqual([]);
  });

  test("a plan is rejected with feedback, and the next one opens the gate", async () => {
    await using scene = await DashboardScene.open({
      lead: [spawns("alice", { plan_required: true }), says("She plans.")],
      alice: [
        calls("plan_approval", { plan: "1. Delete everything.\n2. Begin anew." }),
        says("I wait."),
        runs("touch early.txt"),
        calls("plan_approval", { plan: "1. Write one test." }),
        says("I wait again."),
        runs("touch planned.txt"),
        says("Done as planned."),
      ],
    });
    const flags = ["--plan-approval", "user", "--permission-mode", "bypassPermissions"];
    scene.startTeam(...flags).type("Go.");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);

    const plan = question(page).getByRole("region", { name: "The plan" });
    await plan.getByText("Delete everything").waitFor();
    const firstPlan = await plan.getByRole("listitem").allInnerTexts();
    await page.getByLabel("What should change (optional)").fill("Keep what there is.");
    await answer(page, "Reject");
    await plan.getByText("Write one test.").waitFor();
    const beforeApproval = existsSync(join(scene.wire.root, "planned.txt"));
    await answer(page, "Approve");
    await scene.wire.requested("alice", 7);
    await page.getByText("Decided · 2").click();
    await page.locator(".settled-state").nth(1).waitFor();
    const decided = await page.locator(".settled-state").allInnerTexts();

    expect(firstPlan.map((item) => item.trim())).toEqual(["Delete everything.", "Begin anew."]);
    expect(shownIn(await scene.wire.requested("alice", 3))).toContain("Keep what there is.");
    expect(lastResult(await scene.wire.requested("alice", 4))?.isError).toBe(true);
    expect(existsSync(join(scene.wire.root, "early.txt"))).toBe(false);
    expect(beforeApproval).toBe(false);
    expect(existsSync(join(scene.wire.root, "planned.txt"))).toBe(true);
    expect(decided).toEqual(["approved by you", "rejected by you"]);
    expect(browser.complaints).toEqual([]);
  });
});

/** Answers once the question has stood still for long enough to be answered. */
async function answer(page: Page, name: string): Promise<void> {
  await question(page).locator("button[aria-disabled=false]", { hasText: name }).click();
}
