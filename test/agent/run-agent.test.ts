import { expect, test } from "vitest";
import { z } from "zod";
import { runAgent } from "../../src/agent/run-agent.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { interrupt, leave } from "../../src/lib/leaving.ts";
import type { ModelFailure } from "../../src/model/model-failure.ts";
import { RequestApprovals } from "../../src/permissions/approvals.ts";
import { MemberName, user } from "../../src/protocol/ids.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import {
  calls,
  fails,
  reply,
  ScriptedModel,
  type ScriptStep,
  says,
  streams,
  thinks,
} from "../../src/testing/scripted-model.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { alwaysAsks } from "../support/judges.ts";

test("a tool call is run, its result goes to the model, and a final reply follows", async () => {
  const model = new ScriptedModel([calls("look", { value: "here" }), says("Found it.")]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", (value) => `looked ${value}`)],
  });
  await test.tell("Look.");

  const { events, end } = await test.run();

  expect(events.map(({ type }) => type)).toEqual([
    "run-start",
    "message-delivered",
    "turn-start",
    "model-call",
    "tool-call",
    "tool-result",
    "turn-end",
    "turn-start",
    "text-delta",
    "model-call",
    "turn-end",
    "run-end",
  ]);
  expect(end).toEqual({ outcome: "done", answers: ["Found it."] });
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    type: "results",
    results: [{ output: "looked here", is_error: false }],
  });
  model.assertDone();
});

test("P18 an impossible usage causes a warning", async () => {
  const usage = { input_tokens: 9, output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0 };
  const blocks = [says("Done.")];
  const usageWarning = "x/y reports a usage that cannot be true";
  const model = new ScriptedModel([
    streams({ type: "finish", blocks, stop: "end", usage, usageWarning }),
  ]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  const { events, end } = await test.run();

  expect(end).toMatchObject({ outcome: "done" });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "warning", message: usageWarning }),
  );
});

test("without new input the model is not called", async () => {
  const model = new ScriptedModel([]);
  await using test = await TestAgent.open(model);

  expect((await test.run()).end).toEqual({ outcome: "done", answers: [] });
  model.assertDone();
});

test("mail that comes while other mail is recorded is in the same request", async () => {
  const model = new ScriptedModel([says("Seen both.")]);
  await using test = await TestAgent.open(model);
  await test.tell("First report.");
  const { input } = test.agent.options;
  const { takeIn } = input;
  let isFirst = true;
  input.takeIn = async (mail, record) => {
    const taken = await takeIn(mail, record);
    if (isFirst) await test.tell("Second report.");
    isFirst = false;
    return taken;
  };

  const { events } = await test.run();

  expect(JSON.stringify(model.requests[0]?.conversation)).toMatch(/First report.*Second report/);
  expect(model.requests).toHaveLength(1);
  expect(events.filter(({ type }) => type === "message-delivered")).toHaveLength(2);
});

test("mail is settled once it is in the transcript and off the mailbox", async () => {
  await using test = await TestAgent.open(new ScriptedModel([]));
  await test.tell("Go.");
  const { input } = test.agent.options;
  const mail = await input.take(true);
  let record = () => {};
  const recorded = new Promise<void>((resolve) => {
    record = resolve;
  });
  const taking = test.agent.takeIn(mail, () => recorded);
  const leftThen = test.agent.mailSettled().then(() => input.take(true));
  expect(await input.take(true)).toHaveLength(1);

  record();
  await taking;

  expect(await leftThen).toEqual([]);
});

test.each<[string, (run: AbortController) => void, number, string | undefined]>([
  ["its member ends", (run) => interrupt(run, "it is stopped"), 0, "interrupted"],
  ["its process leaves", leave, 0, undefined],
  ["the person interrupts it", interrupt, 1, "interrupted"],
])("of mail that is read while %s, a run takes nothing or all", async (_, stop, shown, outcome) => {
  await using test = await TestAgent.open(new ScriptedModel([]));
  await test.tell("Go.");
  const { input } = test.agent.options;
  const take = input.take.bind(input);
  const run = new AbortController();
  input.take = async (...asked) => {
    const mail = await take(...asked);
    stop(run);
    return mail;
  };

  const { events, end } = await test.run(run.signal);

  expect(events.filter(({ type }) => type === "message-delivered")).toHaveLength(shown);
  expect(await take(true)).toHaveLength(1 - shown);
  expect(end?.outcome).toBe(outcome);
});

