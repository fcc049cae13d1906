import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { spawns } from "../e2e/promises/scenes.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";
import { gitIn, makeRepository } from "../support/repository.ts";

/** Removes a file on a branch, as somebody else does who has a work tree of it for that. */
async function removeOn(root: string, branch: string, file: string) {
  await using elsewhere = await temporaryDirectory();
  const other = join(elsewhere.path, "other");
  await gitIn(root, "worktree", "add", "-q", "--detach", other, branch);
  await gitIn(other, "rm", "-q", file);
  await gitIn(other, "commit", "-q", "-m", "removed");
  const commit = await gitIn(other, "rev-parse", "HEAD");
  await gitIn(root, "worktree", "remove", other);
  await gitIn(root, "update-ref", `refs/heads/${branch}`, commit);
}

describe.skipIf(noBrowser)(inBrowser, () => {
  test("P40 a landing is shown with what it changes, and lands or is discarded by a button", async () => {
    await using checkouts = await temporaryDirectory();
    const write = (content: string) => calls("write_file", { path: "a.txt", content });
    await using scene = await DashboardScene.open({
      lead: [spawns("alice", { isolation: "checkout" }), says("She is at it.")],
      alice: [
        calls("read_file", { path: "a.txt" }),
        write("alice's first\n"),
        says("Written."),
        write("alice's second\n"),
        says("Written again."),
      ],
    });
    const { root } = scene.wire;
    await makeRepository(root, { "a.txt": "the person's\n", ".gitignore": "*\n!a.txt\n" });
    const flags = ["--permission-mode", "bypassPermissions", "--sandbox", "off"];
    const team = scene.startTeam(...flags, "--landing", "ask", "--checkouts-dir", checkouts.path);
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    await page.goto((await scene.startDashboard()).address);
    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByText("No member has handed in work").waitFor();
    team.type("Go.");

    const first = page.getByRole("article", { name: "Landing 1 of alice" });
    await first.getByText("It waits for your decision").waitFor();
    await first.getByRole("button", { name: "Show what it changes" }).click();
    await first.getByText("alice's first").waitFor();
    const shown = await first.innerText();
    await first.getByRole("button", { name: "Land", exact: true }).click();
    await first.getByText("landed", { exact: true }).waitFor();
    const landed = await gitIn(root, "show", "troupe/default:a.txt");
    const branch = page.getByRole("region", { name: "Your branch" });
    await branch.getByRole("button", { name: "Bring what has landed" }).click();
    await branch.getByText("main has all that is on troupe/default now").waitFor();
    const brought = await readFile(join(root, "a.txt"), "utf8");
    const changed = await branch.getByRole("listitem").innerText();
    const places = page.getByRole("region", { name: "Checkouts" });
    await places.getByRole("button", { name: "Look again" }).click();
    await places.getByRole("row", { name: /alice/ }).waitFor();
    const place = await places.innerText();

    await removeOn(root, "troupe/default", "a.txt");
    team.type("@alice Again.");
    const second = page.getByRole("article", { name: "Landing 2 of alice" });
    await second.getByText("conflict", { exact: true }).waitFor();
    const conflict = await second.getByRole("list", { name: "In conflict" }).innerText();
    await second.getByRole("button", { name: "Show what it changes" }).click();
    await second.getByRole("button", { name: "Discard" }).click();
    await second.getByText("discarded", { exact: true }).waitFor();

    expect(shown).toMatch(/a\.txt[\s\S]*changed[\s\S]*\+1[\s\S]*−1/);
    expect(shown).toContain("the person's");
    expect(landed).toBe("alice's first");
    expect([brought, changed]).toEqual(["alice's first\n", "a.txt"]);
    expect(place).toContain(checkouts.path);
    expect(place).toMatch(/\d (?:k?B|MB)/);
    expect(conflict).toBe("a.txt");
    expect(browser.complaints).toEqual([]);
  });
});
