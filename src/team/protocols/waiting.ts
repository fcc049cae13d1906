import type { Clock } from "../../lib/clock.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { WakeLatch } from "../../lib/wake-latch.ts";
import { type MemberName, user } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";

export interface WaitingOptions {
  names: readonly MemberName[];
  mode: "all" | "any";
  timeoutMs: number;
  isBusy(name: MemberName): boolean;
  /** Makes those work that have mail which they have not looked at yet. False where nobody has. */
  wakeForMail(names: readonly MemberName[]): Promise<boolean>;
  /** The lead's mail that it has not been shown and that is worth a turn. */
  news(): Promise<readonly Message[]>;
  /** Calls back whenever any of that may have changed. */
  onChange(listener: () => void): () => void;
  clock: Clock;
}

/** Waits until teammates have ended their runs, and says why it waits no longer. */
export async function waitForRuns(options: WaitingOptions, signal: AbortSignal): Promise<string> {
  const { names, timeoutMs, clock, onChange } = options;
  if (names.length === 0) return "No teammates to wait for.";
  let isTimeUp = false;
  const latch = new WakeLatch();
  const stops = [
    onChange(() => latch.wake()),
    onAbort(signal, () => latch.wake()),
    clock.schedule(timeoutMs, () => {
      isTimeUp = true;
      latch.wake();
    }),
  ];
  try {
    while (true) {
      const reason = await reasonToStop(options);
      if (reason) return reason;
      if (signal.aborted) return "Stopped waiting.";
      if (isTimeUp) {
        const time = clock.now().toISOString().slice(11, 19);
        return `${timeoutMs / 1000} s have passed, it is ${time}Z. ${stillBusy(options)}`;
      }
      await latch.next();
    }
  } finally {
    for (const stop of stops) stop();
  }
}

async function reasonToStop(options: WaitingOptions): Promise<string | undefined> {
  const { names, mode, wakeForMail } = options;
  let done = idle(options);
  const isEnough = mode === "any" ? done.length > 0 : done.length === names.length;
  // A member that was written to a moment ago may not have heard of it.
  if (isEnough && (await wakeForMail(done))) done = idle(options);
  if (done.length === names.length) return `${listed(names)} ${ended(names)}.`;
  if (mode === "any" && done.length > 0) {
    return `${listed(done)} ${ended(done)}. ${stillBusy(options)}`;
  }
  // The results of these members are expected; other mail that is worth a turn may need an answer.
  const other = (await options.news()).find(
    ({ type, from }) => !(type === "result" && names.includes(from)),
  );
  if (!other) return undefined;
  const what = other.from === user ? "the person has written" : `${other.from} has written`;
  return `Waiting ended early: ${what}. ${stillBusy(options)}`;
}

function idle({ names, isBusy }: WaitingOptions): MemberName[] {
  return names.filter((name) => !isBusy(name));
}

function stillBusy({ names, isBusy }: WaitingOptions): string {
  const busy = names.filter(isBusy);
  return busy.length > 0 ? `Still working: ${busy.join(", ")}.` : "";
}

function listed(names: readonly MemberName[]): string {
  return names.join(", ");
}

function ended(names: readonly MemberName[]): string {
  return names.length === 1 ? "has ended its run" : "have ended their runs";
}