test("P02 mail that comes in the middle of a run is in the very next request, after the results", async () => {
  const model = new ScriptedModel([calls("look", { value: "" }), says("Both done.")]);
  await using test = await TestAgent.open(model, {
    tools: [
      testTool("look", async () => {
        await test.tell("And the other one.");
        return "seen";
      }),
    ],
  });
  await test.tell("Look.");

  await test.run();

  expect(model.requests[1]?.conversation.slice(-2)).toMatchObject([
    { type: "results", results: [{ output: "seen" }] },
    { type: "input", texts: ["And the other one."] },
  ]);
});

test("mail that is shown in a tool result is acknowledged, reported, and not shown again", async () => {
  const model = new ScriptedModel([calls("wait", {}), says("Seen.")]);
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    input: z.object({}),
    action: () => ({ type: "coordinate" }),
    run: async () => {
      await test.tell("Meanwhile.");
      const mail = await test.member.reader.unread();
      return { text: "They wrote: Meanwhile.", isError: false, mail };
    },
  });
  await using test = await TestAgent.open(model, { tools: [wait] });
  await test.tell("Wait.");

  const { events } = await test.run();

  const delivered = events.filter(({ type }) => type === "message-delivered");
  expect(delivered).toHaveLength(2);
  expect(await test.member.reader.unread()).toEqual([]);
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    type: "results",
    results: [{ output: "They wrote: Meanwhile." }],
  });
});

test("mail that arrives during the last reply is answered in the same run", async () => {
  const model = new ScriptedModel([says("One."), says("Two.")]);
  await using test = await TestAgent.open(model);
  await test.tell("First.");

  const { end } = await test.run(undefined, async ({ type }) => {
    if (type === "text-delta" && model.requests.length === 1) await test.tell("Second.");
  });

  expect(end?.answers).toEqual(["One.", "Two."]);
});

test("read-only calls run in parallel; a change waits for them, and they wait for it", async () => {
  const log: string[] = [];
  const names = ["read", "read", "write", "read"];
  const blocks = names.map((name, index) => calls(name, { value: `${name}${index}` }));
  const model = new ScriptedModel([reply(blocks), says("Done.")]);
  let both: () => void = () => undefined;
  const bothReading = new Promise<void>((resolve) => {
    both = resolve;
  });
  const track = async (value: string) => {
    log.push(`+${value}`);
    if (value === "read1") both();
    // The first read only ends once the second has begun: in order it would wait for ever.
    if (value === "read0") await bothReading;
    await new Promise(setImmediate);
    log.push(`-${value}`);
    return value;
  };
  await using test = await TestAgent.open(model, {
    tools: [testTool("read", track), testTool("write", track)],
    permissions: {
      judge: async ({ tool }) => ({ decision: "allow", reason: "", isReadOnly: tool === "read" }),
    },
  });
  await test.tell("Go.");

  await test.run();

  expect(log.slice(0, 2)).toEqual(["+read0", "+read1"]);
  expect(log.slice(4)).toEqual(["+write2", "-write2", "+read3", "-read3"]);
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [{ output: "read0" }, { output: "read1" }, { output: "write2" }, { output: "read3" }],
  });
});

test.each([
  ["an unknown tool", "missing", {}, 'No tool is named "missing". Tools: look.'],
  ["a prototype's name", "constructor", {}, 'No tool is named "constructor"'],
  ["a missing argument", "look", {}, "Invalid input for look: value:"],
  ["a wrong type", "look", { value: 7 }, "Invalid input for look: value:"],
  ["text that is no JSON", "look", '{"value": "a', "Invalid input for look"],
  ["null", "look", null, "Invalid input for look"],
])("%s is an error that the model can correct", async (_, name, input, problem) => {
  const model = new ScriptedModel([calls(name, input), says("Sorry.")]);
  await using test = await TestAgent.open(model, { tools: [testTool("look", () => "seen")] });
  await test.tell("Go.");

  const { end } = await test.run();

  expect(end?.outcome).toBe("done");
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [{ is_error: true, output: expect.stringContaining(problem) }],
  });
});

