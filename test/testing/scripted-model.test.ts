import { expect, test } from "vitest";
import type { ModelPart, ModelRequest } from "../../src/model/model.ts";
import { StopReason } from "../../src/protocol/transcript.ts";
import { testModel } from "../../src/testing/conformance/model.ts";
import {
  calls,
  fails,
  hangs,
  reply,
  ScriptedModel,
  type ScriptStep,
  says,
  streams,
  thinks,
} from "../../src/testing/scripted-model.ts";

test("a scripted model plays its steps in order and records its requests", async () => {
  const call = calls("bash", { command: "ls" }, "call_1");
  const model = new ScriptedModel([reply([thinks("hm"), says("look:"), call]), says("done")]);

  expect(await ask(model, "first")).toEqual([
    { type: "thinking-delta", text: "hm" },
    { type: "text-delta", text: "look:" },
    expect.objectContaining({
      type: "finish",
      stop: "tool-calls",
      blocks: [thinks("hm"), says("look:"), call],
    }),
  ]);
  expect((await ask(model, "second")).at(-1)).toMatchObject({ type: "finish", stop: "end" });
  expect(model.requests.map(({ conversation }) => conversation)).toEqual([
    [{ type: "input", texts: ["first"] }],
    [{ type: "input", texts: ["second"] }],
  ]);
  model.assertDone();
});

test("a recorded request does not change if the conversation continues in the same array", async () => {
  const model = new ScriptedModel([says("hi")]);
  const conversation: ModelRequest["conversation"][number][] = [{ type: "input", texts: ["hi"] }];
  await collect(model, { ...request("hi"), conversation });

  conversation.push({ type: "input", texts: ["later"] });

  expect(model.requests[0]?.conversation).toHaveLength(1);
});

test("a call beyond the script is an error with its number, and the script is not done", async () => {
  const model = new ScriptedModel([says("only one")], { id: "scripted/alice" });
  await ask(model);

  expect(await ask(model)).toMatchObject([
    {
      type: "error",
      failure: {
        kind: "bad-request",
        message: expect.stringContaining("call 2 of scripted/alice"),
      },
    },
  ]);
  expect(() => model.assertDone()).toThrow("Unexpected call 2");
});

test("a step that was not played means the script is not done", async () => {
  expect(() => new ScriptedModel([says("unused")]).assertDone()).toThrow("called 0 times");
});

test("a step can fail, be given part by part, or depend on the request", async () => {
  const failure = { kind: "server", message: "Internal server error" } as const;
  const waiting = { type: "waiting", reason: "a rate limit", delayMs: 5 } as const;
  const error = { type: "error", failure } as const;
  const echo: ScriptStep = async ({ conversation }) => says(JSON.stringify(conversation));
  const model = new ScriptedModel([fails(failure, [says("half")]), streams(waiting, error), echo]);

  expect(await ask(model)).toEqual([{ type: "text-delta", text: "half" }, error]);
  expect(await ask(model)).toEqual([waiting, error]);
  expect((await ask(model, "marco"))[0]).toEqual({
    type: "text-delta",
    text: '[{"type":"input","texts":["marco"]}]',
  });
});

test("an abort ends a step that hangs, one that is streaming, and one that has not started", async () => {
  const model = new ScriptedModel([hangs(), reply([says("one"), says("two")]), says("late")]);
  const aborted = { type: "error", failure: { kind: "aborted" } };

  const hanging = new AbortController();
  const parts = collect(model, request("go", hanging.signal));
  hanging.abort();
  expect(await parts).toMatchObject([aborted]);

  const streaming = new AbortController();
  const seen: ModelPart[] = [];
  for await (const part of model.stream(request("go", streaming.signal))) {
    seen.push(part);
    streaming.abort();
  }
  expect(seen).toMatchObject([{ type: "text-delta", text: "one" }, aborted]);

  expect(await collect(model, request("go", AbortSignal.abort()))).toMatchObject([aborted]);
});

testModel("ScriptedModel", { stops: StopReason.options, thinks: true }, async (script) => ({
  model: new ScriptedModel(script),
  [Symbol.asyncDispose]: async () => undefined,
}));

function ask(model: ScriptedModel, text = "go"): Promise<ModelPart[]> {
  return collect(model, request(text));
}

function request(text: string, signal = new AbortController().signal): ModelRequest {
  return {
    system: "",
    tools: [],
    conversation: [{ type: "input", texts: [text] }],
    maxOutputTokens: 100,
    signal,
  };
}

async function collect(model: ScriptedModel, request: ModelRequest): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request)) parts.push(part);
  return parts;
}
