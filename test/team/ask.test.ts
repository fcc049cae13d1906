import { expect, test } from "vitest";
import { z } from "zod";
import { WakeLatch } from "../../src/lib/wake-latch.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { lastResult, never, nextQuestion, requestIdIn } from "../e2e/promises/scenes.ts";
import { shownIn, TeamOnWire } from "../support/team-on-wire.ts";

const Review = z.object({ verdict: z.enum(["good", "bad"]), lines: z.array(z.number()) });
const structuredResults = true;

const submits = (result: unknown) => (request: ProviderRequest) =>
  calls("submit_result", { request_id: requestIdIn(request), result });

test("ask resolves to the value that the lead hands in, and the lead is shown the schema", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("glob", { pattern: "*" }), submits({ verdict: "bad", lines: [3] }), says("Done.")],
  });
  const team = await wire.open({ structuredResults });

  const review = await team.ask("Review sum.mjs.", { schema: Review });

  expect(review).toEqual({ verdict: "bad", lines: [3] });
  const shown = shownIn(wire.requestsOf("lead")[0]);
  expect(shown).toContain("Review sum.mjs.");
  expect(shown).toContain('\\"enum\\":[\\"good\\",\\"bad\\"]');
  const { undecided } = await team.quiet();
  expect(undecided).toEqual([]);
});

test("a wrong result goes back to the lead with what is wrong, and the schema's own checks count", async () => {
  const Even = z.object({ count: z.number() }).refine(({ count }) => count % 2 === 0, "not even");
  await using wire = await TeamOnWire.start({
    lead: [submits({ count: "two" }), submits({ count: 3 }), submits({ count: 4 }), says("Done.")],
  });
  const team = await wire.open({ structuredResults });

  expect(await team.ask("Count.", { schema: Even })).toEqual({ count: 4 });
  await team.quiet();

  const [, second, third, fourth] = wire.requestsOf("lead").map(lastResult);
  expect(second).toEqual({
    text: expect.stringMatching(/^Error: The result is wrong: count: .*Call submit_result again/),
    isError: true,
  });
  expect(third?.text).toMatch(/not even/);
  expect(fourth).toEqual({ text: "Result accepted", isError: false });
});

test("a JSON Schema will do, and an object that comes as text is taken", async () => {
  await using wire = await TeamOnWire.start({
    lead: [submits('{"ok":"yes"}'), submits('{"ok":true}'), says("Done.")],
  });
  const team = await wire.open({ structuredResults });
  const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

  expect(await team.ask("Is it?", { schema })).toEqual({ ok: true });
});

test("a lead that ends without a result is reminded once, and then ask fails", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("It is fine.")] });
  const team = await wire.open({ structuredResults });

  await expect(team.ask("Review.", { schema: Review })).rejects.toMatchObject({
    code: "result-missing",
    message: "The lead has given no result: it ended without one",
  });
  expect(wire.requestsOf("lead")).toHaveLength(2);
  expect(wire.shownTo("lead")).toMatch(/the result of request_id=\S+ is missing/);
  expect(await team.requests({ type: "result" })).toMatchObject([{ state: "cancelled" }]);
});

test("P25 after five wrong results ask fails", async () => {
  await using wire = await TeamOnWire.start({
    lead: [...[1, 2, 3, 4, 5].map((number) => submits({ verdict: number })), says("I cannot.")],
  });
  const team = await wire.open({ structuredResults });

  await expect(team.ask("Review.", { schema: Review })).rejects.toMatchObject({
    code: "result-missing",
    message: expect.stringContaining("it was wrong 5 times: verdict: "),
  });
});

test("a result without a request_id is for the only question, and wrong ones are counted", async () => {
  const forgets = (result: unknown) => calls("submit_result", { result });
  await using wire = await TeamOnWire.start({
    lead: [
      forgets({ verdict: 1 }),
      forgets({ verdict: "good", lines: [] }),
      says("Done."),
      ...[1, 2, 3, 4, 5].map((number) => forgets({ verdict: number })),
      says("I cannot."),
    ],
  });
  const team = await wire.open({ structuredResults });

  expect(await team.ask("Review.", { schema: Review })).toEqual({ verdict: "good", lines: [] });
  await expect(team.ask("Review again.", { schema: Review })).rejects.toMatchObject({
    code: "result-missing",
    message: expect.stringContaining("it was wrong 5 times: verdict: "),
  });
});

test("where two results are asked for, one without a request_id is neither's, and the ids are named", async () => {
  const both = new WakeLatch();
  await using wire = await TeamOnWire.start({
    lead: [
      () =>
        both.next().then(() => calls("submit_result", { result: { verdict: "bad", lines: [] } })),
      ...[0, 1].map((index) => (request: ProviderRequest) => {
        const ids = [...shownIn(request).matchAll(/request_id=([\w-]+), before/g)];
        const result = { verdict: "good", lines: [index] };
        return calls("submit_result", { request_id: ids[index]?.[1], result });
      }),
      says("Done."),
    ],
  });
  const team = await wire.open({ structuredResults });

  const first = team.ask("Review.", { schema: Review });
  await wire.requested("lead", 1);
  const asked = nextQuestion(team, "result");
  const second = team.ask("Review again.", { schema: Review });
  await asked;
  both.wake();

  expect([await first, await second].map(({ lines }) => lines)).toEqual([[0], [1]]);
  const [, refused] = wire.requestsOf("lead").map(lastResult);
  expect(refused?.text).toMatch(/and there are several. Asked for: \S+, \S+/);
});

