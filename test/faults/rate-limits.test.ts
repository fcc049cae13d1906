import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { Governor } from "../../src/model/governor.ts";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { type ScriptedAnswer, status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";

const members = 50;
const turns = 4;

test("P17 fifty members on one key: none sends during a pause that the provider asks for, and few requests fail", async () => {
  const tally = await runMembers({ limit: "closed-at-first", governors: "one" });

  expect(tally).toMatchObject({ successes: members * turns, insidePause: 0, known: 0 });
  expect(tally.requests / tally.successes).toBeLessThanOrEqual(1.2);
});

test("P17 fifty members on a key with a quota: each time it is used up, few requests fail", async () => {
  const tally = await runMembers({ limit: "quota", governors: "one" });

  expect(tally).toMatchObject({ successes: members * turns, known: 0 });
  expect(tally.pauses).toBeGreaterThanOrEqual(5);
  expect(tally.requests / tally.successes).toBeLessThanOrEqual(1.2);
});

test("control: members that respect only their own pauses send during those of others", async () => {
  const tally = await runMembers({ limit: "closed-at-first", governors: "one-each" });

  expect(tally.insidePause).toBeGreaterThan(0);
  expect(tally.requests / tally.successes).toBeGreaterThan(1.2);
});

interface Scenario {
  limit: "closed-at-first" | "quota";
  governors: "one" | "one-each";
}

async function runMembers({ limit, governors }: Scenario) {
  await using server = await ProviderServer.start({ strict: true });
  const clock = new ManualClock();
  const provider = limit === "quota" ? new Quota(clock) : new ClosedAtFirst(clock);
  server.replyWith(() => provider.answer());
  const watch = new Watch(clock);
  const env = { ANTHROPIC_API_KEY: "secret", ANTHROPIC_BASE_URL: server.url };
  const model = watch.over(await openModel("anthropic/claude-test", { env, clock: systemClock }));
  const shared = new Governor({ clock, random: Math.random });

  const runs = Array.from({ length: members }, async () => {
    const own = new Governor({ clock, random: Math.random });
    const governed = (governors === "one" ? shared : own).govern(model);
    for (let turn = 0; turn < turns; turn++) await take(governed);
  });
  await watch.passTime(Promise.all(runs));

  const { successes, insidePause, pauses } = provider;
  return { requests: server.requests.length, successes, insidePause, pauses, known: watch.inside };
}

const pauseMs = 7000;

/** A provider that turns everybody away until a pause is over. */
class ClosedAtFirst {
  successes = 0;
  insidePause = 0;
  pauses = 0;
  readonly #clock: ManualClock;
  #openAtMs: number | undefined;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  answer(): ScriptedAnswer {
    const now = this.#clock.monotonicMs();
    if (this.#openAtMs === undefined) {
      this.pauses++;
      this.#openAtMs = now + pauseMs;
      return tooMany(pauseMs);
    }
    if (now < this.#openAtMs) {
      this.insidePause++;
      return tooMany(this.#openAtMs - now);
    }
    this.successes++;
    return says("done");
  }
}

/** A provider that takes 30 requests in each span of time. */
class Quota {
  successes = 0;
  insidePause = 0;
  pauses = 0;
  readonly #clock: ManualClock;
  #startMs = 0;
  #taken = 0;
  #isUsedUp = false;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  answer(): ScriptedAnswer {
    const now = this.#clock.monotonicMs();
    if (now >= this.#startMs + pauseMs) {
      this.#startMs = now;
      this.#taken = 0;
      this.#isUsedUp = false;
    }
    if (this.#taken < 30) {
      this.#taken++;
      this.successes++;
      return says("done");
    }
    if (this.#isUsedUp) this.insidePause++;
    else this.pauses++;
    this.#isUsedUp = true;
    return tooMany(this.#startMs + pauseMs - now);
  }
}

function tooMany(delayMs: number): ScriptedAnswer {
  return status(429, undefined, { "retry-after": String(Math.ceil(delayMs / 1000)) });
}

/** Sees what is sent and what comes of it, and lets time pass while nothing is under way. */
class Watch {
  /** Requests that were sent while a pause was known to somebody. */
  inside = 0;
  readonly #clock: ManualClock;
  #underWay = 0;
  #pausedUntilMs = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  over(model: Model): Model {
    return { id: model.id, stream: (request) => this.#stream(model, request) };
  }

  async *#stream(model: Model, request: ModelRequest) {
    if (this.#clock.monotonicMs() < this.#pausedUntilMs) this.inside++;
    this.#underWay++;
    try {
      for await (const part of model.stream(request)) {
        if (part.type === "error") this.#noticePause(part.failure.retryAfterMs ?? 0);
        yield part;
      }
    } finally {
      this.#underWay--;
    }
  }

  #noticePause(delayMs: number): void {
    const untilMs = this.#clock.monotonicMs() + delayMs;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  async passTime(ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    ended.then(end, end);
    while (!isOver) {
      if (this.#underWay === 0) this.#clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
  }
}

/** Throws when the call comes to nothing. */
async function take(model: Model): Promise<void> {
  const conversation = [{ type: "input" as const, texts: ["go"] }];
  const { signal } = new AbortController();
  const request = { system: "", tools: [], conversation, maxOutputTokens: 100, signal };
  for await (const part of model.stream(request)) {
    if (part.type === "error") throw new Error(part.failure.message);
  }
}
