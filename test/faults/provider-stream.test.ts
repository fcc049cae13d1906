import { readFile } from "node:fs/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { Model, ModelPart } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { cut, raw, stall } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, request, serverEnvironment } from "../model/ai-sdk-support.ts";

type Ending = "clean" | "broken";

/** A provider, a recorded turn of it, and what in it says that the turn is over. */
interface Recording {
  id: string;
  file: string;
  /** Ends of a connection, and the text with whose last byte the turn is received before each. */
  markers: readonly (readonly [Ending, string])[];
}

const recordings: Recording[] = [
  {
    id: "anthropic/claude-sonnet-5",
    file: "anthropic.sse",
    markers: [
      ["clean", '{"type":"message_stop"}\n\n'],
      ["broken", '{"type":"message_stop"}\n\n'],
    ],
  },
  {
    id: "openai/gpt-6-sol",
    file: "responses.sse",
    markers: [
      ["clean", '"total_tokens":498}}}\n\n'],
      ["broken", '"total_tokens":498}}}\n\n'],
    ],
  },
  {
    id: "openai-compatible/llama",
    file: "openai.sse",
    markers: [
      ["clean", '"finish_reason":"tool_calls"}],"usage":null}\n\n'],
      ["broken", "\ndata: [DONE]"],
    ],
  },
];

const calls = [
  { type: "tool-call", name: "read_file", input: { path: "src/näme.ts" } },
  { type: "tool-call", name: "bash", input: { command: "ls ./src" } },
];

describe.each(recordings)("P17 a turn of $id", ({ id, file, markers }) => {
  test("is received whole when nothing is cut", async () => {
    const bytes = await recorded(file);

    const parts = await collect(await modelOf(id, connection(bytes, "clean")));

    expect(lastOf(parts)).toMatchObject({ type: "finish", stop: "tool-calls" });
    expect(callsOf(lastOf(parts))).toMatchObject(calls);
  });

  test.each(markers)(
    "cut at every byte by a %s end is not received before its marker",
    async (ending, marker) => {
      const bytes = await recorded(file);
      const received = bytes.lastIndexOf(marker) + Buffer.byteLength(marker);
      const wrong: number[] = [];
      let length = 0;
      const model = await modelOf(id, (...args) =>
        connection(bytes.subarray(0, length), ending)(...args),
      );

      for (; length <= bytes.length; length++) {
        const parts = await collect(model);
        const isRight = length < received ? isCut(parts) : callsOf(lastOf(parts)).length === 2;
        if (!isRight) wrong.push(length);
      }

      expect(received).toBeGreaterThan(1000);
      expect(wrong).toEqual([]);
    },
  );

  test.each(markers)(
    "cut on a socket by a %s end is not received before its marker",
    async (ending, marker) => {
      const bytes = await recorded(file);
      const text = bytes.toString();
      const received = bytes.lastIndexOf(marker) + Buffer.byteLength(marker);
      await using server = await ProviderServer.start();
      const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });

      for (let length = 0; length < received; length += 61) {
        server.reply(cut(raw(text), length, ending));
        expect(lastOf(await collect(model))).toMatchObject({ failure: { kind: "cut" } });
      }
      server.reply(raw(text));
      expect(lastOf(await collect(model))).toMatchObject({ type: "finish" });
    },
  );
});

describe("the control: without the check of the marker", () => {
  test("the SDK finishes a truncated OpenAI reply, with half a call in it", async () => {
    const bytes = await recorded("openai.sse");
    const half = bytes.subarray(0, bytes.indexOf("rc/näme"));
    const through = connection(half, "clean");

    const parts = await sdkParts(createOpenAI({ apiKey: "key", fetch: through }).chat("gpt-4.1"));

    expect(parts).toContainEqual(expect.objectContaining({ type: "finish" }));
    expect(parts).toContainEqual(
      expect.objectContaining({ type: "tool-call", input: '{"path": "s' }),
    );
  });

  test("the SDK returns the first call of a truncated Anthropic reply", async () => {
    const bytes = await recorded("anthropic.sse");
    const half = bytes.subarray(0, bytes.indexOf(': \\"ls ./src'));
    const through = connection(half, "clean");

    const parts = await sdkParts(createAnthropic({ apiKey: "key", fetch: through })("claude-x"));

    expect(parts).toContainEqual(
      expect.objectContaining({ type: "tool-call", toolName: "read_file" }),
    );
  });
});