test("calls with the same id, or none, each get their own answer", async () => {
  const blocks = ["x", "x", "", "not an id!"].map((id) => calls("look", { value: id }, id));
  const model = new ScriptedModel([
    reply(blocks),
    calls("look", { value: "again" }, "x"),
    says("Done."),
  ]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", (value) => `saw ${value}`)],
  });
  await test.tell("Go.");

  await test.run();

  const ids = model.requests[2]?.conversation.flatMap((utterance) =>
    utterance.type === "results" ? utterance.results.map(({ call_id }) => call_id) : [],
  );
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
  for (const id of ids ?? []) expect(id).toMatch(/^[\w-]{1,64}$/);
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [
      { output: "saw x" },
      { output: "saw x" },
      { output: "saw " },
      { output: "saw not an id!" },
    ],
  });
});

test("P17 a reply that reached its limit inside a call runs none of its calls", async () => {
  const ran: string[] = [];
  const model = new ScriptedModel([
    reply([calls("look", { value: "a" }), calls("look", { value: "b" })], { stop: "length" }),
    says("Smaller then."),
  ]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", (value) => `${ran.push(value)}`)],
  });
  await test.tell("Go.");

  const { end } = await test.run();

  expect(ran).toEqual([]);
  expect(end?.outcome).toBe("done");
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [
      { is_error: true, output: expect.stringContaining("none of its calls was run") },
      { is_error: true },
    ],
  });
});

test("a text that reached its limit is continued, but not forever", async () => {
  const cut = reply([says("and ")], { stop: "length" });
  const model = new ScriptedModel([cut, says("so on.")]);
  await using test = await TestAgent.open(model);
  await test.tell("Tell me.");

  expect((await test.run()).end).toEqual({ outcome: "done", answers: ["and so on."] });

  const stubborn = new ScriptedModel([cut, cut, cut, cut]);
  await using other = await TestAgent.open(stubborn);
  await other.tell("Tell me.");

  expect((await other.run()).end).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("4 times in a row"),
  });
});

const roomForMore = {
  maxTurns: 200,
  maxOutputTokens: 100,
  raisedOutputTokens: 5_000,
  contextTokens: 100_000,
};

test("a reply that was cut at its limit is requested once more with all that the model allows", async () => {
  const cut = reply([says("A long ")], { stop: "length" });
  const model = new ScriptedModel([cut, calls("look", { value: "1" }), says("Done.")]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", (value) => value)],
    limits: roomForMore,
  });
  await test.tell("Tell me.");

  const { end, events } = await test.run();

  expect(end).toEqual({ outcome: "done", answers: ["Done."] });
  expect(model.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 5_000, 5_000]);
  expect(model.requests[1]?.conversation).toEqual(model.requests[0]?.conversation);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "reply-restart",
      reason: "the reply was cut at 100 tokens, so it is requested with up to 5000",
    }),
  );
  expect([...(await test.ledger.totals()).values()]).toMatchObject([{ calls: 3 }]);
});

test("no request asks for a longer reply than the context has room for", async () => {
  const first = reply([calls("look", { value: "1" })], { usage: { input_tokens: 11_000 } });
  const model = new ScriptedModel([first, says("Done.")]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", (value) => value)],
    limits: { maxTurns: 200, maxOutputTokens: 12_000, contextTokens: 22_500 },
  });
  await test.tell("Tell me.");

  await test.run();

  const [usual, left] = model.requests.map(({ maxOutputTokens }) => maxOutputTokens);
  expect(usual).toBe(12_000);
  expect(left).toBeLessThan(11_500);
  expect(left).toBeGreaterThan(11_000);
});

test("a reply that is cut at the raised limit too is continued, and the run fails with what to set", async () => {
  const cut = reply([says("and ")], { stop: "length" });
  const model = new ScriptedModel([cut, cut, cut, cut, cut]);
  await using test = await TestAgent.open(model, { limits: roomForMore });
  await test.tell("Tell me.");

  const { end } = await test.run();

  expect(end).toMatchObject({
    outcome: "failed",
    reason: "its reply was cut short 4 times in a row, at 5000 tokens",
    hint: expect.stringContaining("max-output"),
  });
  model.assertDone();
});

test("where the raised limit is refused, the reply that was cut is continued", async () => {
  const cut = reply([says("and ")], { stop: "length" });
  const failure: ModelFailure = { kind: "bad-request", message: "max_tokens is too large" };
  const model = new ScriptedModel([cut, fails(failure), says("so on.")]);
  await using test = await TestAgent.open(model, { limits: roomForMore });
  await test.tell("Tell me.");

  expect((await test.run()).end).toEqual({ outcome: "done", answers: ["and so on."] });
  expect(model.requests.at(-1)?.maxOutputTokens).toBe(100);
});

