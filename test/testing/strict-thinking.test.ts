import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { askAnthropic } from "./requests.ts";

const go = { role: "user", content: [{ type: "text", text: "go" }] };
const call = { type: "tool_use", id: "a", name: "ls", input: {} };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] };
const thought = { type: "thinking", thinking: "hm", signature: "signed" };
const enabled = { type: "enabled", budget_tokens: 2_000 };
const turn = (...content: object[]) => [go, { role: "assistant", content }, result];

test.each([
  ["a budget as long as the reply", "claude-opus-4-5", { thinking: enabled, max_tokens: 2_000 }],
  ["too small a budget", "claude-opus-4-5", { thinking: { ...enabled, budget_tokens: 1_023 } }],
  ["a budget for a model that adapts", "claude-opus-4-8", { thinking: enabled }],
  ["adapting by a model that cannot", "claude-haiku-4-5", { thinking: { type: "adaptive" } }],
  ["an effort of a model without", "claude-haiku-4-5", { output_config: { effort: "low" } }],
  ["an unknown effort", "claude-opus-5", { output_config: { effort: "none" } }],
  [
    "no thinking by a model that always does",
    "claude-opus-5-5",
    { thinking: { type: "disabled" } },
  ],
  [
    "thinking that begins in a turn",
    "claude-opus-4-5",
    { thinking: enabled, messages: turn(call) },
  ],
  ["thinking that ends in a turn", "claude-opus-4-5", { messages: turn(thought, call) }],
])("a strict server refuses %s", async (_, model, body) => {
  expect(await statusOf({ model, ...body })).toBe(400);
});

test.each([
  ["a budget that leaves room", "claude-opus-4-5", { thinking: enabled }],
  ["adapting with an effort", "claude-opus-5-5", { output_config: { effort: "max" } }],
  ["no thinking", "claude-opus-5", { thinking: { type: "disabled" } }],
  [
    "a turn that goes on thinking",
    "claude-opus-4-5",
    { thinking: enabled, messages: turn(thought, call) },
  ],
])("a strict server accepts %s", async (_, model, body) => {
  expect(await statusOf({ model, ...body })).toBe(200);
});

test("a thought is accepted from its own model only, and by newer ones only after the same beginning", async () => {
  const messages = [
    go,
    { role: "assistant", content: [thought, { type: "text", text: "fine" }] },
    go,
  ];
  const statusFor = (model: string, body: object = {}) => statusOf({ model, messages, ...body });
  const system = "Be brief.";

  expect(await statusFor("claude-opus-5-5")).toBe(200);
  expect(await statusFor("claude-opus-5-5", { system })).toBe(400);
  expect(await statusFor("claude-opus-5", { system })).toBe(200);
  expect(await statusFor("claude-opus-5", { had: "claude-opus-4-8" })).toBe(400);
});

/** The answer to a request, after one of `had` (default: the same model) that was answered with a thought. */
async function statusOf({
  had,
  ...body
}: {
  model: string;
  had?: string;
  messages?: object[];
}): Promise<number> {
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(() => reply([thinks("hm", "signed"), says("fine")]));
  const model = had ?? body.model;
  const first = await askAnthropic(server, { body: { model, messages: [go] } });
  expect(first.status).toBe(200);
  return (await askAnthropic(server, { body: { max_tokens: 8_000, ...body } })).status;
}