describe.each([
  { id: "anthropic/claude-sonnet-5", headersMs: 60_000 },
  { id: "openai/gpt-6-sol", headersMs: 60_000 },
  { id: "openai-compatible/llama", headersMs: 300_000 },
])("P17 a silence of $id", ({ id, headersMs }) => {
  test(`before the headers is ended after ${headersMs} ms`, async () => {
    await using silent = await silence(id, "nothing");
    const { clock, parts, server } = silent;

    clock.advance(headersMs);

    expect(lastOf(await parts)).toMatchObject({ type: "error", failure: { kind: "no-headers" } });
    await server.until(() => server.abandoned === 1);
  });

  test("after the headers is ended", async () => {
    await using silent = await silence(id, 0, { headersMs: 1e12 });

    await silent.clock.advanceUntil(silent.isOver, 90_000);

    expect(lastOf(await silent.parts)).toMatchObject({ failure: { kind: "stalled" } });
    await silent.server.until(() => silent.server.abandoned === 1);
  });

  test("in the middle of the reply is ended after 90 s", async () => {
    await using silent = await silence(id, 900);
    const { clock, parts, server } = silent;
    await silent.firstDelta;
    await clock.waiting();

    clock.advance(90_000);

    expect(lastOf(await parts)).toMatchObject({ type: "error", failure: { kind: "stalled" } });
    await server.until(() => server.abandoned === 1);
  });

  // That nothing is broken sooner is seen in the answer, which comes at the last moment.
  test(`before the headers does no harm if it is shorter than ${headersMs} ms`, async () => {
    await using silent = await silence(id, "nothing");

    silent.clock.advance(headersMs - 1);
    silent.server.release();

    expect(lastOf(await silent.parts)).toMatchObject({ type: "finish" });
  });

  test("in the middle of the reply does no harm if it is shorter than 90 s", async () => {
    await using silent = await silence(id, 900);
    await silent.firstDelta;
    await silent.clock.waiting();

    silent.clock.advance(89_999);
    silent.server.release();

    expect(lastOf(await silent.parts)).toMatchObject({ type: "finish" });
  });
});

/** A call to a server that goes silent, at the moment at which it does. */
async function silence(id: string, after: number | "nothing", watchdogs = {}) {
  const server = await ProviderServer.start();
  const clock = new ManualClock();
  server.reply(stall(says("It goes on and on. ".repeat(100)), after));
  const model = await openModel(id, { env: serverEnvironment(server), clock, watchdogs });
  const { parts, firstDelta } = follow(model);
  let isOver = false;
  void parts.then(() => {
    isOver = true;
  });
  await server.until(() => server.stalled === 1);
  return {
    server,
    clock,
    parts,
    firstDelta,
    isOver: () => isOver,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function follow(model: Model): { parts: Promise<ModelPart[]>; firstDelta: Promise<void> } {
  let onDelta = () => {};
  const firstDelta = new Promise<void>((resolve) => {
    onDelta = resolve;
  });
  const run = async () => {
    const parts: ModelPart[] = [];
    for await (const part of model.stream(request())) {
      parts.push(part);
      if (part.type === "text-delta") onDelta();
    }
    return parts;
  };
  return { parts: run(), firstDelta };
}

function recorded(file: string): Promise<Buffer> {
  return readFile(new URL(`../fixtures/provider-streams/${file}`, import.meta.url));
}

function modelOf(id: string, through: typeof fetch): Promise<Model> {
  const env = serverEnvironment({ url: "http://provider.test" });
  return openModel(id, { env, clock: systemClock, fetch: through });
}

/** A connection that delivers `bytes` and then ends, properly or not. */
function connection(bytes: Uint8Array, ending: Ending): typeof fetch {
  return async () => {
    let isSent = bytes.length === 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!isSent) controller.enqueue(bytes);
        else if (ending === "clean") controller.close();
        else controller.error(new TypeError("terminated"));
        isSent = true;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function isCut(parts: readonly ModelPart[]): boolean {
  const end = lastOf(parts);
  const ends = parts.filter(({ type }) => type === "finish" || type === "error");
  return ends.length === 1 && end?.type === "error" && end.failure.kind === "cut";
}

function callsOf(part: ModelPart | undefined) {
  if (part?.type !== "finish") return [];
  return part.blocks.filter(({ type }) => type === "tool-call");
}

async function sdkParts(model: LanguageModelV3) {
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Begin." }] }],
  });
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
