import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { DirectoryWatch, type WatchFileSystem } from "../../src/lib/directory-watch.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const refuse = (message: string) => () => {
  throw new Error(message);
};

test("an append, a replacement and a late creation wake by events alone", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  using watched = open(directory.path, { clock });
  const { path, next } = subscribe(watched, directory.path, "ada.jsonl");
  expect(watched.mode).toBe("events");

  let woken = next();
  await writeFile(path, "created\n");
  await woken;
  woken = next();
  await appendFile(path, "appended\n");
  await woken;
  woken = next();
  await rename(path, join(directory.path, "rotated"));
  await woken;
  woken = next();
  await writeFile(join(directory.path, "temporary"), "replaced\n");
  await rename(join(directory.path, "temporary"), path);
  await woken;

  // The clock stood still, so no poll has helped.
  expect(clock.monotonicMs()).toBe(0);
});

test("only the changed file's subscribers are woken, and only until they unsubscribe", async () => {
  await using directory = await temporaryDirectory();
  using watched = open(directory.path, { clock: new ManualClock() });
  const ada = subscribe(watched, directory.path, "ada.jsonl");
  const bob = subscribe(watched, directory.path, "bob.jsonl");
  const gone = subscribe(watched, directory.path, "bob.jsonl");
  gone.leave();

  const woken = bob.next();
  await writeFile(bob.path, "hello\n");
  await woken;

  expect(ada.wakes()).toBe(0);
  expect(gone.wakes()).toBe(0);
});

test("without events the poll sees appends, rotations, late creations and removals", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  using watched = open(directory.path, { clock, watch: refuse("ENOSPC") });
  const { path, wakes } = subscribe(watched, directory.path, "ada.jsonl");

  await writeFile(path, "created\n");
  clock.advance(1_000);
  expect(wakes()).toBe(1);
  await appendFile(path, "appended\n");
  clock.advance(1_000);
  expect(wakes()).toBe(2);
  await rename(path, join(directory.path, "rotated"));
  await writeFile(path, "created\nappended\n");
  clock.advance(1_000);
  expect(wakes()).toBe(3);
  await rm(path);
  clock.advance(1_000);
  expect(wakes()).toBe(4);

  clock.advance(10_000);
  expect(wakes()).toBe(4);
});

test("a change of any file is reported with its name, by events alone", async () => {
  await using directory = await temporaryDirectory();
  using watched = open(directory.path, { clock: new ManualClock() });
  const reported = new Promise((resolve) => watched.subscribeAll(resolve));

  await writeFile(join(directory.path, "new.json"), "{}");

  expect(await reported).toBe("new.json");
});

test("without events a change of any file is reported without its name, and once more for sure", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  using watched = open(directory.path, { clock, watch: refuse("ENOSPC") });
  const reported: unknown[] = [];
  const stop = watched.subscribeAll((fileName) => reported.push(fileName));

  clock.advance(10_000);
  expect(reported).toEqual([]);
  await writeFile(join(directory.path, "new.json"), "{}");
  clock.advance(1_000);
  expect(reported).toEqual([undefined]);
  clock.advance(10_000);
  expect(reported).toEqual([undefined, undefined]);
  stop();
  await writeFile(join(directory.path, "newer.json"), "{}");
  clock.advance(10_000);
  expect(reported).toHaveLength(2);
});

test("the poll runs in addition to the events and makes up for a lost one", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  using watched = open(directory.path, { clock, watch: deaf().watch });
  const { path, wakes } = subscribe(watched, directory.path, "ada.jsonl");

  await writeFile(path, "hello\n");
  clock.advance(1_000);

  expect(watched.mode).toBe("events");
  expect(wakes()).toBe(1);
});

test("a subscriber that closes the watch when woken ends the poll", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const watched = open(directory.path, { clock, watch: refuse("EMFILE") });
  watched.subscribe("ada.jsonl", () => watched[Symbol.dispose]());
  const { path, wakes } = subscribe(watched, directory.path, "ada.jsonl");

  await writeFile(path, "hello\n");
  clock.advance(1_000);
  await writeFile(path, "hello again\n");
  clock.advance(10_000);

  expect(wakes()).toBe(0);
});