test.each(["overloaded", "too-long", "cut", "malformed"] as const)(
  "a reply that was cut is not lost if the longer one fails as %s",
  async (kind) => {
    const cut = reply([says("and ")], { stop: "length" });
    const failure: ModelFailure = { kind, message: "It failed" };
    const model = new ScriptedModel([cut, fails(failure), says("so on.")]);
    await using test = await TestAgent.open(model, { limits: roomForMore });
    await test.tell("Tell me.");

    const { end, events } = await test.run();

    expect(end).toEqual({ outcome: "done", answers: ["and so on."] });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "warning",
        message: "The longer reply did not come, so the one that was cut counts: It failed",
      }),
    );
    model.assertDone();
  },
);

test("the raised limit leaves room for the conversation", async () => {
  const cut = reply([says("and ")], { stop: "length" });
  const model = new ScriptedModel([cut, says("Done.")]);
  await using test = await TestAgent.open(model, {
    limits: { ...roomForMore, contextTokens: 8_000 },
  });
  await test.tell("x".repeat(15_000));

  await test.run();

  const [, raised = 0] = model.requests.map(({ maxOutputTokens }) => maxOutputTokens);
  expect(raised).toBeGreaterThan(100);
  expect(raised).toBeLessThan(5_000);
});

test("a refusal fails the run, is not sent back, and the member continues with the next mail", async () => {
  const model = new ScriptedModel([
    reply([says("I can't")], { stop: "refusal" }),
    says("This I can."),
  ]);
  await using test = await TestAgent.open(model);
  await test.tell("Do wrong.");

  expect((await test.run()).end).toMatchObject({ outcome: "failed" });

  await test.tell("Do right.");

  expect((await test.run()).end?.outcome).toBe("done");
  expect(model.requests[1]?.conversation).toEqual([
    { type: "input", texts: ["Do wrong.", "Do right."] },
  ]);
});

test.each(["pause", "overflow"] as const)("%s is continued", async (stop) => {
  const model = new ScriptedModel([reply([says("Half and ")], { stop }), says("whole.")]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  expect((await test.run()).end).toEqual({ outcome: "done", answers: ["Half and whole."] });
});

test("an unknown stop reason is reported; without any text it fails the run", async () => {
  const model = new ScriptedModel([
    reply([says("Hm.")], { stop: "other", rawStop: "eureka" }),
    reply([], { stop: "other", rawStop: "eureka" }),
  ]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  const { events, end } = await test.run();
  expect(end).toMatchObject({ outcome: "done", answers: ["Hm."] });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "warning", message: expect.stringContaining("eureka") }),
  );

  await test.tell("And?");
  expect((await test.run()).end).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("eureka"),
  });
});

test("a stop without any reason is reported as one, and its calls are run", async () => {
  const model = new ScriptedModel([
    reply([calls("look", { value: "" })], { stop: "other" }),
    reply([], { stop: "other" }),
  ]);
  await using test = await TestAgent.open(model, { tools: [testTool("look", () => "seen")] });
  await test.tell("Go.");

  const { events, end } = await test.run();

  const reason = "the model stopped for an unknown reason (none given)";
  expect(events).toContainEqual(
    expect.objectContaining({ type: "warning", message: `In this reply ${reason}` }),
  );
  expect(end).toMatchObject({ outcome: "failed", reason });
});

test("a call with invalid input is answered with the reason, and not judged", async () => {
  const model = new ScriptedModel([calls("look", { value: 7 }), says("Sorry.")]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", () => "seen")],
    permissions: { judge: () => Promise.reject(new Error("There is nothing to judge")) },
  });
  await test.tell("Go.");

  await test.run();

  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [{ is_error: true, output: expect.stringMatching(/input.*value/is) }],
  });
});

test("a member's profile is in its transcript once, and again when its prompt or model changes", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const profilesAfter = async (system: string, id: string) => {
    await using test = await TestAgent.open(new ScriptedModel([], { id }), { store, system });
    await test.agent.record({ type: "note", text: "…", wakes: false });
    return (await test.member.transcript.tail()).filter(({ type }) => type === "profile").length;
  };

  expect(await profilesAfter("You lead.", "a/b")).toBe(1);
  expect(await profilesAfter("You lead.", "a/b")).toBe(1);
  expect(await profilesAfter("You follow.", "a/b")).toBe(2);
  expect(await profilesAfter("You follow.", "a/c")).toBe(3);
});

