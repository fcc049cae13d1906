import { describe, expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { lastResult, spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("P40 rules and modes are listed in the page, and what is taken back there asks again", async () => {
    await using scene = await DashboardScene.open({
      lead: [spawns("alice"), says("She is at it.")],
      alice: [
        says("I am there."),
        calls("bash", { command: "touch made.txt" }),
        says("Made."),
        calls("bash", { command: "touch more.txt" }),
        calls("write_file", { path: "a.txt", content: "a" }),
        says("Not made."),
      ],
    });
    const team = scene.startTeam("--allow", "bash(make:*)");
    team.type("Go.");
    await scene.wire.requested("lead", 2);
    team.type("/permissions allow bash(touch:*)");
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);
    await page.getByRole("link", { name: "Permissions" }).click();

    const rules = page.getByRole("region", { name: "Rules" });
    const modes = page.getByRole("region", { name: "Modes" });
    await rules.getByRole("row", { name: /allow bash\(touch:\*\) you added it/ }).waitFor();
    await modes.getByRole("row", { name: /alice default \(as the lead\)/ }).waitFor();
    await rules.getByRole("textbox", { name: "The new rule" }).fill("not a rule");
    await rules.getByRole("button", { name: "Add" }).click();
    const refusal = await rules.getByRole("alert").innerText();
    team.type("@alice Make it.");
    const allowed = await scene.wire.requested("alice", 3);

    await rules.getByRole("button", { name: "Remove allow bash(touch:*)" }).click();
    await rules.getByText("No rule was added to this team.").waitFor();
    const choice = modes.getByRole("combobox", { name: "New mode of alice" });
    await choice.selectOption("plan");
    // Choosing alone changes nothing.
    await modes.getByRole("row", { name: /alice default/ }).waitFor();
    await modes.getByRole("button", { name: "Change the mode of alice" }).click();
    await modes.getByRole("row", { name: /alice plan/ }).waitFor();
    team.type("@alice Make more.");
    const denied = await scene.wire.requested("alice", 5);
    const shown = await rules.innerText();

    expect(lastResult(allowed)).toMatchObject({ isError: false });
    expect(refusal).toContain("not a rule");
    expect(shown).not.toContain("bash(make:*)");
    expect(lastResult(denied)).toMatchObject({ isError: true });
    expect(browser.complaints).toEqual([]);
  });
});
