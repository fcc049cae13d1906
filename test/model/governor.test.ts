import { expect, test } from "vitest";
import { Governor, type GovernorOptions } from "../../src/model/governor.ts";
import type { Model, ModelPart, ModelRequest } from "../../src/model/model.ts";
import type { ModelFailure } from "../../src/model/model-failure.ts";
import { StopReason } from "../../src/protocol/transcript.ts";
import { testModel } from "../../src/testing/conformance/model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import {
  fails,
  hangs,
  ScriptedModel,
  type ScriptStep,
  says,
  streams,
} from "../../src/testing/scripted-model.ts";

const limited: ModelFailure = { kind: "rate-limited", message: "429", retryAfterMs: 30_000 };
const overloaded: ModelFailure = { kind: "overloaded", message: "529" };
const broken: ModelFailure = { kind: "server", message: "500" };
const usage = { input_tokens: 3, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 };

test("a successful reply is passed on unchanged", async () => {
  const { governor } = setUp();
  const bare = await start(new ScriptedModel([says("hi")])).ended;

  const model = governor.govern(new ScriptedModel([says("hi")], { id: "anthropic/claude" }));

  expect(model.id).toBe("anthropic/claude");
  expect(await start(model).ended).toEqual(bare);
});

test("no request is sent before a pause requested by the provider is over", async () => {
  const { clock, governor } = setUp();
  const sentMs: number[] = [];
  const notes = (step: ScriptStep) => () => {
    sentMs.push(clock.monotonicMs());
    return step;
  };
  const refused = new ScriptedModel([notes(fails(limited)), notes(says("hi"))]);
  const other = new ScriptedModel([notes(says("ho"))]);

  const calls = [start(governor.govern(refused))];
  await clock.waitingFor(30_000);
  calls.push(start(governor.govern(other)));
  const [first, second] = await play(clock, Promise.all(calls.map(({ ended }) => ended)));

  expect(sentMs[0]).toBe(0);
  expect(Math.min(...sentMs.slice(1))).toBe(30_000);
  expect(first?.map(({ type }) => type)).toEqual(["restart", "waiting", "text-delta", "finish"]);
  expect(second?.[0]).toEqual({
    type: "waiting",
    reason: "the provider limits the rate of requests and asks for a pause",
    delayMs: 30_000,
  });
});

test("after a pause one request goes first, and others as the provider accepts them", async () => {
  const { clock, governor } = setUp();
  const { model, sent, takeAll } = heldModel();
  start(governor.govern(new ScriptedModel([fails(limited), hangs()])));
  await settled();
  for (let member = 0; member < 20; member++) start(governor.govern(model));
  await settled();

  clock.advance(30_000);
  await settled();
  const counts = [sent()];
  // The one that went first is silent for longer than any refusal takes.
  clock.advance(1000);
  await settled();
  counts.push(sent());
  for (let round = 0; round < 2; round++) {
    takeAll();
    await settled();
    counts.push(sent());
  }

  expect(counts).toEqual([0, 1, 2, 3]);
});

test("a new governor sends one request, and more at a time as the provider accepts them", async () => {
  const { governor } = setUp();
  const { model, sent, takeAll } = heldModel();
  for (let member = 0; member < 20; member++) start(governor.govern(model));

  const counts: number[] = [];
  for (let round = 0; round < 4; round++) {
    await settled();
    counts.push(sent());
    takeAll();
  }

  expect(counts).toEqual([1, 3, 7, 15]);
});

test("without a requested delay a pause is random, and twice as long each time", async () => {
  const { clock, governor } = setUp({ random: () => 0.5 });
  const steps = Array.from({ length: 9 }, () => fails(overloaded));

  const call = start(governor.govern(new ScriptedModel([...steps, says("hi")])));
  const parts = await play(clock, call.ended);

  expect(delaysIn(parts)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("pauses get longer for replies that begin and break off, too", async () => {
  const { clock, governor } = setUp({ random: () => 0.5, maxAttempts: 6 });
  const broken = Array.from({ length: 6 }, () => fails(overloaded, [says("half of")]));

  const parts = await play(clock, start(governor.govern(new ScriptedModel(broken))).ended);

  expect(delaysIn(parts)).toEqual([500, 1000, 2000, 4000, 8000]);
  expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "overloaded" } });
});

