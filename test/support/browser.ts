import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { missing } from "./missing.ts";

/** What the browser is called on the systems that have it, the person's own choice first. */
const candidates = [
  process.env.CHROMIUM,
  ...(process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((directory) =>
      ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map((name) =>
        join(directory, name),
      ),
    ),
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const executablePath = candidates.find((path) => path && existsSync(path));

/** Why there can be no browser here, and how to get one; undefined where there can. */
export const noBrowser = missing(
  executablePath
    ? undefined
    : "no Chromium was found: install it (Debian, Ubuntu: apt-get install chromium; macOS: brew install chromium), or name it in CHROMIUM",
);

/** The title of a file's browser tests: where they are skipped, it says what is missing. */
export const inBrowser = noBrowser ?? "in a browser";

/** A browser that nobody sees, and what went wrong in its pages. */
export class TestBrowser implements AsyncDisposable {
  /** What pages complained of, and requests to anywhere but their own server. */
  readonly complaints: string[] = [];
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<TestBrowser> {
    if (executablePath === undefined) throw new Error(noBrowser);
    // In a container there are no namespaces for its own sandbox, and hardly any shared memory.
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A page of a person of its own: nothing is shared with other pages. */
  async newPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    this.#listen(context);
    return await context.newPage();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }

  #listen(context: BrowserContext): void {
    context.on("weberror", (error) => this.complaints.push(`uncaught: ${error.error().message}`));
    context.on("console", (message) => {
      // A server that is away is told of by the browser itself.
      const isNetwork = /^Failed to load resource/.test(message.text());
      if (message.type() === "error" && !isNetwork) this.complaints.push(message.text());
    });
    context.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url());
      const isOwn = hostname === "127.0.0.1" || protocol === "data:" || protocol === "file:";
      if (!isOwn) this.complaints.push(`request to ${request.url()}`);
    });
  }
}
