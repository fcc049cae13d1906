import { describe, expect, test } from "vitest";
import { httpFetch } from "../../src/model/ai-sdk/http.ts";
import { Governor } from "../../src/model/governor.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { raw, streamText } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";
import { EndlessServer, mostBytes } from "./endless-server.ts";

const mebibyte = 1024 * 1024;
/** What may be in the buffers of both ends' operating systems when a connection is cut. */
const underWay = 16 * mebibyte;
const long = "x".repeat(48 * 1024);

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function block(index: number): string {
  const start = { type: "content_block_start", index, content_block: { type: "text", text: "" } };
  return event(start) + event({ type: "content_block_stop", index });
}

const anthropicBeginning = streamText("anthropic", says("Hello.")).split(/(?<=\n\n)/)[0] ?? "";
const responsesBeginning =
  streamText("openai-responses", says("Hello.")).split(/(?<=\n\n)/)[0] ?? "";
const message = { type: "message", id: "msg_1", role: "assistant", content: [] };

const wires = [
  {
    id: "anthropic/claude-sonnet-5",
    beginning:
      anthropicBeginning +
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    text: event({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: long },
    }),
    beginningOfBlocks: anthropicBeginning,
    block,
  },
  {
    id: "openai/gpt-6-sol",
    beginning:
      responsesBeginning +
      event({ type: "response.output_item.added", output_index: 0, item: message }),
    text: event({ type: "response.output_text.delta", item_id: message.id, delta: long }),
    beginningOfBlocks: responsesBeginning,
    block(output_index: number) {
      const item = { type: "function_call", id: `fc_${output_index}`, name: "list" };
      const call = { ...item, call_id: `call-${output_index}`, arguments: "{}" };
      const added = { type: "response.output_item.added", output_index, item: call };
      const done = { status: "completed", ...call };
      return event(added) + event({ ...added, type: "response.output_item.done", item: done });
    },
  },
  {
    id: "openai-compatible/llama",
    beginning: "",
    text: event({ id: "1", choices: [{ index: 0, delta: { content: long } }] }),
    beginningOfBlocks: "",
    block(index: number) {
      const call = { index, id: `call-${index}`, type: "function" };
      const named = { ...call, function: { name: "list", arguments: "{}" } };
      return event({ id: "1", choices: [{ index: 0, delta: { tool_calls: [named] } }] });
    },
  },
  {
    id: "google/gemini-3-pro",
    beginning: "",
    text: event({ candidates: [{ content: { parts: [{ text: long }] } }] }),
    beginningOfBlocks: "",
    block: () =>
      event({ candidates: [{ content: { parts: [{ functionCall: { name: "a", args: {} } }] } }] }),
  },
];

describe.each(wires)("$id", ({ id, beginning, text, ...blocks }) => {
  test("P25 an endless reply is cut off, and fails", async () => {
    await using server = await EndlessServer.start({ beginning, piece: text });

    const failure = await failureFrom(server, id);

    expect(failure.message).toContain("sent more than 32 MiB in one answer");
    expect(server.sentBytes).toBeGreaterThan(16 * mebibyte);
    expect(server.sentBytes).toBeLessThan(32 * mebibyte + underWay);
  });

  test.each(["text/event-stream", "application/json"])(
    "P25 an endless line of %s is cut off, and fails",
    async (type) => {
      const line = `${beginning}data: {"text":"`;
      await using server = await EndlessServer.start({ type, beginning: line, piece: long });

      const failure = await failureFrom(server, id);

      expect(failure.message).toContain("sent a line of more than 8 MiB");
      expect(server.sentBytes).toBeLessThan(8 * mebibyte + underWay);
    },
  );

  test("P25 a reply with endless blocks is cut off, and fails", async () => {
    const { beginningOfBlocks, block: piece } = blocks;
    await using server = await EndlessServer.start({ beginning: beginningOfBlocks, piece });

    const failure = await failureFrom(server, id);

    expect(failure.message).toContain("sent more than 1000 blocks in one reply");
    expect(server.sentBytes).toBeLessThan(underWay);
  });

  test.each([
    { status: 400, kind: "bad-request" },
    { status: 500, kind: "server" },
  ])(
    "P25 an endless refusal ($status) is cut off, and still recognized",
    async ({ status, kind }) => {
      const beginning = '{"error":{"message":"No such luck. ';
      const type = "application/json";
      await using server = await EndlessServer.start({ status, type, beginning, piece: long });

      const parts = await collect(await modelOf(server, id));

      const end = lastOf(parts);
      if (end?.type !== "error") throw new Error(JSON.stringify(end));
      expect(end.failure.kind).toBe(kind);
      expect(end.failure.message).toContain("No such luck.");
      expect(server.sentBytes).toBeLessThan(underWay);
    },
  );
});

test("control: without limits all of such an answer is read", async () => {
  await using server = await EndlessServer.start({ piece: long });
  const { signal } = new AbortController();

  const answer = await httpFetch(server.url, { method: "POST", headers: {}, body: "", signal });
  let received = 0;
  for await (const bytes of answer.body ?? []) received += bytes.length;

  expect(received).toBeGreaterThanOrEqual(mostBytes);
});

test("control: a reply of 16 MiB is received whole", async () => {
  await using server = await ProviderServer.start();
  const [first = "", ...rest] = streamText("anthropic", says("Hello.")).split(/(?<=\n\n)/);
  const comments = `: ${long}\n`.repeat((16 * 1024) / 48);
  server.reply(raw(first + comments + rest.join("")));

  const parts = await collect(await modelOf(server, "anthropic/claude-sonnet-5"));

  expect(lastOf(parts)).toMatchObject({ type: "finish", blocks: [says("Hello.")] });
});

test("P25 an answer that was too large is not requested again", async () => {
  await using server = await EndlessServer.start({ beginning: "data: ", piece: long });
  const governor = new Governor({ clock: new ManualClock(), random: () => 0 });

  const parts = await collect(governor.govern(await modelOf(server, "openai/gpt-6-sol")));

  expect(parts).toMatchObject([{ type: "error", failure: { kind: "oversized" } }]);
  expect(server.requests).toBe(1);
});

function modelOf(server: { url: string }, id: string) {
  return openModel(id, { env: serverEnvironment(server), clock: new ManualClock() });
}

async function failureFrom(server: EndlessServer, id: string) {
  const end = lastOf(await collect(await modelOf(server, id)));
  if (end?.type !== "error") throw new Error(`No failure, but a part of type ${end?.type}`);
  expect(end.failure.kind).toBe("oversized");
  return end.failure;
}