test("one refusal among several simultaneous requests causes one pause", async () => {
  const { clock, governor } = setUp({ random: () => 0.5 });
  start(governor.govern(new ScriptedModel([says("trusted")])));
  await settled();

  const calls = [1, 2].map(() =>
    start(governor.govern(new ScriptedModel([fails(overloaded), says("hi")]))),
  );
  await settled();
  const seen = calls.map(({ parts }) => delaysIn(parts));
  await play(clock, Promise.all(calls.map(({ ended }) => ended)));

  expect(seen).toEqual([[500], [500]]);
});

test("an overloaded provider is reported as such, and all requests wait", async () => {
  const { clock, governor } = setUp();
  const failing = start(governor.govern(new ScriptedModel([fails(overloaded), says("hi")])));
  await settled();
  const other = start(governor.govern(new ScriptedModel([says("ho")])));
  await settled();

  expect(other.parts).toEqual([
    {
      type: "waiting",
      reason: "the provider is overloaded and asks for a pause",
      delayMs: 500,
    },
  ]);
  await play(clock, Promise.all([failing.ended, other.ended]));
});

test("a failure of any kind with a retry time delays all requests", async () => {
  const { clock, governor } = setUp();
  const away: ModelFailure = { ...broken, retryAfterMs: 20_000 };
  const failing = start(governor.govern(new ScriptedModel([fails(away), says("hi")])));
  await settled();
  const other = start(governor.govern(new ScriptedModel([says("ho")])));
  await settled();

  expect(delaysIn(other.parts)).toEqual([20_000]);
  await play(clock, Promise.all([failing.ended, other.ended]));
});

test("of simultaneous refusals, the longest requested pause is used", async () => {
  const { clock, governor } = setUp();
  start(governor.govern(new ScriptedModel([says("trusted")])));
  await settled();
  const refusals = [limited, { ...limited, retryAfterMs: 50_000 }, { ...limited, retryAfterMs: 9 }];

  const calls = refusals.map((refusal) =>
    start(governor.govern(new ScriptedModel([fails(refusal), says("hi")]))),
  );
  await play(clock, Promise.all(calls.map(({ ended }) => ended)));

  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(50_000);
});

test("an exception of a model is a bug and is rethrown, also after an abort", async () => {
  const { governor } = setUp();
  const bug = new Error("a bug");
  const abort = new AbortController();
  const buggy = (isAborting: boolean): Model => ({
    id: "buggy",
    // biome-ignore lint/correctness/useYield: it comes to none
    async *stream() {
      if (isAborting) abort.abort();
      throw bug;
    },
  });

  await expect(start(governor.govern(buggy(false))).ended).rejects.toBe(bug);
  await expect(start(governor.govern(buggy(true)), abort.signal).ended).rejects.toBe(bug);
});

test("an address that has never answered is not asked again, one that has is", async () => {
  const unreachable: ModelFailure = { kind: "unreachable", message: "ECONNREFUSED" };
  const types = async (governor: Governor, clock: ManualClock, ...script: ScriptStep[]) => {
    const { ended } = start(governor.govern(new ScriptedModel(script)));
    return (await play(clock, ended)).map(({ type }) => type);
  };
  const wrong = setUp();
  expect(await types(wrong.governor, wrong.clock, fails(unreachable))).toEqual(["error"]);

  for (const answer of [says("hi"), fails({ kind: "bad-key", message: "401" })]) {
    const { governor, clock } = setUp();
    await types(governor, clock, answer);
    const later = await types(governor, clock, fails(unreachable), says("ho"));
    expect(later).toEqual(["restart", "waiting", "text-delta", "finish"]);
  }
});