test("the first model of a list that was set is named before it answers", async () => {
  await using test = await TestAgent.open(new ScriptedModel([]));
  const { bill, limits } = test.agent.options;
  const listed = Object.assign(new ScriptedModel([]), { id: "a/first, b/second" });

  test.agent.setModel({ model: listed, bill, limits });

  expect(test.agent.answeringModel).toBe("a/first");
});

test("an empty reply after results ends the run instead of being repeated", async () => {
  const model = new ScriptedModel([calls("look", { value: "" }), reply([])]);
  await using test = await TestAgent.open(model, { tools: [testTool("look", () => "seen")] });
  await test.tell("Go.");

  expect((await test.run()).end).toEqual({ outcome: "done", answers: [] });
  model.assertDone();
});

test.each([
  ["of the person", user, 1],
  ["of a member", MemberName.parse("alice"), 0],
])("an empty reply to a prompt %s is told: %s, %i times", async (_, from, times) => {
  await using test = await TestAgent.open(new ScriptedModel([reply([])]));
  await test.member.mailbox.append({ type: "message", from, content: "Go." });

  const { events, end } = await test.run();

  const warnings = events.filter(({ type }) => type === "warning");
  expect(warnings).toHaveLength(times);
  expect(JSON.stringify(warnings).includes("The reply was empty")).toBe(times > 0);
  expect(end).toEqual({ outcome: "done", answers: [] });
});

test("a failure of the provider ends the run with its message and hint", async () => {
  const failure: ModelFailure = { kind: "bad-key", message: "The key was refused", hint: "Set it" };
  const model = new ScriptedModel([fails(failure), says("Now then.")]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  expect((await test.run()).end).toEqual({
    outcome: "failed",
    reason: "The key was refused",
    hint: "Set it",
    isUnanswered: true,
    answers: [],
  });
  expect((await test.run()).end?.answers).toEqual(["Now then."]);
});

test("waits and retries are events, and every attempt is on the bill", async () => {
  const usage = { input_tokens: 7, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  const failure: ModelFailure = { kind: "cut", message: "The stream was cut" };
  const model = new ScriptedModel([
    streams(
      { type: "waiting", reason: "rate limit", delayMs: 3 },
      { type: "text-delta", text: "ha" },
      { type: "restart", failure, usage },
      { type: "text-delta", text: "hello" },
      { type: "finish", blocks: [says("hello")], stop: "end", usage },
    ),
  ]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  const { events, end } = await test.run();

  expect(events).toContainEqual(expect.objectContaining({ type: "model-wait", delay_ms: 3 }));
  expect(events).toContainEqual(expect.objectContaining({ type: "reply-restart" }));
  expect(end?.answers).toEqual(["hello"]);
  expect([...(await test.ledger.totals()).values()]).toMatchObject([
    { calls: 2, input_tokens: 14 },
  ]);
});

test("an interrupted model call ends the run, and its partial reply is discarded", async () => {
  const person = new AbortController();
  const interrupted: ScriptStep = () => {
    person.abort();
    return new Promise<ScriptStep>(() => undefined);
  };
  const model = new ScriptedModel([interrupted, says("Again.")]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  const { end } = await test.run(person.signal);

  expect(end).toEqual({ outcome: "interrupted", answers: [] });
  await test.tell("Again, please.");
  await test.run();
  expect(model.requests[1]?.conversation).toEqual([
    { type: "input", texts: ["Go.", "(The person interrupted you here.)", "Again, please."] },
  ]);
});

test("an interrupted tool returns its output so far, and the calls after it are not run", async () => {
  const person = new AbortController();
  const ran: string[] = [];
  const tool = testTool("work", (value, signal) => {
    ran.push(value);
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve("half done"));
      person.abort();
    });
  });
  const model = new ScriptedModel([
    reply([calls("work", { value: "1" }), calls("work", { value: "2" })]),
    says("I see."),
  ]);
  await using test = await TestAgent.open(model, {
    tools: [tool],
    permissions: { judge: async () => ({ decision: "allow", reason: "", isReadOnly: false }) },
  });
  await test.tell("Go.");

  expect((await test.run(person.signal)).end?.outcome).toBe("interrupted");

  await test.tell("Go on.");
  await test.run();
  expect(ran).toEqual(["1"]);
  expect(model.requests[1]?.conversation.slice(-2)).toMatchObject([
    {
      results: [
        { output: "half done" },
        { is_error: true, output: expect.stringContaining("Not run") },
      ],
    },
    { texts: ["(The person interrupted you here.)", "Go on."] },
  ]);
});

test("when the process exits, calls that have not started are left for the next start", async () => {
  const leaving = new AbortController();
  const ran: string[] = [];
  const tool = testTool("work", (value) => {
    ran.push(value);
    if (value === "1") leave(leaving);
    return `did ${value}`;
  });
  const model = new ScriptedModel([
    reply([calls("work", { value: "1" }), calls("work", { value: "2" })]),
    says("Both done."),
  ]);
  const options = {
    tools: [tool],
    permissions: {
      judge: async () => ({ decision: "allow", reason: "", isReadOnly: false }) as const,
    },
  };
  await using first = await TestAgent.open(model, options);
  await first.tell("Go.");

  expect((await first.run(leaving.signal)).end).toBeUndefined();
  expect(ran).toEqual(["1"]);

  await using second = await TestAgent.open(model, { ...options, store: first.store });
  const { end } = await second.run();

  expect(end?.outcome).toBe("done");
  expect(ran).toEqual(["1", "2"]);
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [{ output: "did 1" }, { output: "did 2" }],
  });
});

