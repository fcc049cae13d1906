import { describe, expect, test } from "vitest";
import { Availability } from "../../src/model/availability.ts";
import type { Model, ModelPart } from "../../src/model/model.ts";
import type { FailureKind, ModelFailure } from "../../src/model/model-failure.ts";
import { Models } from "../../src/model/models.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { StopReason } from "../../src/protocol/transcript.ts";
import { testModel } from "../../src/testing/conformance/model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import {
  fails,
  ScriptedModel,
  type ScriptStep,
  says,
  streams,
} from "../../src/testing/scripted-model.ts";

const overloaded: ModelFailure = { kind: "overloaded", message: "529" };
const minute = 60_000;
const usage = { input_tokens: 3, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 };

test("the first model answers as long as it is available", async () => {
  const { a, b, ask } = await setUp([says("one"), fails(overloaded), says("two")], []);

  expect(textOf(await ask())).toBe("one");
  const second = await ask();

  expect(textOf(second)).toBe("two");
  expect(typesOf(second)).not.toContain("model-change");
  a.assertDone();
  b.assertDone();
});

test("P23 a model that is overloaded for too long is replaced in the same request, and that is told", async () => {
  const { clock, a, b, ask } = await setUp(failing(20), [says("from b")]);

  const parts = await ask();

  expect(changesIn(parts)).toEqual([
    { from: "one/a", to: "two/b", reason: expect.stringContaining("overloaded") },
  ]);
  expect(parts.at(-1)).toMatchObject({ type: "finish", model: "two/b" });
  expect(b.requests[0]?.conversation).toEqual(a.requests[0]?.conversation);
  // Attempts at 0, 0.5, 1.5, … 31.5 s; the next one would come after the minute is over.
  expect(a.requests).toHaveLength(7);
  expect(clock.monotonicMs()).toBeLessThan(minute);
});

test("a pause that is longer than the time is not waited for", async () => {
  const { clock, a, ask } = await setUp(
    [fails({ ...overloaded, retryAfterMs: minute + 1 })],
    [says("from b")],
  );

  expect(textOf(await ask())).toBe("from b");

  expect(clock.monotonicMs()).toBeLessThan(minute);
  a.assertDone();
});

test("a provider's pause for one of its models does not hold another one that stands in", async () => {
  const clock = new ManualClock();
  const pause = fails({ kind: "rate-limited", message: "429", retryAfterMs: 10 * minute });
  const byId = new Map([
    ["anthropic/large", new ScriptedModel([pause], { id: "anthropic/large" })],
    ["anthropic/small", new ScriptedModel([says("from small")], { id: "anthropic/small" })],
  ]);
  const env = { ANTHROPIC_API_KEY: "sk-ant-test-0123456789" };
  const models = new Models({ env, clock, random: () => 0.5 });
  const openOne = (id: string) => byId.get(id) ?? new ScriptedModel([]);
  const model = await models.open([...byId.keys()].join(), lead, { openOne });

  expect(textOf(await playAll(clock, model))).toBe("from small");

  expect(clock.monotonicMs()).toBeLessThan(minute);
});

test("an answer to a request from before a failure does not end a model's rest", () => {
  const clock = new ManualClock();
  const availability = new Availability({ clock, fallbackAfterMs: minute });
  const before = availability.now();
  clock.advance(1_000);
  availability.failed();
  availability.rest("It is overloaded", minute);

  availability.answered(before);
  const resting = availability.restReason;
  clock.advance(1_000);
  availability.answered(availability.now());

  expect(resting).toBe("It is overloaded");
  expect(availability.restReason).toBeUndefined();
});

test("a pause that is shorter is waited for", async () => {
  const { ask, b } = await setUp(
    [fails({ ...overloaded, retryAfterMs: minute }), says("from a")],
    [],
  );

  expect(textOf(await ask())).toBe("from a");
  b.assertDone();
});

test("what one member has found holds for the others, and each is told", async () => {
  const { models, openOne, ask } = await setUp(failing(20), [says("one"), says("two")]);
  await ask();
  const other = await models.open("one/a,two/b", MemberName.parse("bob"), { openOne });

  const parts = await ask(other);

  expect(typesOf(parts)).toEqual(["model-change", "text-delta", "finish"]);
});

test("P23 after a rest the first model is asked again, and its return is told when it has answered", async () => {
  const { clock, b, ask } = await setUp([...failing(7), says("back")], [says("one"), says("two")]);
  await ask();
  expect(typesOf(await ask())).toEqual(["text-delta", "finish"]);

  clock.advance(5 * minute);
  const parts = await ask();

  expect(changesIn(parts)).toEqual([
    { from: "two/b", to: "one/a", reason: "one/a is available again" },
  ]);
  expect(parts.at(-1)).toMatchObject({ model: "one/a" });
  b.assertDone();
});

test("a model that still fails after its rest is not waited for once more, and nothing has changed", async () => {
  const { clock, a, ask } = await setUp(failing(9), [says("one"), says("two")]);
  await ask();
  clock.advance(5 * minute);
  const before = clock.monotonicMs();

  const parts = await ask();

  expect(textOf(parts)).toBe("two");
  expect(typesOf(parts)).not.toContain("model-change");
  expect(clock.monotonicMs() - before).toBeLessThan(minute);
  expect(a.requests).toHaveLength(8);
});

