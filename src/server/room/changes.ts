import type { Clock } from "../../lib/clock.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { WakeLatch } from "../../lib/wake-latch.ts";
import type { StreamEvents } from "../../protocol/dashboard.ts";
import type { LivePlace } from "./live-text-buffer.ts";
import type { TeamFollower } from "./team-follower.ts";

/** An event for a page, with the id from which it can continue after a lost connection. */
export type RoomEvent = {
  [Name in keyof StreamEvents]: { id: string; event: Name; data: StreamEvents[Name] };
}[keyof StreamEvents];

export interface ChangesOptions {
  /** The id of the last event that the page got. */
  after?: string | undefined;
  /** The member whose text is streamed. */
  watch?: string | undefined;
  signal: AbortSignal;
}

/** A page gets no more than one batch of changes in this time. */
const batchMs = 100;

/**
 * Everything that one page lacks: the whole state, or the changes since its revision. Changes that
 * happen while the page is busy are merged, so that a slow page costs nothing.
 */
export async function* changesOf(
  follower: TeamFollower,
  clock: Clock,
  { after, watch, signal }: ChangesOptions,
): AsyncGenerator<RoomEvent> {
  const latch = new WakeLatch();
  const unsubscribe = follower.onChange(() => latch.wake());
  const removeListener = onAbort(signal, () => latch.wake());
  try {
    await untilAborted(signal, (resolve) => void follower.ready.then(resolve));
    let sent = parseId(after);
    let live: LivePlace = { key: 0, length: 0 };
    while (!signal.aborted) {
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
      await untilAborted(signal, (resolve) => clock.schedule(batchMs, resolve));
      await latch.next();
    }
  } finally {
    removeListener();
    unsubscribe();
  }
}

function parseId(id: string | undefined): { epoch: string; revision: number } {
  const [, epoch = "", revision = "0"] = /^([a-z0-9-]+)\.(\d{1,15})$/.exec(id ?? "") ?? [];
  return { epoch, revision: Number(revision) };
}

/**
 * Resolves when `start` calls back, or at the abort. The function that `start` returns cancels it.
 */
async function untilAborted(
  signal: AbortSignal,
  start: (resolve: () => void) => (() => void) | undefined,
): Promise<void> {
  let cancel: (() => void) | undefined;
  let removeListener = () => {};
  await new Promise<void>((resolve) => {
    cancel = start(resolve);
    removeListener = onAbort(signal, resolve);
  });
  removeListener();
  cancel?.();
}