test("P08 a call that was running when the process died is answered as unknown, and not run again", async () => {
  const ran: string[] = [];
  const model = new ScriptedModel([says("I look first.")]);
  await using first = await TestAgent.open(new ScriptedModel([]));
  await first.tell("Go.");
  const mail = await first.agent.options.input.take(true);
  await first.agent.takeIn(mail, (taken) => first.agent.append(taken));
  await first.agent.record(
    { type: "reply", blocks: [calls("work", { value: "1" }, "a")], stop: "tool-calls" },
    { type: "tool-start", call_id: "a" },
  );

  await using second = await TestAgent.open(model, {
    tools: [testTool("work", (value) => `${ran.push(value)}`)],
    store: first.store,
  });
  await second.run();

  expect(ran).toEqual([]);
  expect(model.requests[0]?.conversation.at(-1)).toMatchObject({
    results: [{ is_error: true, output: expect.stringMatching(/^Outcome unknown/) }],
  });
});

test("at the turn limit a run ends with every call answered, and the next run continues", async () => {
  const model = new ScriptedModel([
    calls("look", { value: "1" }),
    calls("look", { value: "2" }),
    says("Done."),
  ]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", (value) => value)],
    limits: { maxTurns: 2, maxOutputTokens: 100, contextTokens: 100_000 },
  });
  await test.tell("Go.");

  expect((await test.run()).end).toMatchObject({ outcome: "turn-limit" });
  expect((await test.run()).end).toMatchObject({ outcome: "done" });
});

test("P18 a budget ends the run at the first request beyond it, and the bill has the actual usage", async () => {
  const usage = { input_tokens: 600_000, output_tokens: 100_000 };
  const model = new ScriptedModel([reply([calls("look", { value: "" })], { usage })]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", () => "seen")],
    budget: { maxCostUsd: 1.5 },
  });
  await test.tell("Go.");

  const { end } = await test.run();

  expect(end).toMatchObject({
    outcome: "budget",
    reason: "The team's budget of $1.5 is used up ($1.6000)",
  });
  expect([...(await test.ledger.totals()).values()]).toMatchObject([{ calls: 1, cost_usd: 1.6 }]);
  model.assertDone();
});

test("the same call a thousand times is stopped", async () => {
  const step = () => calls("look", { value: "again" });
  const model = new ScriptedModel(Array.from({ length: 1_000 }, () => step));
  let ran = 0;
  await using test = await TestAgent.open(model, {
    tools: [
      testTool("look", () => {
        ran++;
        return "nothing";
      }),
    ],
    limits: { maxTurns: 2_000, maxOutputTokens: 100, contextTokens: 100_000 },
  });
  await test.tell("Go.");

  const { end } = await test.run();

  expect(end).toMatchObject({ outcome: "failed", reason: expect.stringContaining("same call") });
  expect(ran).toBeLessThan(20);
  expect(model.requests.length).toBeLessThan(40);
});

