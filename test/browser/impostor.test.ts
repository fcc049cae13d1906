import { once } from "node:events";
import { createServer, get, type Server } from "node:http";
import type { Page, Request } from "playwright-core";
import { describe, expect, test } from "vitest";
import { says } from "../../src/testing/scripted-model.ts";
import { type Forged, headersOf, type Session, send } from "../server/door.ts";
import { inBrowser, noBrowser, TestBrowser } from "../support/browser.ts";
import { DashboardScene } from "../support/dashboard-scene.ts";

describe.skipIf(noBrowser)(inBrowser, () => {
  test("an open page does not trust a program that takes the dashboard's port, and sends it nothing that opens the next dashboard", async () => {
    await using scene = await DashboardScene.open({ lead: [says("Understood.")] });
    scene.startTeam().type("A word for the lead alone.");
    const dashboard = await scene.startDashboard();
    const port = Number(new URL(dashboard.address).port);
    await using browser = await TestBrowser.launch();
    const page = await browser.newPage();
    const asked: Forged[] = [];
    page.on("request", (request) => asked.push(forgedFrom(request, port)));
    await page.goto(dashboard.address);
    await page.getByText("A word for the lead alone.").first().waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("Not sent yet.");
    // Control: whoever has these is let in, as long as it is the same server.
    const live = await begun(asked.findLast(({ path }) => path.startsWith("/api/stream")));
    const liveKey = await send(signedRequest(port, await keptIn(page)));

    await dashboard.kill();
    await page.getByText("Connection lost").waitFor();
    const lost = await page.getByRole("status").first().innerText();
    await using impostor = await Impostor.take(port);
    await page.getByRole("heading", { name: "This dashboard has ended" }).waitFor();
    const shown = await page.locator("body").innerText();
    const sentByPage = impostor.seen.length;
    await page.reload();
    await page.getByText("The impostor's page").waitFor();
    const stolenKey = await keptIn(page);
    await impostor[Symbol.asyncDispose]();
    const next = await scene.startDashboard("--port", String(port));
    const stolen = impostor.seen.filter(({ path }) => path.startsWith("/api/"));
    const replays = await Promise.all(
      [...stolen, signedRequest(port, stolenKey)].map((each) => send(each)),
    );
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole("heading", { name: "This page needs a key" }).waitFor();
    await page.goto(next.address);
    await page.getByText("A word for the lead alone.").first().waitFor();

    expect([live, liveKey.status]).toEqual([200, 200]);
    expect(new URL(next.address).port).toBe(String(port));
    expect(lost).toContain("run troupe web for a new address");
    expect(shown).toContain("Run troupe web in your terminal to get a new address");
    expect(shown).toContain("Not sent yet.");
    expect(shown).not.toContain("impostor");
    // One knock, which says nothing of the team and nothing that the person wrote.
    expect(sentByPage).toBe(1);
    expect(impostor.seen[0]).toMatchObject({
      method: "GET",
      path: expect.stringMatching(/^\/api\/stream/),
    });
    expect(JSON.stringify(impostor.seen)).not.toContain("Not sent yet.");
    expect(replays.map(({ status }) => status)).toEqual([401, 401]);
    expect(browser.complaints).toEqual([]);
  });
});

const fakeState = `id: x.1\nevent: state\ndata: ${JSON.stringify({ version: "impostor" })}\n\n`;

/** Somebody else's server on the dashboard's port: it claims to have let the page in. */
class Impostor implements AsyncDisposable {
  readonly seen: Forged[] = [];
  readonly #server: Server;

  private constructor(port: number) {
    this.#server = createServer((request, response) => {
      const { method = "", url: path = "", headers } = request;
      this.seen.push({ port, method, path, headers });
      if (!path.startsWith("/api/")) {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<!doctype html><title>Troupe</title><p>The impostor's page</p>");
        return;
      }
      const proof = { "x-troupe-proof": String(headers["x-troupe-proof"]) };
      response.writeHead(200, { "content-type": "text/event-stream", ...proof });
      response.write(fakeState);
    });
  }

  static async take(port: number): Promise<Impostor> {
    const impostor = new Impostor(port);
    impostor.#server.listen(port, "127.0.0.1");
    await once(impostor.#server, "listening");
    return impostor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

/** What a script of the page's origin can read. */
async function keptIn(page: Page): Promise<Session> {
  const kept = await page.evaluate<string>("localStorage.getItem('troupe-session')");
  const [id = "", key = ""] = kept.split(" ");
  return { id, key };
}

function forgedFrom(request: Request, port: number): Forged {
  const { pathname, search } = new URL(request.url());
  const headers = { ...request.headers(), host: `127.0.0.1:${port}` };
  return { port, method: request.method(), path: `${pathname}${search}`, headers };
}

/** The status of a stream that is asked for, and left at once. */
async function begun(forged: Forged | undefined): Promise<number> {
  if (!forged) throw new Error("Nothing was asked for");
  const [answer] = await once(get({ ...forged, host: "127.0.0.1", agent: false }), "response");
  answer.destroy();
  return answer.statusCode;
}

function signedRequest(port: number, session: Session): Forged {
  const path = "/api/cost";
  const headers = { host: `127.0.0.1:${port}`, ...headersOf(session, { path }) };
  return { port, method: "GET", path, headers };
}
