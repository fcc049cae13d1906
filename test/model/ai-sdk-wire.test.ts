import { describe, expect, test } from "vitest";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { streamText } from "../../src/testing/provider-server/answers.ts";
import { reply, says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, request, serverEnvironment } from "./ai-sdk-support.ts";

describe.each([
  { id: "anthropic/claude-sonnet-5", api: "anthropic" as const },
  { id: "openai/gpt-6-sol", api: "openai-responses" as const },
  { id: "openai-compatible/llama", api: "openai" as const },
])("the connection of $id", ({ id, api }) => {
  const turn = streamText(api, says("Good morning."));

  test("is read to its end after the reply, so that the next request can reuse it", async () => {
    const connection = new Connection([turn, ": one\n\n", ": two\n\n", ": three\n\n"], "closes");

    const parts = await collect(await connection.model(id));
    await connection.ended;

    expect(lastOf(parts)).toMatchObject({ type: "finish" });
    expect(connection.isAborted).toBe(false);
  });

  test("that stays open after the reply delays nothing, and is closed a second later", async () => {
    const connection = new Connection([turn], "stays open");

    expect(lastOf(await collect(await connection.model(id)))).toMatchObject({ type: "finish" });

    connection.clock.advance(999);
    expect(connection.isAborted).toBe(false);
    connection.clock.advance(1);
    expect(connection.isAborted).toBe(true);
  });

  test("is closed if the reply is not read to its end", async () => {
    const connection = new Connection([turn], "stays open");
    const model = await connection.model(id);

    for await (const part of model.stream(request())) {
      expect(part.type).toBe("text-delta");
      break;
    }

    expect(connection.isAborted).toBe(true);
  });
});

test("unknown kinds of Anthropic events are ignored", async () => {
  const turn = streamText("anthropic", says("Good morning."));
  const [start, ...rest] = turn.split(/(?<=\n\n)/);
  const unknown = 'event: weather\ndata: {"type":"weather","sky":"blue"}\n\n';
  const connection = new Connection([[start, unknown, ...rest].join("")], "closes");

  const parts = await collect(await connection.model("anthropic/claude-sonnet-5"));

  expect(lastOf(parts)).toMatchObject({ type: "finish", blocks: [says("Good morning.")] });
});

test.each([
  ["end", [{ type: "reasoning", content: null }, { type: "function_call" }]],
  ["end", [{ type: "message", content: [{ type: "output_text", text: "Hi." }] }]],
  ["end", [{ type: "message", content: "of another form" }]],
  ["refusal", [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }]],
])("the end of a Responses stream is %s with the output %j", async (stop, output) => {
  const usage = { input_tokens: 7, output_tokens: 3 };
  const turn = streamText("openai-responses", reply([says("Hi.")], { usage }));
  const text = turn.replace('"incomplete_details":null', (it) => {
    return `${it},"output":${JSON.stringify(output)}`;
  });
  const connection = new Connection([text], "stays open");

  const parts = await collect(await connection.model("openai/gpt-6-sol"));

  expect(text).not.toBe(turn);
  expect(lastOf(parts)).toMatchObject({ type: "finish", stop, usage });
});

test("an unknown kind of block fails the reply, because it would be missing", async () => {
  const [start] = streamText("anthropic", says("Good morning.")).split(/(?<=\n\n)/);
  const block = { type: "content_block_start", index: 0, content_block: { type: "hologram" } };
  const text = `${start}event: content_block_start\ndata: ${JSON.stringify(block)}\n\n`;
  const connection = new Connection([text], "closes");

  const parts = await collect(await connection.model("anthropic/claude-sonnet-5"));

  expect(lastOf(parts)).toMatchObject({ type: "error", failure: { kind: "malformed" } });
});

/** A provider that answers one request with given pieces, each when it is read. */
class Connection {
  readonly clock = new ManualClock();
  readonly ended: Promise<void>;
  readonly #pieces: string[];
  readonly #end: "closes" | "stays open";
  #onEnd = () => {};
  #signal: AbortSignal | undefined;

  constructor(pieces: readonly string[], end: "closes" | "stays open") {
    this.#pieces = [...pieces];
    this.#end = end;
    this.ended = new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  get isAborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  model(id: string) {
    const env = serverEnvironment({ url: "http://provider.test" });
    return openModel(id, { env, clock: this.clock, fetch: (_, init) => this.#answer(init) });
  }

  async #answer(init?: RequestInit): Promise<Response> {
    this.#signal = init?.signal ?? undefined;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      this.#pull(controller);
    // Nothing is taken from it ahead of a read.
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    const piece = this.#pieces.shift();
    if (piece !== undefined) controller.enqueue(Buffer.from(piece));
    else if (this.#end === "stays open") return new Promise(() => {});
    else {
      controller.close();
      this.#onEnd();
    }
    return undefined;
  }
}