test("a repeated call with new results, such as polling, is not stopped", async () => {
  const steps = Array.from({ length: 50 }, () => () => calls("look", { value: "again" }));
  const model = new ScriptedModel([...steps, says("Done.")]);
  let progress = 0;
  await using test = await TestAgent.open(model, {
    tools: [testTool("look", () => `${progress++} %`)],
  });
  await test.tell("Go.");

  expect((await test.run()).end?.outcome).toBe("done");
});

test("a call that needs approval runs when allowed, and returns an error when denied", async () => {
  const ran: string[] = [];
  const blocks = [calls("work", { value: "good" }), calls("work", { value: "bad" })];
  const model = new ScriptedModel([reply(blocks), says("I see.")]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("work", (value) => `${ran.push(value)}`)],
    permissions: alwaysAsks,
    approvals: {
      ask: async ({ input }) =>
        JSON.stringify(input).includes("good")
          ? { type: "allowed" }
          : { type: "denied", reason: "not today" },
    },
  });
  await test.tell("Go.");

  await test.run();

  expect(ran).toEqual(["good"]);
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [{ is_error: false }, { is_error: true, output: "Error: Denied: not today" }],
  });
});

test("thoughts are sent back with their provider's data", async () => {
  const thought = thinks("hm", "sig");
  const model = new ScriptedModel([
    reply([thought, calls("look", { value: "" }, "a")]),
    says("Done."),
  ]);
  await using test = await TestAgent.open(model, { tools: [testTool("look", () => "seen")] });
  await test.tell("Go.");

  await test.run();

  expect(model.requests[1]?.conversation[1]).toMatchObject({ blocks: [thought, { name: "look" }] });
});

test("a consumer that stops listening in the middle of a tool stops the tool", async () => {
  const model = new ScriptedModel([calls("work", { value: "1" })]);
  let wasStopped = false;
  const tool = testTool("work", (_, signal) => {
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        wasStopped = true;
        resolve("stopped");
      });
    });
  });
  await using test = await TestAgent.open(model, { tools: [tool] });
  await test.tell("Go.");

  for await (const { type } of runAgent(test.agent, new AbortController().signal)) {
    if (type === "tool-call") break;
  }

  expect(wasStopped).toBe(true);
  expect(test.agent.conversation.openCalls).toEqual([]);
});

test("a tool that throws fails its member, including parallel reads, and no other member", async () => {
  const bug = new Error("a bug");
  const model = new ScriptedModel([
    reply([
      calls("read", { value: "good" }),
      calls("read", { value: "bad" }),
      calls("read", { value: "good" }),
    ]),
  ]);
  await using test = await TestAgent.open(model, {
    tools: [
      testTool("read", async (value) => {
        if (value === "bad") throw bug;
        await new Promise(setImmediate);
        return "read";
      }),
    ],
  });
  await test.tell("Go.");

  // While the run is looked at slowly, its failure waits: unhandled it would fail this whole file.
  await expect(test.run(undefined, () => new Promise(setImmediate))).rejects.toBe(bug);
});

test("P25 only a few of the reads in one reply run at once", async () => {
  const atOnce = 8;
  let running = 0;
  let most = 0;
  let goOn = () => {};
  const allRunning = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const blocks = Array.from({ length: 100 }, (_, index) => calls("read", { value: `${index}` }));
  const model = new ScriptedModel([reply(blocks), says("Read.")]);
  await using test = await TestAgent.open(model, {
    tools: [
      testTool("read", async (value) => {
        most = Math.max(most, ++running);
        // None ends before so many have begun: one after the other they would wait for ever.
        if (running === atOnce) goOn();
        await allRunning;
        await new Promise(setImmediate);
        running--;
        return value;
      }),
    ],
  });
  await test.tell("Read.");

  await test.run();

  expect(most).toBe(atOnce);
});

test("only consecutive cut replies count, including those cut inside a call", async () => {
  const cut = reply([says("and ")], { stop: "length" });
  const step = (index: number) => calls("look", { value: `${index}` });
  const model = new ScriptedModel([cut, step(1), cut, step(2), cut, step(3), cut, says("Done.")]);
  await using test = await TestAgent.open(model, { tools: [testTool("look", (value) => value)] });
  await test.tell("Go.");

  expect((await test.run()).end?.outcome).toBe("done");

  const inside = () => reply([calls("look", { value: "" })], { stop: "length" });
  const stubborn = new ScriptedModel(Array.from({ length: 50 }, () => inside));
  await using other = await TestAgent.open(stubborn, { tools: [testTool("look", () => "seen")] });
  await other.tell("Go.");

  expect((await other.run()).end).toMatchObject({ outcome: "failed" });
  expect(stubborn.requests).toHaveLength(4);
});