test("P13 a result counts once, for a question that is open", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("submit_result", { request_id: "01a1ed29-2029-7685-a6e3-d386f211d37a", result: 1 }),
      submits({ verdict: "good", lines: [] }),
      submits({ verdict: "bad", lines: [] }),
      says("Done."),
    ],
  });
  const team = await wire.open({ structuredResults });

  expect(await team.ask("Review.", { schema: Review })).toEqual({ verdict: "good", lines: [] });
  await team.quiet();

  const [, unknown, , again] = wire.requestsOf("lead").map(lastResult);
  expect(unknown?.text).toMatch(/No result is asked for as request_id .* Asked for: /);
  expect(again?.text).toMatch(/No result is asked for as request_id .* No result is asked for\./);
});

test("P08 an ask under the same id continues after a restart, and has its result from then on", async () => {
  await using wire = await TeamOnWire.start({
    lead: [never, submits({ verdict: "good", lines: [] }), says("Done.")],
  });
  const before = await wire.open({ structuredResults });
  const asked = nextQuestion(before, "result");
  const asking = before.ask("Review.", { schema: Review, id: "review-1" });
  const closed = expect(asking).rejects.toMatchObject({ code: "team-closed" });
  await asked;
  await wire.requested("lead", 1);
  await before.close();
  await closed;

  const team = await wire.open({ structuredResults });
  const review = await team.ask("Review.", { schema: Review, id: "review-1" });
  await team.quiet();
  const again = await team.ask("Review.", { schema: Review, id: "review-1" });

  expect(review).toEqual({ verdict: "good", lines: [] });
  expect(again).toEqual(review);
  expect(await team.requests({ type: "result" })).toHaveLength(1);
  expect(wire.requestsOf("lead")).toHaveLength(3);
});

test("a question whose lead ended without a result is asked again under its id", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Fine."), says("Fine."), submits({ verdict: "good", lines: [] }), says("Done.")],
  });
  const team = await wire.open({ structuredResults });
  const asking = () => team.ask("Review.", { schema: Review, id: "review-1" });
  await expect(asking()).rejects.toMatchObject({ code: "result-missing" });

  expect(await asking()).toEqual({ verdict: "good", lines: [] });
});

test.each([
  { id: "review-1", state: "pending" },
  { id: undefined, state: "cancelled" },
])(
  "ask stops waiting when its signal is aborted, and a question with the id $id is $state",
  async ({ id, state }) => {
    await using wire = await TeamOnWire.start({ lead: [never] });
    const team = await wire.open({ structuredResults });
    const stop = new AbortController();
    const asking = team.ask("Review.", { schema: Review, id, signal: stop.signal });
    const stopped = expect(asking).rejects.toThrow("enough");
    await wire.requested("lead", 1);
    stop.abort(new Error("enough"));
    await stopped;

    expect(await team.requests({ type: "result" })).toMatchObject([{ state }]);
  },
);

test("a question without an id ends with the process that asked it", async () => {
  await using wire = await TeamOnWire.start({ lead: [never] });
  const before = await wire.open({ structuredResults });
  const asking = before.ask("Review.", { schema: Review });
  const closed = expect(asking).rejects.toMatchObject({ code: "team-closed" });
  await wire.requested("lead", 1);
  await before.close();
  await closed;

  const team = await wire.open();

  expect(await team.requests({ type: "result" })).toMatchObject([{ state: "cancelled" }]);
});

test("only a lead of a team with structuredResults has the tool, and without it ask is refused", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")] });
  const team = await wire.open();

  await expect(team.ask("Review.", { schema: Review })).rejects.toMatchObject({
    code: "config-invalid",
    hint: "Open the team with structuredResults: true.",
  });
  await team.prompt("Hello.");
  await team.quiet();
  expect(JSON.stringify(wire.requestsOf("lead")[0]?.body.tools)).not.toContain("submit_result");
});

test("a schema that is none is refused, and nothing is asked", async () => {
  await using wire = await TeamOnWire.start({});
  const team = await wire.open({ structuredResults });

  await expect(team.ask("Go.", { schema: { type: "riddle" } })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("The schema of a result is wrong"),
  });
  expect(await team.requests()).toEqual([]);
});

test("a check that is asynchronous counts, and one that throws makes the result wrong", async () => {
  const Odd = z.object({ count: z.number() }).refine(async ({ count }) => {
    if (count > 9) throw new Error("the registry is down");
    return count % 2 === 1;
  }, "not odd");
  await using wire = await TeamOnWire.start({
    lead: [submits({ count: 2 }), submits({ count: 10 }), submits({ count: 3 }), says("Done.")],
  });
  const team = await wire.open({ structuredResults });

  expect(await team.ask("Count.", { schema: Odd })).toEqual({ count: 3 });
  const { end } = await team.quiet();

  expect(end?.outcome).toBe("done");
  const [, second, third] = wire.requestsOf("lead").map(lastResult);
  expect(second?.text).toContain("not odd");
  expect(third?.text).toContain("the program's own check failed: the registry is down");
});

test("another question under the id of an earlier one is refused", async () => {
  await using wire = await TeamOnWire.start({
    lead: [submits({ verdict: "good", lines: [] }), says("Done.")],
  });
  const team = await wire.open({ structuredResults });
  await team.ask("Review a.mjs.", { schema: Review, id: "review" });

  const again = team.ask("Review b.mjs.", { schema: Review, id: "review" });

  await expect(again).rejects.toMatchObject({
    ...{ code: "config-invalid", message: "Another question was asked under this id" },
  });
  expect(wire.requestsOf("lead")).toHaveLength(2);
});
