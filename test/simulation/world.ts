import { Random } from "../../soak/random.ts";
import type { Clock } from "../../src/lib/clock.ts";

/** Somebody who waits to be let on. */
interface Waiter {
  process: SimulatedProcess;
  label: string;
  goOn(): void;
}

interface Timer {
  process: SimulatedProcess;
  dueMs: number;
  run(): void;
}

/** What the members of one simulated process run in. Once it is killed, nothing of it goes on. */
export interface SimulatedProcess {
  readonly isAlive: boolean;
}

/**
 * A simulated life is shorter than this: what is scheduled for later never comes. So the slow sweep
 * behind all wakes cannot hide one that was lost.
 */
const lifetimeMs = 8_000;

/**
 * The scheduler of a simulation. Whatever could take time in reality waits at a point, and one of
 * those who wait is let on at a time, in an order that the seed decides. Nothing else takes time.
 */
export class World {
  readonly random: Random;
  /** How many points have been passed. */
  passed = 0;
  readonly #inOrder: boolean;
  #nowMs = 0;
  #waiters: Waiter[] = [];
  #timers: Timer[] = [];
  #log: string[] = [];

  /** `inOrder` lets those on first who came first, whatever the seed. */
  constructor(seed: number, { inOrder = false }: { inOrder?: boolean } = {}) {
    this.random = new Random(seed);
    this.#inOrder = inOrder;
  }

  /** What happened last, oldest first, for whoever looks for the reason of a failure. */
  get log(): readonly string[] {
    return this.#log;
  }

  note(text: string): void {
    this.#log.push(`${this.#nowMs} ${text}`);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  /** Resolves when the scheduler lets the caller on; never where its process is killed before. */
  point(process: SimulatedProcess, label: string): Promise<void> {
    if (!process.isAlive) return new Promise(() => undefined);
    return new Promise((goOn) => {
      this.#waiters.push({ process, label, goOn });
    });
  }

  /** Lets one go on who waits; where nobody does, time passes until the next timer. False at rest. */
  async step(): Promise<boolean> {
    const [first] = this.#waiters;
    if (first) this.#letOn(this.#inOrder ? first : this.random.pick(this.#waiters));
    else if (!this.#passTime()) return false;
    await drained();
    return true;
  }

  /** Forgets whoever waits in a process that was killed. */
  bury(process: SimulatedProcess): void {
    this.#waiters = this.#waiters.filter((waiter) => waiter.process !== process);
    const timers = this.#timers.filter((timer) => timer.process === process);
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
    // A wait for time holds a timer of the real process: that must not outlive its simulation.
    for (const { run } of timers) run();
  }

  clockOf(process: SimulatedProcess): Clock {
    return {
      now: () => new Date(Date.UTC(2026, 0, 1) + this.#nowMs),
      monotonicMs: () => this.#nowMs,
      schedule: (delayMs, run) => {
        const timer = { process, dueMs: this.#nowMs + delayMs, run };
        if (delayMs < lifetimeMs && process.isAlive) this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    };
  }

  #letOn(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
    this.passed++;
    this.note(waiter.label);
    // No two points at the same time: ids that begin with the time then sort the same way always.
    this.#advanceTo(this.#nowMs + 1);
    waiter.goOn();
  }

  #passTime(): boolean {
    const due = this.#timers.map(({ dueMs }) => dueMs);
    if (due.length === 0) return false;
    this.#advanceTo(Math.min(...due));
    return true;
  }

  #advanceTo(timeMs: number): void {
    this.#nowMs = timeMs;
    const due = this.#timers.filter(({ dueMs }) => dueMs <= timeMs);
    this.#timers = this.#timers.filter(({ dueMs }) => dueMs > timeMs);
    for (const { run } of due) run();
  }
}

/** Resolves when everybody has come as far as a point. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
