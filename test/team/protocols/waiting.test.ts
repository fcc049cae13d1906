import { expect, test } from "vitest";
import { Listeners } from "../../../src/lib/listeners.ts";
import { MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { type WaitingOptions, waitForRuns } from "../../../src/team/protocols/waiting.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
  MemberName,
];

test("the lead waits until all have ended their runs, or the first where it asked for any", async () => {
  const [all, any] = [new Scene({ mode: "all" }), new Scene({ mode: "any" })];

  for (const scene of [all, any]) scene.end(alice);
  expect(await any.waiting).toBe("alice has ended its run. Still working: bob.");
  all.end(bob);
  expect(await all.waiting).toBe("alice, bob have ended their runs.");
});

test.each(["all", "any"] as const)(
  "a member that has not looked at its mail yet is waited for in mode %s",
  async (mode) => {
    const asked: MemberName[][] = [];
    const scene = new Scene({
      mode,
      wakeForMail: async (names) => {
        asked.push([...names]);
        if (asked.length > 1) return false;
        for (const name of names) scene.wake(name);
        return true;
      },
    });

    for (const name of [alice, bob]) scene.end(name);
    await expect.poll(() => asked).toEqual([[alice, bob]]);
    for (const name of [alice, bob]) scene.end(name);

    expect(await scene.waiting).toBe("alice, bob have ended their runs.");
    expect(asked).toEqual([
      [alice, bob],
      [alice, bob],
    ]);
  },
);

test("without teammates there is nothing to wait for", async () => {
  expect(await new Scene({ names: [] }).waiting).toBe("No teammates to wait for.");
});

test("the results of those that are waited for do not end the waiting, other mail does", async () => {
  const scene = new Scene({ mode: "all" });

  scene.tell("result", alice);
  scene.end(alice);
  scene.tell("message", bob);

  expect(await scene.waiting).toBe("Waiting ended early: bob has written. Still working: bob.");
});

test.each([
  ["message", user, "the person has written"],
  ["result", carol, "carol has written"],
] as const)("a %s from %s ends the waiting early", async (type, from, what) => {
  const scene = new Scene({ mode: "all" });

  scene.tell(type, from);

  expect(await scene.waiting).toBe(`Waiting ended early: ${what}. Still working: alice, bob.`);
});

test("the waiting ends at its time limit, and with its signal", async () => {
  const [late, stopped] = [new Scene({ mode: "all" }), new Scene({ mode: "all" })];

  late.clock.advance(29_999);
  late.end(alice);
  late.clock.advance(1);
  stopped.abort.abort();

  expect(await late.waiting).toBe("30 s have passed, it is 00:00:30Z. Still working: bob.");
  expect(await stopped.waiting).toBe("Stopped waiting.");
  expect(late.listeners).toBe(0);
});

/** A lead that waits for alice and bob, who both work. */
class Scene {
  readonly clock = new ManualClock();
  readonly abort = new AbortController();
  readonly waiting: Promise<string>;
  listeners = 0;
  readonly #busy = new Set([alice, bob]);
  readonly #news: Message[] = [];
  readonly #changes = new Listeners<void>();

  constructor(options: Partial<WaitingOptions>) {
    this.waiting = waitForRuns(
      {
        names: [alice, bob],
        mode: "all",
        timeoutMs: 30_000,
        isBusy: (name) => this.#busy.has(name),
        wakeForMail: async () => false,
        news: async () => this.#news,
        onChange: (listener) => {
          this.listeners++;
          const stop = this.#changes.add(listener);
          return () => {
            this.listeners--;
            stop();
          };
        },
        clock: this.clock,
        ...options,
      },
      this.abort.signal,
    );
  }

  wake(name: MemberName): void {
    this.#busy.add(name);
    this.#changes.emit();
  }

  end(name: MemberName): void {
    this.#busy.delete(name);
    this.#changes.emit();
  }

  tell(type: "message" | "result", from: MemberName): void {
    const id = newMessageId(new Date(0));
    const mail = { id, from, to: MemberName.parse("lead"), content: "Hi.", timestamp: 0 };
    this.#news.push(type === "message" ? { ...mail, type } : { ...mail, type, outcome: "done" });
    this.#changes.emit();
  }
}