test("a failure long after another one does not count the time between them", async () => {
  const aborted = { kind: "aborted" as const, message: "Stopped" };
  const { clock, ask, b } = await setUp(
    [fails(overloaded), fails(aborted), fails(overloaded), says("from a")],
    [],
  );
  await ask();
  clock.advance(60 * minute);

  expect(textOf(await ask())).toBe("from a");
  b.assertDone();
});

const hopeless: readonly FailureKind[] = [
  "bad-key",
  "no-credit",
  "unknown-model",
  "untrusted",
  "bad-request",
  "bad-image",
  "too-long",
  "oversized",
  // This address has never answered.
  "unreachable",
];

test.each(hopeless)("P23 %s is reported, and no other model is asked", async (kind) => {
  const { b, ask } = await setUp([fails({ kind, message: "No." })], []);

  expect((await ask()).at(-1)).toMatchObject({ type: "error", failure: { kind } });
  b.assertDone();
});

test("a model that is out of reach after it has answered is replaced", async () => {
  const gone: ModelFailure = { kind: "unreachable", message: "Nothing listens there" };
  const { ask } = await setUp([says("one"), ...failing(20, gone)], [says("from b")]);
  await ask();

  expect(textOf(await ask())).toBe("from b");
});

test("P18 the usage of each attempt is that of the model that made it", async () => {
  const counted = streams({ type: "error", failure: overloaded, usage });
  const { ask } = await setUp([counted, ...failing(20)], [says("from b")]);

  const parts = await ask();

  expect(parts.find(({ type }) => type === "restart")).toMatchObject({ model: "one/a", usage });
  expect(parts.at(-1)).toMatchObject({ type: "finish", model: "two/b" });
});

test("the text of a broken reply is void before the other model begins", async () => {
  const broken = fails({ ...overloaded, retryAfterMs: 2 * minute }, [says("half a ")]);
  const { ask } = await setUp([broken], [says("whole")]);

  expect(typesOf(await ask())).toEqual([
    ...["text-delta", "restart", "model-change", "text-delta", "finish"],
  ]);
});

test("a model that begins replies and breaks them off for too long is replaced", async () => {
  const broken = Array.from({ length: 20 }, () => fails(overloaded, [says("half of")]));
  const { clock, a, ask } = await setUp(broken, [says("from b")]);

  const parts = await ask();

  expect(changesIn(parts)).toMatchObject([{ from: "one/a", to: "two/b" }]);
  expect(textOf(parts)).toBe("from b");
  expect(a.requests).toHaveLength(7);
  expect(clock.monotonicMs()).toBeLessThan(minute);
});

test("the last model of a list is waited for, like a single one", async () => {
  const { clock, ask } = await setUp(failing(20), [
    fails({ ...overloaded, retryAfterMs: 10 * minute }),
    says("from b"),
  ]);

  expect(textOf(await ask())).toBe("from b");
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(10 * minute);
});

describe("a list", () => {
  test.each(["one/a,", ",one/a", "one/a,,two/b", ",", "one/a,,"])(
    "%s has an empty place",
    async (list) => {
      const { models, openOne } = await setUp([], []);

      await expect(models.open(list, lead, { openOne })).rejects.toMatchObject({
        code: "config-invalid",
        message: expect.stringContaining("empty place"),
      });
    },
  );

  test("that has a model twice is refused", async () => {
    const { models, openOne } = await setUp([], []);

    await expect(models.open("one/a, one/a", lead, { openOne })).rejects.toMatchObject({
      code: "config-invalid",
    });
  });
});

testModel("A list of models", { stops: StopReason.options, thinks: true }, async (script) => ({
  model: (await setUp(script, [])).model,
  [Symbol.asyncDispose]: async () => undefined,
}));

const lead = MemberName.parse("lead");

function failing(count: number, failure = overloaded): ScriptStep[] {
  return Array.from({ length: count }, () => fails(failure));
}

/** The models `one/a` and `two/b` as a list, with a governor each. */
async function setUp(first: readonly ScriptStep[], second: readonly ScriptStep[]) {
  const clock = new ManualClock();
  const a = new ScriptedModel(first, { id: "one/a" });
  const b = new ScriptedModel(second, { id: "two/b" });
  const models = new Models({ env: {}, clock, random: () => 0.5 });
  const openOne = (id: string) => (id === a.id ? a : b);
  const model = await models.open("one/a, two/b", lead, { openOne });
  const ask = (asked: Model = model) => playAll(clock, asked);
  return { clock, a, b, models, openOne, model, ask };
}

/** All parts of a request, while time passes. */
async function playAll(clock: ManualClock, model: Model): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  let isOver = false;
  const read = async () => {
    const conversation = [{ type: "input" as const, texts: ["go"] }];
    const { signal } = new AbortController();
    const request = { system: "", tools: [], conversation, maxOutputTokens: 100, signal };
    for await (const part of model.stream(request)) parts.push(part);
  };
  const reading = read().finally(() => {
    isOver = true;
  });
  await clock.advanceUntil(() => isOver);
  await reading;
  return parts;
}

function textOf(parts: readonly ModelPart[]): string {
  const end = parts.at(-1);
  const [block] = end?.type === "finish" ? end.blocks : [];
  return block?.type === "text" ? block.text : JSON.stringify(end);
}

function typesOf(parts: readonly ModelPart[]): string[] {
  return parts.map(({ type }) => type);
}

function changesIn(parts: readonly ModelPart[]): object[] {
  return parts.flatMap((part) => {
    if (part.type !== "model-change") return [];
    const { type: _, ...change } = part;
    return [change];
  });
}
