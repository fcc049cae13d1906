import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CDPSession } from "playwright-core";
import { z } from "zod";
import { TestBrowser } from "../../test/support/browser.ts";
import { Running } from "../../test/support/dashboard-scene.ts";
import { rounds } from "../lib/alternate.ts";
import { formatCount, formatMegabytes, formatMs, formatRate } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";
import { atMost } from "../team/at-most.ts";
import { CrowdFigures } from "./contract.ts";
import { writeCrowd, writeLongLife } from "./teams.ts";
import type { Workbench } from "./workbench.ts";

const members = 200;
const eventsPerSecond = 20;
const mailPerSecond = 50;
const seconds = 20;
const long = 100_000;

/** Two frames of a screen that shows 60 a second. */
const fluidMs = 33;

const views: readonly { name: string; hash: string; shown: string }[] = [
  { name: "the overview", hash: "#/", shown: ".card" },
  { name: "messages", hash: "#/messages", shown: ".sequence-row" },
  { name: "a transcript", hash: "#/members/m0", shown: ".log .row" },
];

interface Look {
  view: string;
  frames: number[];
  longTasks: number[];
  /** How often the page has changed: a page without changes would be fluid, too. */
  drawings: number;
  heapGrowth: number;
}

/** A real browser with a large team at work, view by view. */
export async function measureFluency(workbench: Workbench): Promise<Section> {
  const looks: Look[] = [];
  for (const view of views) looks.push(await lookAt(workbench, view));
  return {
    title: "In a browser",
    about: `Headless Chromium before ${members} members with ${eventsPerSecond} events a second each and ${mailPerSecond} messages a second between them, for ${seconds} s a view; the transcript is that of a member who writes ${mailPerSecond} entries a second. A frame is the time from one \`requestAnimationFrame\` to the next; a long task is one of more than 50 ms; a drawing is a change of the page. The team, the server and the browser share the machine.`,
    table: {
      head: [
        "view",
        "frame p50",
        "p95",
        "p99",
        "longest",
        "long tasks",
        "drawings",
        "heap grows by",
      ],
      rows: looks.map(({ view, frames, longTasks, drawings, heapGrowth }) => [
        view,
        ...[0.5, 0.95, 0.99, 1].map((share) => formatMs(percentile(frames, share))),
        formatCount(longTasks.length),
        formatRate(drawings / seconds),
        formatMegabytes(heapGrowth),
      ]),
    },
    targets: looks.map(({ view, frames }) =>
      atMost(`95 of 100 frames of ${view}, ${members} members at work`, {
        ...{ figure: percentile(frames, 0.95), target: fluidMs, format: formatMs },
      }),
    ),
  };
}

/** From the request for the page to the first member in it, with a newly started server. */
export async function measureFirstSight(workbench: Workbench): Promise<Section> {
  const grown = await workbench.directory("first-sight-long");
  await writeLongLife(grown, long);
  const crowded = await workbench.directory("first-sight-crowd");
  await writeCrowd(crowded, members);
  const teams = [
    { name: `${formatCount(long)} messages and entries`, directory: grown, tookMs: [] as number[] },
    { name: `${members} teammates`, directory: crowded, tookMs: [] as number[] },
  ];
  await using browser = await TestBrowser.launch();
  for (let round = 0; round < rounds; round++) {
    for (const { directory, tookMs } of teams) tookMs.push(await firstSight(browser, directory));
  }
  return {
    title: "The first screen in a browser",
    about:
      "From the request for the page to the first member in sight, in a browser that has nothing of it yet, by a server that has just been started.",
    table: {
      head: ["team", "first member in sight", "slowest"],
      rows: teams.map(({ name, tookMs }) => [
        name,
        formatMs(median(tookMs)),
        formatMs(percentile(tookMs, 1)),
      ]),
    },
    // The target is for a long history; a large team is measured in addition.
    targets: teams.slice(0, 1).map(({ name, tookMs }) =>
      atMost(`first screen in a browser of a team with ${name}`, {
        ...{ figure: median(tookMs), target: 1_000, format: formatMs },
      }),
    ),
  };
}

async function lookAt(workbench: Workbench, view: (typeof views)[number]): Promise<Look> {
  const directory = await workbench.directory(`fluency-${view.name.replaceAll(" ", "-")}`);
  const names = await writeCrowd(directory, members);
  await using crowd = await workbench.start("crowd", { directory, members: names });
  await using server = await Served.start(directory);
  await using browser = await TestBrowser.launch();
  const page = await browser.newPage();
  await page.goto(server.address);
  await page.locator(".card").first().waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(view.hash)}`);
  await page.locator(view.shown).first().waitFor();
  const session = await page.context().newCDPSession(page);
  const before = await heapOf(session);
  const working = crowd.ask({ seconds, eventsPerSecond, mailPerSecond }, CrowdFigures);
  const watched = Watched.parse(await page.evaluate(watchFrames(seconds)));
  const heapGrowth = (await heapOf(session)) - before;
  await working;
  return { view: view.name, ...watched, heapGrowth };
}

async function firstSight(browser: TestBrowser, directory: string): Promise<number> {
  await using server = await Served.start(directory);
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(server.address, { waitUntil: "commit" });
  await page.locator(".rail-member .rail-name").first().waitFor();
  const tookMs = performance.now() - began;
  await page.context().close();
  return tookMs;
}

/** `troupe web` for a team, as published. */
class Served implements AsyncDisposable {
  readonly address: string;
  readonly #running: Running;

  private constructor(address: string, running: Running) {
    this.address = address;
    this.#running = running;
  }

  static async start(directory: string): Promise<Served> {
    if (!existsSync(resolve("dist/web/index.html"))) throw new Error("Run `npm run build` first");
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: directory,
      XDG_STATE_HOME: join(directory, "state"),
    };
    const running = new Running(["web"], { cwd: directory, env });
    return new Served(await running.printed(/^http:\S+$/), running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.kill();
  }
}

const Watched = z.object({
  frames: z.array(z.number()),
  longTasks: z.array(z.number()),
  drawings: z.int().positive(),
});

/** In the page: the duration of each frame, and each long task. */
function watchFrames(seconds: number): string {
  return `new Promise((done) => {
    const frames = [];
    const longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longTasks.push(duration);
    }).observe({ type: "longtask" });
    let drawings = 0;
    const everything = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(() => drawings++).observe(document.body, everything);
    let last;
    let first;
    const look = (now) => {
      first ??= now;
      if (last !== undefined) frames.push(now - last);
      last = now;
      if (now - first < ${seconds * 1000}) requestAnimationFrame(look);
      else done({ frames, longTasks, drawings });
    };
    requestAnimationFrame(look);
  })`;
}

const Metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

/** The memory of the page's script after a garbage collection. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Performance.enable");
  const { metrics } = Metrics.parse(await session.send("Performance.getMetrics"));
  return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN;
}