test("a failure of a single request delays no other", async () => {
  const { clock, governor } = setUp({ random: () => 0.5 });
  const failing = start(governor.govern(new ScriptedModel([fails(broken), says("hi")])));
  await settled();

  const other = start(governor.govern(new ScriptedModel([says("ho")])));

  expect(delaysIn(await other.ended)).toEqual([]);
  expect(failing.parts).toEqual([
    { type: "restart", failure: broken },
    { type: "waiting", reason: "another attempt, because: 500", delayMs: 500 },
  ]);
  expect((await play(clock, failing.ended)).at(-1)?.type).toBe("finish");
});

test("a new attempt discards the streamed text, and includes the usage of the previous one", async () => {
  const { clock, governor } = setUp();
  const failure: ModelFailure = { kind: "cut", message: "The stream was cut" };
  const half = { type: "text-delta", text: "half of" } as const;
  const model = new ScriptedModel([streams(half, { type: "error", failure, usage }), says("all")]);

  const parts = await play(clock, start(governor.govern(model)).ended);

  expect(parts).toMatchObject([
    half,
    { type: "restart", failure, usage },
    { type: "waiting" },
    { type: "text-delta", text: "all" },
    { type: "finish" },
  ]);
});

test.each(["bad-key", "no-credit", "unknown-model", "too-long", "bad-request"] as const)(
  "%s is reported at once and not retried, even with a retry time",
  async (kind) => {
    const { governor } = setUp();
    const failure: ModelFailure = { kind, message: "no", hint: "do this", retryAfterMs: 5000 };
    const model = new ScriptedModel([streams({ type: "error", failure, usage })]);

    const parts = await start(governor.govern(model)).ended;

    expect(parts).toEqual([{ type: "error", failure, usage }]);
    const next = await start(governor.govern(new ScriptedModel([says("hi")]))).ended;
    expect(delaysIn(next)).toEqual([]);
  },
);

test("when the attempts are used up, the last failure says how many there were", async () => {
  const { clock, governor } = setUp({ maxAttempts: 3 });
  const model = new ScriptedModel([fails(broken), fails(limited), fails(overloaded)]);

  const parts = await play(clock, start(governor.govern(model)).ended);

  expect(parts.at(-1)).toEqual({
    type: "error",
    failure: { ...overloaded, message: "529 (tried 3 times)" },
  });
  model.assertDone();
});

test("a pause of more than a quarter of an hour is reported to all, not waited for", async () => {
  const { clock, governor } = setUp();
  const failure = { ...limited, retryAfterMs: 60 * 60_000 };
  const model = new ScriptedModel([fails(failure)]);
  const other = new ScriptedModel([says("hi")]);

  expect(await start(governor.govern(model)).ended).toEqual([
    {
      type: "error",
      failure: {
        kind: "rate-limited",
        message: expect.stringContaining("for another 60 minutes"),
        hint: "Continue after that, or use another model or key.",
      },
    },
  ]);
  expect((await start(governor.govern(other)).ended)[0]?.type).toBe("error");
  expect(other.requests).toHaveLength(0);

  clock.advance(46 * 60_000);
  const later = start(governor.govern(other));
  expect((await play(clock, later.ended)).at(-1)?.type).toBe("finish");
});

test("requests in flight are limited, and waiting ones are sent in order", async () => {
  const { clock, governor } = setUp({ maxInFlight: 2 });
  const order: number[] = [];
  const gates = Array.from({ length: 5 }, () => gate());
  const calls = gates.map(({ opened }, index) =>
    start(
      governor.govern(
        new ScriptedModel([
          async () => {
            order.push(index);
            await opened;
            return says("hi");
          },
        ]),
      ),
    ),
  );

  await settled();
  clock.advance(1000);
  await settled();
  expect(order).toEqual([0, 1]);
  gates[1]?.open();
  await settled();
  expect(order).toEqual([0, 1, 2]);
  for (const { open } of gates) open();
  await play(clock, Promise.all(calls.map(({ ended }) => ended)));

  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(calls[4]?.parts[0]).toMatchObject({ type: "waiting", reason: "other requests go first" });
});

