import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { ModelRequest, Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import type { RequestBody } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const claude = "anthropic/claude-sonnet-5";

const conversation: readonly Utterance[] = [
  { type: "input", texts: ["Begin."] },
  { type: "reply", blocks: [calls("bash", {}, "one")] },
  { type: "results", results: [{ call_id: "one", output: "Done.", is_error: false }] },
];
const tools = [{ name: "bash", description: "Runs.", input_schema: { type: "object" } }];

describe("what Anthropic keeps for how long", () => {
  test("a member that pauses keeps everything for an hour", async () => {
    const body = await sent(claude, { expectsPauses: true });

    expect(livesIn(body)).toEqual(["1h", "1h", "1h", "1h"]);
  });

  test("a member that works without pauses keeps only the tools for an hour", async () => {
    expect(livesIn(await sent(claude, {}))).toEqual(["1h", "5m", "5m", "5m"]);
  });
});

describe("OpenAI's cache", () => {
  test("the key depends on the system prompt alone, which names the member and its directory", async () => {
    const first = await sent("openai/gpt-6-sol", { system: "You are 'alice'." });
    const later = await sent("openai/gpt-6-sol", {
      system: "You are 'alice'.",
      conversation: conversation.slice(0, 1),
    });
    const other = await sent("openai/gpt-6-sol", { system: "You are 'bob'." });

    expect(first.prompt_cache_key).toMatch(/^[0-9a-f]{32}$/);
    expect(later.prompt_cache_key).toBe(first.prompt_cache_key);
    expect(other.prompt_cache_key).not.toBe(first.prompt_cache_key);
  });

  test.each(["gpt-5.6-terra", "gpt-5.10", "gpt-6-sol", "gpt-6.1-sol", "gpt-10"])(
    "the end of the system prompt is marked for %s",
    async (model) => {
      const { input } = await sent(`openai/${model}`, {});

      expect(input?.[0]).toMatchObject({
        content: [{ type: "input_text", prompt_cache_breakpoint: { mode: "explicit" } }],
      });
      expect(JSON.stringify(input).split("prompt_cache_breakpoint")).toHaveLength(2);
    },
  );

  test.each(["gpt-5.5", "gpt-5", "gpt-5-mini", "gpt-4.1", "o3"])(
    "%s, which refuses marks, gets none",
    async (model) => {
      const body = await sent(`openai/${model}`, {});

      expect(JSON.stringify(body)).not.toContain("prompt_cache_breakpoint");
    },
  );
});

describe("P18 what is written to the cache is in the usage", () => {
  const usage = {
    input_tokens: 3,
    output_tokens: 4,
    cache_read_tokens: 500,
    cache_write_tokens: 60,
  };

  test.each([claude, "openai/gpt-6-sol"])("of %s", async (id) => {
    expect(await reported(id, usage)).toMatchObject(usage);
  });

  test("and, for Anthropic, for how much of it the longer life is paid", async () => {
    const long = { ...usage, cache_write_1h_tokens: 50 };

    expect(await reported(claude, long)).toEqual(long);
  });

  test("more for an hour than in all cannot be true", async () => {
    const wrong = { ...usage, cache_write_1h_tokens: 61 };

    expect(await reported(claude, wrong)).toEqual(usage);
  });
});

/** The lives of the marks in a request, in their order. */
function livesIn({ tools, system, messages }: RequestBody): string[] {
  const text = JSON.stringify([tools, system, messages]);
  return [...text.matchAll(/"cache_control":\{"type":"ephemeral"(?:,"ttl":"(\w+)")?\}/g)].map(
    ([, ttl = "5m"]) => ttl,
  );
}

async function sent(id: string, request: Partial<ModelRequest>): Promise<RequestBody> {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Hi"));
  const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });
  await collect(model, { conversation, tools, ...request });
  server.assertDone();
  const body = server.requests[0]?.body;
  if (!body) throw new Error("There was no request");
  return body;
}

async function reported(id: string, usage: object): Promise<unknown> {
  await using server = await ProviderServer.start();
  server.reply(reply([says("Hi")], { usage }));
  const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });
  const end = lastOf(await collect(model));
  return end?.type === "finish" ? end.usage : end;
}
