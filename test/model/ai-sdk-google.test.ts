import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import type { Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { googleSignature } from "../../src/testing/provider-server/google-wire.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";

const usageMetadata = {
  promptTokenCount: 1000,
  cachedContentTokenCount: 900,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 30,
};
const events = [
  { candidates: [{ content: { parts: [{ text: "Hm.", thought: true }] } }] },
  { candidates: [{ content: { parts: [{ text: "I look." }] } }] },
  {
    candidates: [
      {
        content: {
          parts: [{ functionCall: { name: "list", args: { path: "." } }, thoughtSignature: "sig" }],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata,
  },
];

test("a Gemini reply is received with its calls, signatures and usage", async () => {
  const { model } = await gemini(events);

  const parts = await collect(model);

  expect(lastOf(parts)).toMatchObject({
    type: "finish",
    stop: "tool-calls",
    rawStop: "STOP",
    blocks: [
      { type: "thinking", text: "Hm." },
      { type: "text", text: "I look." },
      { name: "list", input: { path: "." }, provider: { google: { thoughtSignature: "sig" } } },
    ],
    usage: { input_tokens: 100, cache_read_tokens: 900, output_tokens: 50, cache_write_tokens: 0 },
  });
});

test.each([-20, 1e300, 2.5])(
  "P18 %d tokens reported by Gemini are estimated instead",
  async (count) => {
    const odd = { ...usageMetadata, cachedContentTokenCount: 5000, candidatesTokenCount: count };
    const { model } = await gemini([...events.slice(0, 2), { ...events[2], usageMetadata: odd }]);

    const end = lastOf(await collect(model));

    expect(end).toMatchObject({
      usage: { input_tokens: 1000, cache_read_tokens: 0, output_tokens: expect.any(Number) },
      usageWarning: expect.stringMatching(/\((cache_read_tokens|output_tokens|, )+\)/),
    });
    expect(end?.type === "finish" && end.usage.output_tokens).toBeGreaterThan(10);
  },
);

test("P17 a Gemini reply without a finish reason is truncated", async () => {
  const { model } = await gemini(events.slice(0, 2));

  expect(lastOf(await collect(model))).toMatchObject({ type: "error", failure: { kind: "cut" } });
});

test("Gemini gets its signatures, the names of the results and their images back", async () => {
  const { model, bodies } = await gemini(events);
  const end = lastOf(await collect(model));
  if (end?.type !== "finish") throw new Error(JSON.stringify(end));
  const id = end.blocks.find((block) => block.type === "tool-call")?.call_id ?? "";
  const images = [{ media_type: "image/png", data: "aW1hZ2U=" }];
  const conversation: Utterance[] = [
    { type: "input", texts: ["Begin."] },
    { type: "reply", blocks: end.blocks },
    { type: "results", results: [{ call_id: id, output: "a.ts", is_error: false, images }] },
  ];

  await collect(model, { conversation });

  const { contents } = z.object({ contents: z.array(z.unknown()) }).parse(bodies[1]);
  expect(contents.slice(1)).toMatchObject([
    {
      role: "model",
      parts: [
        { text: "Hm.", thought: true },
        { text: "I look." },
        { functionCall: { name: "list", args: { path: "." } }, thoughtSignature: "sig" },
      ],
    },
    { role: "user", parts: [{ functionResponse: { name: "list" } }] },
  ]);
  expect(JSON.stringify(contents)).toContain("aW1hZ2U=");
});

test("Gemini gets no thoughts and signatures of another Gemini", async () => {
  const { model, bodies } = await gemini(events);
  const end = lastOf(await collect(model));
  if (end?.type !== "finish") throw new Error(JSON.stringify(end));
  const id = end.blocks.find((block) => block.type === "tool-call")?.call_id ?? "";
  const results = [{ call_id: id, output: "a.ts", is_error: false }];
  const begin: Utterance = { type: "input", texts: ["Begin."] };
  const after = async (author: string) => {
    const reply: Utterance = { type: "reply", model: author, blocks: end.blocks };
    await collect(model, { conversation: [begin, reply, { type: "results", results }] });
    return JSON.stringify(bodies.at(-1));
  };

  expect(await after("google/another")).not.toMatch(/Hm\.|"sig"/);
  expect(await after(model.id)).toMatch(/Hm\..*"sig"/);
});

const refusals: [number, string, object][] = [
  [
    400,
    "bad-key",
    {
      code: 400,
      message: "API key not valid. Please pass a valid API key.",
      status: "INVALID_ARGUMENT",
    },
  ],
  [
    429,
    "rate-limited",
    {
      code: 429,
      message: "You exceeded your current quota, please check your plan and billing details.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33s" }],
    },
  ],
  [503, "overloaded", { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" }],
];
test.each(refusals)("P17 Google's error with status %i means %s", async (status, kind, error) => {
  const answer = () => Response.json({ error }, { status });

  const { model } = await gemini([], answer);

  expect(lastOf(await collect(model))).toMatchObject({
    failure: { kind, ...(kind === "rate-limited" && { retryAfterMs: 33_000 }) },
  });
});

test.each([
  [50, "finish"],
  [20_000, "error"],
])("P25 a Gemini call with an input of %i levels ends with a %s", async (levels, type) => {
  const lists = "[".repeat(levels) + "]".repeat(levels);
  const call = `{"functionCall":{"name":"list","args":{"path":${lists}}}}`;
  const text = `data: {"candidates":[{"content":{"parts":[${call}]},"finishReason":"STOP"}]}\r\n\r\n`;
  const headers = { "content-type": "text/event-stream" };
  const { model } = await gemini([], () => new Response(text, { headers }));

  const end = lastOf(await collect(model));

  expect(end).toMatchObject({ type });
  if (end?.type === "error") {
    expect(end.failure.kind).toBe("oversized");
    expect(end.failure.message).toContain("nested too deeply");
  }
});

/** A model whose provider answers every request with `events`, or as told. */
async function gemini(events: readonly object[], answer?: () => Response) {
  const bodies: unknown[] = [];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  const model = await openModel("google/gemini-3-pro", {
    env: { GEMINI_API_KEY: "key" },
    clock: systemClock,
    async fetch(_, init) {
      bodies.push(JSON.parse(String(init?.body)));
      return answer?.() ?? new Response(text, { headers });
    },
  });
  return { model, bodies };
}

test("Gemini gets the results of parallel calls in their order, with the signature of the first, and accepts all of it", async () => {
  await using server = await ProviderServer.start({ strict: true });
  const called = [calls("list", { path: "." }, "one"), calls("read", { path: "a" }, "two")];
  server.reply(reply([says("I look."), ...called]), says("Done."));
  const model = await openModel("google/gemini-3.5-flash", {
    env: providerEnvironment(server),
    clock: systemClock,
  });
  const begin: Utterance = { type: "input", texts: ["Look."] };

  const first = lastOf(await collect(model, { conversation: [begin] }));
  if (first?.type !== "finish") throw new Error("There was no reply");
  const ids = first.blocks.flatMap((block) => (block.type === "tool-call" ? block.call_id : []));
  const results = [
    { call_id: ids[0] ?? "", output: "a.ts", is_error: false },
    { call_id: ids[1] ?? "", output: "no such file", is_error: true },
  ];
  const conversation: Utterance[] = [
    begin,
    { type: "reply", model: model.id, blocks: first.blocks },
    { type: "results", results },
  ];
  const second = lastOf(await collect(model, { conversation }));

  expect(second).toMatchObject({ type: "finish", blocks: [{ text: "Done." }] });
  const { contents } = z.object({ contents: z.array(z.unknown()) }).parse(server.requests[1]?.body);
  const thoughtSignature = googleSignature("list", { path: "." });
  expect(contents).toMatchObject([
    { role: "user", parts: [{ text: "Look." }] },
    {
      role: "model",
      parts: [
        { text: "I look." },
        { functionCall: { name: "list", args: { path: "." } }, thoughtSignature },
        { functionCall: { name: "read", args: { path: "a" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "list", response: { content: "a.ts" } } },
        { functionResponse: { name: "read", response: { content: "Error: no such file" } } },
      ],
    },
  ]);
  server.assertDone();
});
