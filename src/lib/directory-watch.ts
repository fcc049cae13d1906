import { statSync, watch as watchFileSystem } from "node:fs";
import type { Clock } from "./clock.ts";
import { type FilePath, locationOf, within } from "./file-path.ts";
import type { DirectoryChanges, WakeSource } from "./wake-source.ts";

/** The part of `fs.watch` that is needed here. */
export type WatchFileSystem = (
  directory: string,
  options: { persistent: false },
  listener: (event: string, fileName: string | null) => void,
) => Watcher;

interface Watcher {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

export interface DirectoryWatchOptions {
  directory: FilePath;
  clock: Clock;
  /** Called once when there are no file events, or no more of them: then only polling is left. */
  onFallback(reason: string): void;
  /** Default: Node's own. */
  watch?: WatchFileSystem;
}

interface Subscription {
  path: FilePath;
  fileName: string;
  wake(): void;
  /** The file's appearance at the last poll. */
  seen: string;
}

/** A subscription to changes of every file. */
interface WideSubscription {
  changed(fileName: string | undefined): void;
  /** The directory's appearance at the last poll. */
  seen: string;
  /** True if the next poll reports a change whatever the directory's appearance is. */
  isUnsure: boolean;
}

/**
 * Wakes subscribers after changes of a file in one directory: at once where the system reports
 * them, and within the second where it does not. The file may be replaced, renamed, or not there
 * yet, because it is the directory that is watched. Keeps no process alive.
 *
 * A wake means "look again": several changes can wake once, and one change twice. What changed
 * before `subscribe` returned does not wake, so subscribe first and then look.
 */
export class DirectoryWatch implements WakeSource, DirectoryChanges, Disposable {
  readonly #directory: FilePath;
  readonly #clock: Clock;
  readonly #onFallback: (reason: string) => void;
  readonly #subscriptions = new Set<Subscription>();
  readonly #wide = new Set<WideSubscription>();
  /** True where the system has reported a change since the last poll. */
  #hasReported = false;
  #watcher: Watcher | undefined;
  #cancelPoll = () => {};

  constructor({ directory, clock, onFallback, watch = watchFileSystem }: DirectoryWatchOptions) {
    this.#directory = directory;
    this.#clock = clock;
    this.#onFallback = onFallback;
    this.#startEvents(watch);
    this.#schedulePoll();
  }

  get mode(): "events" | "polling" {
    return this.#watcher ? "events" : "polling";
  }

  /** Calls `wake` after changes of `fileName`, until the returned function is called. */
  subscribe(fileName: string, wake: () => void): () => void {
    const path = within(this.#directory, fileName);
    const subscription = { path, fileName, wake, seen: appearance(path) };
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
    };
  }

  subscribeAll(changed: (fileName: string | undefined) => void): () => void {
    const subscription = { changed, seen: appearance(this.#directory), isUnsure: false };
    this.#wide.add(subscription);
    return () => {
      this.#wide.delete(subscription);
    };
  }

  [Symbol.dispose](): void {
    this.#subscriptions.clear();
    this.#wide.clear();
    this.#cancelPoll();
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #startEvents(watch: WatchFileSystem): void {
    try {
      this.#watcher = watch(locationOf(this.#directory), { persistent: false }, (_, fileName) => {
        for (const it of this.#subscriptions) {
          // Some systems do not name the file.
          if (fileName === null || fileName === it.fileName) it.wake();
        }
        this.#hasReported = true;
        for (const { changed } of this.#wide) changed(fileName ?? undefined);
      });
      this.#watcher.on("error", (error) => this.#fallBack(error));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#fallBack(error);
    }
  }

  #fallBack({ message }: Error): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#onFallback(message);
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#clock.schedule(pollMs, () => this.#poll());
  }

  #poll(): void {
    // Woken subscribers may close this watch, and with it the poll that follows.
    this.#schedulePoll();
    for (const it of this.#subscriptions) {
      const seen = appearance(it.path);
      if (seen === it.seen) continue;
      it.seen = seen;
      it.wake();
    }
    for (const it of this.#wide) this.#pollAll(it);
    this.#hasReported = false;
  }

  /** Reports a change of the directory that the system has not reported. */
  #pollAll(it: WideSubscription): void {
    const seen = appearance(this.#directory);
    const isMissed = seen !== it.seen && !this.#hasReported;
    it.seen = seen;
    if (isMissed || it.isUnsure) it.changed(undefined);
    // The times of directories are coarse: a second change of the same moment looks like one.
    it.isUnsure = isMissed;
  }
}

const pollMs = 1_000;

/**
 * Differs after every append to a file, and when it was replaced, removed or created. Synchronous,
 * because the thread pool costs more than the call itself.
 */
function appearance(path: FilePath): string {
  try {
    const stats = statSync(locationOf(path), { throwIfNoEntry: false });
    return stats ? `${stats.ino} ${stats.size} ${stats.ctimeMs}` : "missing";
  } catch (error) {
    if (error instanceof Error && "code" in error) return String(error.code);
    throw error;
  }
}