test("if events are not available, it polls and says so once", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const reasons: string[] = [];
  const reason = "ENOSPC: System limit for number of file watchers reached";
  using watched = open(directory.path, { clock, reasons, watch: refuse(reason) });

  clock.advance(10_000);

  expect(watched.mode).toBe("polling");
  expect(reasons).toEqual([reason]);
});

test("events that fail later are replaced by polling, and it says so once", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const reasons: string[] = [];
  const { watch, watcher } = deaf();
  using watched = open(directory.path, { clock, reasons, watch });
  const { path, wakes } = subscribe(watched, directory.path, "ada.jsonl");

  watcher.emit("error", new Error("EPERM: operation not permitted, watch"));
  await writeFile(path, "hello\n");
  clock.advance(1_000);

  expect(watched.mode).toBe("polling");
  expect(reasons).toEqual(["EPERM: operation not permitted, watch"]);
  expect(wakes()).toBe(1);
});

test("an event without a file name wakes all subscribers", async () => {
  await using directory = await temporaryDirectory();
  const { watch, watcher } = deaf();
  using watched = open(directory.path, { clock: new ManualClock(), watch });
  const ada = subscribe(watched, directory.path, "ada.jsonl");
  const bob = subscribe(watched, directory.path, "bob.jsonl");

  watcher.emit("report", null);

  expect([ada.wakes(), bob.wakes()]).toEqual([1, 1]);
});

test("after closing no subscriber is woken, neither by events nor by polling", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();
  const { watch, watcher } = deaf();
  const watched = open(directory.path, { clock, watch });
  const { path, wakes } = subscribe(watched, directory.path, "ada.jsonl");

  watched[Symbol.dispose]();
  await writeFile(path, "hello\n");
  watcher.emit("report", "ada.jsonl");
  clock.advance(10_000);

  expect(wakes()).toBe(0);
  expect(clock.pending).toBe(0);
});

test("an open watch does not keep the process alive, but its events arrive", async () => {
  await using directory = await temporaryDirectory();
  const program = `
        import { appendFileSync } from "node:fs";
    import { DirectoryWatch } from "./src/lib/directory-watch.ts";
    const directory = ${JSON.stringify(directory.path)};
    const clock = { schedule: () => () => {} };
    const watched = new DirectoryWatch({ directory, clock, onFallback: console.log });
    const alive = setInterval(() => {}, 60_000);
    watched.subscribe("ada.jsonl", () => {
      console.log("woken");
      clearInterval(alive);
    });
    appendFileSync(directory + "/ada.jsonl", "hello\\n");`;
  const command = ["--import", "tsx", "--input-type=module", "--eval", program];

  const { stdout } = await promisify(execFile)(process.execPath, command);

  expect(stdout).toMatch(/^(woken\n)+$/);
});

interface OpenOptions {
  clock: ManualClock;
  reasons?: string[];
  watch?: WatchFileSystem;
}

function open(directory: string, { clock, reasons = [], ...options }: OpenOptions) {
  return new DirectoryWatch({
    directory,
    clock,
    onFallback: (reason) => reasons.push(reason),
    ...options,
  });
}

function subscribe(watched: DirectoryWatch, directory: string, fileName: string) {
  const waiting = new Set<() => void>();
  let wakes = 0;
  const leave = watched.subscribe(fileName, () => {
    wakes++;
    for (const resolve of waiting) resolve();
    waiting.clear();
  });
  return {
    path: join(directory, fileName),
    wakes: () => wakes,
    /** Resolves at the next wake. */
    next: () => new Promise<void>((resolve) => waiting.add(resolve)),
    leave,
  };
}

/** A watch that hears nothing but what the test reports to it. */
function deaf() {
  const watcher = Object.assign(new EventEmitter(), { close: () => {} });
  const watch: WatchFileSystem = (_directory, _options, listener) =>
    watcher.on("report", (fileName: string | null) => listener("change", fileName));
  return { watcher, watch };
}