test("P18 failed attempts count against the budget, and stop when it is used up", async () => {
  const usage = {
    input_tokens: 9_000,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
  };
  const failure: ModelFailure = { kind: "cut", message: "cut" };
  const restart = { type: "restart", failure, usage } as const;
  const model = new ScriptedModel([
    streams(restart, restart, restart, {
      type: "finish",
      blocks: [says("late")],
      stop: "end",
      usage,
    }),
  ]);
  await using test = await TestAgent.open(model, { budget: { maxTokens: 10_000 } });
  await test.tell("Go.");

  expect((await test.run()).end).toMatchObject({ outcome: "budget", answers: [] });
  expect([...(await test.ledger.totals()).values()]).toMatchObject([{ calls: 2 }]);
});

test("two alternating calls without new results are stopped too", async () => {
  const step = (value: string) => () => calls("look", { value });
  const model = new ScriptedModel(
    Array.from({ length: 200 }, (_, index) => step(index % 2 === 0 ? "a" : "b")),
  );
  await using test = await TestAgent.open(model, { tools: [testTool("look", (value) => value)] });
  await test.tell("Go.");

  expect((await test.run()).end?.outcome).toBe("failed");
  expect(model.requests.length).toBeLessThan(30);
});

test("a model that makes many equal calls in one reply is warned before its run ends", async () => {
  const many = () => reply(Array.from({ length: 12 }, () => calls("look", { value: "a" })));
  const model = new ScriptedModel([many, many, says("I see.")]);
  await using test = await TestAgent.open(model, { tools: [testTool("look", () => "same")] });
  await test.tell("Go.");

  expect((await test.run()).end).toMatchObject({ outcome: "done", answers: ["I see."] });
  expect(JSON.stringify(model.requests.at(-1)?.conversation)).toContain("brought nothing new");
});

test("the same check after each of many changes does not count as repetition", async () => {
  const steps = Array.from({ length: 30 }, (_, index) => [
    calls("edit", { value: `${index}` }),
    calls("check", { value: "" }),
  ]).flat();
  const model = new ScriptedModel([...steps, says("Done.")]);
  let checks = 0;
  await using test = await TestAgent.open(model, {
    tools: [
      testTool("edit", () => "edited"),
      testTool("check", () => {
        checks++;
        return "1 failed";
      }),
    ],
  });
  await test.tell("Go.");

  expect((await test.run()).end?.outcome).toBe("done");
  expect(checks).toBe(30);
});

test.each([
  [
    "an interruption",
    (controller: AbortController) => controller.abort(),
    "cancelled",
    "interrupted",
  ],
  ["leaving", leave, "pending", undefined],
] as const)(
  "%s while a person is asked leaves a valid conversation",
  async (_, stop, state, outcome) => {
    const ran: string[] = [];
    const model = new ScriptedModel([
      reply([calls("work", { value: "1" }), calls("work", { value: "2" })]),
      says("Done."),
    ]);
    const store = new MemoryTeamStore({ clock: systemClock });
    const options = {
      store,
      tools: [testTool("work", (value) => `${ran.push(value)}`)],
      permissions: alwaysAsks,
      approvals: new RequestApprovals(store.requests),
    };
    await using first = await TestAgent.open(model, options);
    await first.tell("Go.");
    const person = new AbortController();
    store.requests.onChange(() => stop(person));

    expect((await first.run(person.signal)).end?.outcome).toBe(outcome);
    expect(await store.requests.list()).toMatchObject([{ state }]);
    expect(ran).toEqual([]);

    const allowAll = store.requests.onChange(({ id, hash, state }) => {
      if (state !== "pending") return;
      void store.requests.decide(id, { by: user, state: "approved", hash }).catch(() => undefined);
    });
    const [open] = await store.requests.list({ state: "pending" });
    await using second = await TestAgent.open(model, options);
    await second.tell("Go on.");
    const run = second.run();
    if (open) {
      await store.requests.decide(open.id, { by: user, state: "approved", hash: open.hash });
    }
    expect((await run).end?.outcome).toBe("done");
    // What was left open runs once it is allowed; what was interrupted does not run any more.
    expect(ran).toEqual(state === "pending" ? ["1", "2"] : []);
    allowAll();
  },
);
