import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { Access } from "../../src/server/access.ts";
import { DashboardRecord } from "../../src/server/dashboard-record.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";
import { teamPlace } from "../support/team.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("an address admits one browser, once and within its time; without one, nothing of the team is shown", async () => {
    await using scene = await DashboardScene.open({ lead: [says("Understood.")] });
    scene.startTeam().type("A word for the lead alone.");
    const dashboard = await scene.startDashboard();
    const { origin, hash } = new URL(dashboard.address);
    await using browser = await TestBrowser.launch();

    const stranger = await browser.newPage();
    await stranger.goto(origin);
    await stranger.getByRole("heading", { name: "This page needs a key" }).waitFor();
    const strangersPage = await stranger.locator("body").innerText();
    const refused = await stranger.evaluate<number[]>(
      `Promise.all(${JSON.stringify(paths)}.map((path) => fetch(path).then(({ status }) => status)))`,
    );

    const person = await browser.newPage();
    await person.goto("about:blank");
    await person.goto(dashboard.address);
    await person.getByText("A word for the lead alone.").first().waitFor();
    const address = person.url();
    const cookies = await person.context().cookies();
    const seenByScript = await person.evaluate(
      "document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })",
    );
    await person.goBack();
    await person.goForward();
    await person.getByText("A word for the lead alone.").first().waitFor();
    const addressAgain = person.url();

    const late = await browser.newPage();
    await late.goto(dashboard.address);
    await late.getByRole("heading", { name: "This address has been used" }).waitFor();
    const latesPage = await late.locator("body").innerText();
    await late.goto("about:blank");
    await late.goto(`${origin}/#token=${await expiredToken(scene)}`);
    await late.getByRole("heading", { name: "This address has been used" }).waitFor();
    await late.goto((await scene.startDashboard()).address);
    await late.getByText("A word for the lead alone.").first().waitFor();

    expect(strangersPage).toContain("Run troupe web in your terminal to get a new address");
    expect(strangersPage).not.toContain("A word for");
    expect(refused).toEqual(paths.map(() => 401));
    expect(hash).toMatch(/^#token=/);
    expect([address, addressAgain]).toEqual([`${origin}/#/`, `${origin}/#/`]);
    expect(cookies).toEqual([]);
    for (const part of hash.slice("#token=".length).split(".")) {
      expect(seenByScript).not.toContain(part);
    }
    expect(latesPage).toContain("Run troupe web in your terminal to get a new address");
    expect(browser.complaints).toEqual([]);
  });
});

const paths = ["/api/stream", "/api/messages", "/api/members/lead/transcript", "/api/cost"];

/** A token as this dashboard gives them, of an hour and more ago. */
async function expiredToken({ wire }: DashboardScene): Promise<string> {
  const record = await DashboardRecord.open(join(wire.root, ".team"), teamPlace(wire.root));
  const [serving] = await record.running(systemProcesses);
  if (!serving) throw new Error("Nobody serves it");
  const now = () => new Date(Date.now() - 61 * 60 * 1000);
  return new Access({ secret: Buffer.from(serving.secret, "hex"), now }).newToken();
}
