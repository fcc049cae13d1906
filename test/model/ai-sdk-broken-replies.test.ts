import { expect, test } from "vitest";
import type { FailureKind } from "../../src/model/model-failure.ts";
import { openModel } from "../../src/model/open-model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { raw } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { collect, failureOf, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const claude = "anthropic/claude-sonnet-5";
const compatible = "openai-compatible/llama";

const gone = "it announces a call and has none";
const ended = "it ended with an error";
const brokenReplies: [string, string, string, string][] = [
  ["a call that is announced and not sent", claude, claudeReply("tool_use"), gone],
  ["a call that is announced and not sent", compatible, chatReply("tool_calls"), gone],
  ["a function call of the old form", compatible, chatReply("function_call"), gone],
  ["the end of an error", compatible, chatReply("error"), ended],
  ...["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"].map(
    (word): [string, string, string, string] => {
      const reason = `its call could not be written (${word})`;
      return [`the end ${word}`, "google/gemini-3-pro", geminiReply(word), reason];
    },
  ),
];

test.each(brokenReplies)(
  "P17 a reply with %s is not used, and worth another attempt: %s",
  async (_, id, text, reason) => {
    const failure = await failureOf(id, raw(text));

    expect(failure).toMatchObject({
      kind: "malformed",
      message: expect.stringContaining(` sent a broken reply: ${reason}`),
    });
  },
);

test.each([
  [claude, claudeReply("end_turn")],
  [compatible, chatReply("stop")],
  ["google/gemini-3-pro", geminiReply("STOP")],
])("control: the same reply of %s with another end is used", async (id, text) => {
  expect(await endOf(id, text)).toMatchObject({ type: "finish", blocks: [says("I look.")] });
});

const failures: [string, FailureKind][] = [
  ["rate_limit_exceeded", "rate-limited"],
  ["server_error", "server"],
  ["context_length_exceeded", "too-long"],
  ["invalid_prompt", "bad-request"],
];
test.each(failures)("a response of OpenAI that fails with %s is %s", async (code, kind) => {
  const error = { code, message: "So it is" };
  const response = { id: "resp_1", object: "response", status: "failed", error, output: [] };

  const failure = await failureOf(
    "openai/gpt-6-sol",
    raw(events({ type: "response.failed", sequence_number: 3, response })),
  );

  expect(failure).toMatchObject({ kind, message: expect.stringMatching(/: So it is$/) });
});

test("a search that OpenAI's side has made is no call of a member", async () => {
  const item = (status: string) => ({ type: "web_search_call", id: "ws_1", status });
  await using server = await ProviderServer.start();
  server.reply(reply([says("Found it."), calls("list", {})]));
  const env = serverEnvironment(server);
  const model = await openModel("openai/gpt-6-sol", {
    env,
    clock: new ManualClock(),
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      const added = { type: "response.output_item.added", output_index: 9 };
      const done = { type: "response.output_item.done", output_index: 9 };
      const search = events(
        { ...added, item: item("in_progress") },
        { ...done, item: item("completed") },
      );
      return new Response(search + (await answer.text()), { headers: answer.headers });
    },
  });

  const end = lastOf(await collect(model));

  expect(end).toMatchObject({ type: "finish", stop: "tool-calls" });
  expect(end).toMatchObject({ blocks: [says("Found it."), { type: "tool-call", name: "list" }] });
});

async function endOf(id: string, text: string) {
  await using server = await ProviderServer.start();
  server.reply(raw(text));
  return lastOf(
    await collect(
      await openModel(id, { env: serverEnvironment(server), clock: new ManualClock() }),
    ),
  );
}

function events(...values: object[]): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
}

function claudeReply(stop_reason: string): string {
  const usage = { input_tokens: 3, output_tokens: 2 };
  const message = { type: "message", id: "msg_1", model: "m", role: "assistant", content: [] };
  return events(
    { type: "message_start", message: { ...message, stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  );
}

function chatReply(finish_reason: string): string {
  const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" };
  return `${events(
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "I look." } }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
  )}data: [DONE]\n\n`;
}

function geminiReply(finishReason: string): string {
  const content = { role: "model", parts: [{ text: "I look." }] };
  return events({ candidates: [{ index: 0, content }] }, { candidates: [{ finishReason }] });
}