test.each([
  ["waits for the pause to end", fails(limited)],
  ["waits for another attempt", fails(broken)],
  ["is answered", hangs()],
])("an abort while a request %s ends it at once", async (_, step) => {
  const { governor } = setUp();
  const model = new ScriptedModel([step]);
  const abort = new AbortController();

  const call = start(governor.govern(model), abort.signal);
  await settled();
  abort.abort();

  expect((await call.ended).at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted" } });
  expect(model.requests).toHaveLength(1);
});

test("an abort while a request waits for its turn ends it, and the next one gets its turn", async () => {
  const { clock, governor } = setUp({ maxInFlight: 1 });
  const first = gate();
  const opened = first.opened.then(() => says("hi"));
  const calls = [start(governor.govern(new ScriptedModel([() => opened])))];
  const abort = new AbortController();
  const never = new ScriptedModel([]);
  const aborted = start(governor.govern(never), abort.signal);
  calls.push(start(governor.govern(new ScriptedModel([says("ho")]))));

  await settled();
  abort.abort();
  expect((await aborted.ended).at(-1)).toMatchObject({ failure: { kind: "aborted" } });
  first.open();
  const ended = await play(clock, Promise.all(calls.map(({ ended }) => ended)));

  expect(ended.map((parts) => parts.at(-1)?.type)).toEqual(["finish", "finish"]);
  never.assertDone();
});

test("a request whose reader stops reading gives its place to the next", async () => {
  const { governor } = setUp({ maxInFlight: 1 });

  for await (const part of governor.govern(new ScriptedModel([says("hi")])).stream(request())) {
    expect(part.type).toBe("text-delta");
    break;
  }

  const next = await start(governor.govern(new ScriptedModel([says("ho")]))).ended;
  expect(next.map(({ type }) => type)).toEqual(["text-delta", "finish"]);
});

testModel("A governed model", { stops: StopReason.options, thinks: true }, async (script) => ({
  model: setUp().governor.govern(new ScriptedModel(script)),
  [Symbol.asyncDispose]: async () => undefined,
}));

function setUp(options: Partial<GovernorOptions> = {}) {
  const clock = new ManualClock();
  return { clock, governor: new Governor({ clock, random: () => 0.5, ...options }) };
}

function request(signal = new AbortController().signal): ModelRequest {
  const conversation = [{ type: "input" as const, texts: ["go"] }];
  return { system: "", tools: [], conversation, maxOutputTokens: 100, signal };
}

/** Reads a whole stream in the background: what came so far, and all of it once it has ended. */
function start(model: Model, signal?: AbortSignal) {
  const parts: ModelPart[] = [];
  const read = async () => {
    for await (const part of model.stream(request(signal))) parts.push(part);
    return parts;
  };
  return { parts, ended: read() };
}

/** Lets time pass until `ended` resolves. */
async function play<T>(clock: ManualClock, ended: Promise<T>): Promise<T> {
  let isPlaying = true;
  const stop = () => {
    isPlaying = false;
  };
  ended.then(stop, stop);
  await clock.advanceUntil(() => !isPlaying, 1000);
  return ended;
}

/** Resolves once everything that does not wait for the clock has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function delaysIn(parts: readonly ModelPart[]): number[] {
  return parts.flatMap((part) => (part.type === "waiting" && part.delayMs > 0 ? part.delayMs : []));
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A model that takes no request before it is told to, and ends none. */
function heldModel() {
  let requests = 0;
  let held = gate();
  const model: Model = {
    id: "held",
    async *stream() {
      requests++;
      await held.opened;
      yield { type: "text-delta", text: "well" };
      await new Promise(() => undefined);
    },
  };
  const takeAll = () => {
    const { open } = held;
    held = gate();
    open();
  };
  return { model, sent: () => requests, takeAll };
}

test("a provider that asks for an immediate retry is not asked in a loop", async () => {
  const { clock, governor } = setUp();
  const now: ModelFailure = { ...limited, retryAfterMs: 0 };
  const model = new ScriptedModel([fails(now), fails(now), says("hi")]);
  const call = start(governor.govern(model));

  const parts = await play(clock, call.ended);

  expect(parts.at(-1)?.type).toBe("finish");
  expect(delaysIn(parts)).toEqual([500, 1_000]);
});

test("by default 32 requests are in flight at most, and one is tried ten times", async () => {
  const { clock, governor } = setUp();
  const { model, sent, takeAll } = heldModel();
  for (let member = 0; member < 40; member++) start(governor.govern(model));
  for (let round = 0; round < 300; round++) {
    await settled();
    takeAll();
  }
  await settled();
  expect(sent()).toBe(32);

  const failing = new ScriptedModel(Array.from({ length: 10 }, () => fails(broken)));
  const other = setUp({ random: () => 0.5 });
  const parts = await play(other.clock, start(other.governor.govern(failing)).ended);
  expect(parts.at(-1)).toMatchObject({ failure: { message: "500 (tried 10 times)" } });
  expect(clock.monotonicMs()).toBe(0);
});

test("a rate limit without a word about its length holds all, too", async () => {
  const { clock, governor } = setUp();
  const unlimited: ModelFailure = { kind: "rate-limited", message: "429" };
  const failing = start(governor.govern(new ScriptedModel([fails(unlimited), says("hi")])));
  await settled();
  const other = start(governor.govern(new ScriptedModel([says("ho")])));
  await settled();

  expect(delaysIn(other.parts)).toEqual([500]);
  await play(clock, Promise.all([failing.ended, other.ended]));
});

test("after a request that was accepted, pauses are as short as at first", async () => {
  const { clock, governor } = setUp();
  const steps = [fails(overloaded), fails(overloaded), says("hi"), fails(overloaded), says("ho")];
  const model = governor.govern(new ScriptedModel(steps));

  const first = await play(clock, start(model).ended);
  const second = await play(clock, start(model).ended);

  expect([delaysIn(first), delaysIn(second)]).toEqual([[500, 1000], [500]]);
});

test("a pause of a quarter of an hour is waited for", async () => {
  const { clock, governor } = setUp();
  const failure = { ...limited, retryAfterMs: 15 * 60_000 };
  const call = start(governor.govern(new ScriptedModel([fails(failure), says("hi")])));

  expect((await play(clock, call.ended)).at(-1)?.type).toBe("finish");

  const longer = { ...limited, retryAfterMs: 15 * 60_000 + 1 };
  const ended = await start(governor.govern(new ScriptedModel([fails(longer)]))).ended;
  expect(ended.at(-1)).toMatchObject({
    type: "error",
    failure: { message: expect.stringContaining("for another 16 minutes") },
  });
});

test("a request that got its turn during a pause gives it back, and has it after the pause", async () => {
  const { clock, governor } = setUp({ maxInFlight: 1 });
  const first = start(governor.govern(new ScriptedModel([fails(limited), says("one")])));
  const others = ["two", "three"].map((text) =>
    start(governor.govern(new ScriptedModel([says(text)]))),
  );
  await settled();

  const all = Promise.all([first, ...others].map(({ ended }) => ended));
  const ends = (await play(clock, all)).map((parts) => parts.at(-1)?.type);

  expect(ends).toEqual(["finish", "finish", "finish"]);
  expect(others[0]?.parts[0]).toEqual({
    ...{ type: "waiting", reason: "other requests go first", delayMs: 0 },
  });
});
