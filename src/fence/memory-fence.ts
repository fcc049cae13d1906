import { hostname } from "node:os";
import { type Fence, fenceLost, type HeldFence, type Holder, leadAlive } from "./fence.ts";

/** A fence for tests and for teams that never leave one process, which nobody can take over. */
export class MemoryFence implements Fence {
  #epoch = 0;
  #isHeld = false;

  async acquire(signal?: AbortSignal): Promise<HeldFence> {
    signal?.throwIfAborted();
    const holder = this.#holder();
    if (holder) throw leadAlive(holder, "Close the team that is open before opening it again.");
    this.#isHeld = true;
    return this.#hold(++this.#epoch);
  }

  async look(): Promise<Holder | undefined> {
    return this.#holder();
  }

  #holder(): Holder | undefined {
    if (!this.#isHeld) return undefined;
    return { epoch: this.#epoch, host: hostname(), pid: process.pid, isAlive: true };
  }

  #hold(epoch: number): HeldFence {
    let isReleased = false;
    return {
      epoch,
      lost: new AbortController().signal,
      check: async () => {
        if (isReleased) throw fenceLost("the team has been closed");
      },
      [Symbol.asyncDispose]: async () => {
        if (isReleased) return;
        isReleased = true;
        this.#isHeld = false;
      },
    };
  }
}
