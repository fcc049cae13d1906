import type { Clock } from "../../lib/clock.ts";
import type { StreamEvents } from "../../protocol/dashboard.ts";

import type { LivePlace } from "./live-texts.ts";
import { pause } from "./pause.ts";
import type { TeamFollower } from "./team-follower.ts";

/** Something for a page, with the id from which it can be gone on after a lost connection. */
export type RoomEvent = {
  [Name in keyof StreamEvents]: { id: string; event: Name; data: StreamEvents[Name] };
}[keyof StreamEvents];

export interface ChangesOptions {
  /** The id of what the page got last. */
  after?: string | undefined;
  /** The member whose words are wanted as they come. */
  watch?: string | undefined;
  signal: AbortSignal;
}

/** A page gets no more than one batch of changes in this time. */
const batchMs = 100;

/**
 * Everything that one page lacks: all of it, or what is newer than what it has, whenever it takes
 * the next. What changes while it does not is merged, so that a slow page costs nothing.
 */
export async function* changesOf(
  follower: TeamFollower,
  clock: Clock,
  { after, watch, signal }: ChangesOptions,
): AsyncGenerator<RoomEvent> {
  const wakes = new Wakes(follower, signal);
  try {
    await wakes.until(follower.ready);
    let sent = parseId(after);
    let live: LivePlace = { key: 0, length: 0 };
    while (!signal.aborted) {
      wakes.clear();
      const { epoch, revision } = follower.records;
      const id = `${epoch}.${revision}`;
      if (sent.epoch !== epoch || sent.revision > revision) {
        yield { id, event: "state", data: follower.records.state() };
      } else if (sent.revision < revision) {
        yield { id, event: "change", data: follower.records.since(sent.revision) };
      }
      sent = { epoch, revision };
      const words = watch === undefined ? undefined : follower.updater?.live.since(watch, live);
      if (words) {
        live = words.place;
        yield { id, event: "live", data: words.live };
      }
      await pause(clock, batchMs, signal);
      await wakes.next();
    }
  } finally {
    wakes[Symbol.dispose]();
  }
}

function parseId(id: string | undefined): { epoch: string; revision: number } {
  const [, epoch = "", revision = "0"] = /^([a-z0-9-]+)\.(\d{1,15})$/.exec(id ?? "") ?? [];
  return { epoch, revision: Number(revision) };
}

/** Whether there may be something new since `clear`. */
class Wakes implements Disposable {
  readonly #signal: AbortSignal;
  readonly #unsubscribe: () => void;
  #isWoken = false;
  #resume = () => {};

  constructor(follower: TeamFollower, signal: AbortSignal) {
    this.#signal = signal;
    this.#unsubscribe = follower.onChange(() => this.#wake());
    signal.addEventListener("abort", this.#wake);
  }

  clear(): void {
    this.#isWoken = false;
  }

  /** Resolves at once where there is something. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isWoken || this.#signal.aborted) resolve();
      else this.#resume = resolve;
    });
  }

  /** Resolves with `ready`, or when nobody waits for it any more. */
  async until(ready: Promise<void>): Promise<void> {
    const isAborted = new Promise<void>((resolve) => {
      if (this.#signal.aborted) resolve();
      else this.#signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([ready, isAborted]);
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#signal.removeEventListener("abort", this.#wake);
  }

  readonly #wake = () => {
    this.#isWoken = true;
    this.#resume();
  };
}
