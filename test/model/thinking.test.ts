import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { HttpResponse } from "../../src/model/ai-sdk/http.ts";
import type { ModelRequest, ThinkingRequest, Utterance } from "../../src/model/model.ts";
import { Models } from "../../src/model/models.ts";
import { openModel } from "../../src/model/open-model.ts";
import { effortProblem, unsentThinking } from "../../src/model/unsent-thinking.ts";
import { Effort } from "../../src/protocol/effort.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says, thinks } from "../../src/testing/scripted-model.ts";
import { collect, request, serverEnvironment } from "./ai-sdk-support.ts";

const env = {
  ...serverEnvironment({ url: "http://localhost:1" }),
  OPENROUTER_API_KEY: "k",
};

describe("the effort on the wire", () => {
  test.each([
    ["low", { thinking: { type: "adaptive", display: "summarized" } }, "low"],
    ["medium", { thinking: { type: "adaptive", display: "summarized" } }, "medium"],
    ["high", { thinking: { type: "adaptive", display: "summarized" } }, "high"],
    ["max", { thinking: { type: "adaptive", display: "summarized" } }, "max"],
  ] as const)("of Claude since 4.6: %s", async (effort, body, level) => {
    for (const id of ["claude-opus-4-6", "claude-sonnet-5", "claude-fable-5-1", "unknown"]) {
      expect(await sent(`anthropic/${id}`, { effort })).toMatchObject({
        ...{ ...body, output_config: { effort: level }, max_tokens: 32_000 },
      });
    }
  });

  test.each([
    ["low", 2_000],
    ["medium", 8_000],
    ["high", 16_000],
    ["max", 24_000],
  ] as const)("of Claude until 4.5: %s is a part of the longest reply", async (effort, tokens) => {
    for (const id of ["claude-opus-4-5", "claude-haiku-4-5-20251001"]) {
      const body = await sent(`anthropic/${id}`, { effort });

      expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: tokens } });
      expect(body).toMatchObject({ max_tokens: 32_000 });
      expect(body).not.toHaveProperty("output_config");
    }
  });

  test("none turns the thinking of Claude off where it thinks by itself", async () => {
    expect(await sent("anthropic/claude-opus-5", { effort: "none" })).toMatchObject({
      thinking: { type: "disabled" },
    });
    expect(await sent("anthropic/claude-opus-4-5", { effort: "none" })).not.toHaveProperty(
      "thinking",
    );
  });

  test.each([
    ["gpt-6-sol", "none", { effort: "none" }],
    ["gpt-6-astra", "low", { effort: "low", summary: "auto" }],
    ["gpt-5.6-luna", "max", { effort: "max", summary: "auto" }],
    ["gpt-5.4", "max", { effort: "xhigh", summary: "auto" }],
    ["gpt-5.1", "max", { effort: "high", summary: "auto" }],
    ["o3", "medium", { effort: "medium", summary: "auto" }],
    ["of-a-proxy", "high", { effort: "high", summary: "auto" }],
  ] as const)("of openai/%s: %s", async (model, effort, reasoning) => {
    expect(await sent(`openai/${model}`, { effort })).toMatchObject({
      ...{ reasoning, store: false, max_output_tokens: 32_000 },
    });
  });

  test.each([
    ["gemini-3.5-flash", "low", { thinkingLevel: "low", includeThoughts: true }],
    ["gemini-3.1-pro-preview", "max", { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-2.5-flash", "none", { thinkingBudget: 0 }],
    ["gemini-2.5-flash", "max", { thinkingBudget: 24_000, includeThoughts: true }],
    ["gemini-2.5-pro", "low", { thinkingBudget: 2_000, includeThoughts: true }],
  ] as const)("of google/%s: %s", async (model, effort, thinkingConfig) => {
    expect(await sent(`google/${model}`, { effort })).toMatchObject({
      generationConfig: { thinkingConfig, maxOutputTokens: 32_000 },
    });
  });

  test.each([
    ["none", "none"],
    ["low", "low"],
    ["max", "high"],
  ] as const)("of a compatible server: %s is %s", async (effort, reasoning_effort) => {
    expect(await sent("openai-compatible/qwen", { effort })).toMatchObject({ reasoning_effort });
  });

  test("without one, the encrypted thoughts of every OpenAI model that thinks are asked for", async () => {
    const include = expect.arrayContaining(["reasoning.encrypted_content"]);
    for (const id of ["gpt-6-sol", "gpt-5.4", "o3"]) {
      expect(await sent(`openai/${id}`, undefined)).toMatchObject({ include, store: false });
    }
  });

  test.each(["anthropic/claude-opus-5", "openai/gpt-6-sol", "google/gemini-3.5-flash"])(
    "is left to %s if none is asked for",
    async (id) => {
      const text = JSON.stringify(await sent(id, undefined));

      expect(text).not.toMatch(/thinking|effort|reasoning"/);
    },
  );
});

describe("the thinking budget", () => {
  test("is sent to models that take a number, and the reply stays as long", async () => {
    const budgetTokens = 5_000;
    for (const id of ["claude-opus-4-5", "unknown"]) {
      expect(await sent(`anthropic/${id}`, { budgetTokens })).toMatchObject({
        thinking: { type: "enabled", budget_tokens: 5_000 },
        max_tokens: 32_000,
      });
    }
    expect(await sent("google/gemini-2.5-flash", { budgetTokens })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 5_000, includeThoughts: true } },
    });
  });

  test("leaves a quarter of the reply for the answer, and the person is told", async () => {
    const budgetTokens = 30_000;

    expect(await sent("anthropic/claude-opus-4-5", { budgetTokens })).toMatchObject({
      ...{ thinking: { budget_tokens: 24_000 }, max_tokens: 32_000 },
    });
    expect(await unsent("anthropic/claude-opus-4-5", { budgetTokens })).toEqual([
      "The thinking budget of anthropic/claude-opus-4-5 is 24000 tokens: the rest of its 32000 tokens is for the answer.",
    ]);
    expect(await unsent("anthropic/claude-opus-4-5", { budgetTokens: 24_000 })).toEqual([]);
  });

  test.each(["anthropic/claude-opus-4-5", "anthropic/unknown"])(
    "is left out for %s if a reply has no room for it, and the person is told",
    async (id) => {
      const tooFew = { env, maxOutputTokens: 1_365 };
      for (const asked of [{ budgetTokens: 1_024 }, { effort: "high" }] as const) {
        const body = await sent(id, asked, { maxOutputTokens: 1_365 });

        expect(body).toMatchObject({ max_tokens: 1_365 });
        expect(body).not.toHaveProperty("thinking");
        expect(await unsentThinking(id, asked, tooFew)).toEqual([
          `${id} is not asked to think: of the 1365 tokens that a reply may have (max-output), too few would be left for the answer.`,
        ]);
      }
      expect(await unsentThinking(id, { effort: "none" }, tooFew)).toEqual([]);
      // A quarter is for the answer.
      const enough = { maxOutputTokens: 1_366 };
      expect(await sent(id, { budgetTokens: 1_024 }, enough)).toMatchObject({
        ...{ thinking: { budget_tokens: 1_024 }, max_tokens: 1_366 },
      });
    },
  );

  test("is not sent to OpenRouter for Claude if a reply has no room for it, and the person is told", async () => {
    const claude = "openrouter/anthropic/claude-sonnet-4.5";
    const tooFew = { maxOutputTokens: 1_365 };
    for (const asked of [{ budgetTokens: 1_024 }, { effort: "high" }] as const) {
      const body = await sent(claude, asked, tooFew);

      expect(body).not.toHaveProperty("reasoning");
      expect(body).not.toHaveProperty("reasoning_effort");
      expect(await unsentThinking(claude, asked, { env, ...tooFew })).toEqual([
        expect.stringContaining("is not asked to think"),
      ]);
    }
    const enough = { maxOutputTokens: 1_366 };
    expect(await sent(claude, { budgetTokens: 1_024 }, enough)).toMatchObject({
      reasoning: { max_tokens: 1_024 },
    });
    expect(await sent("openrouter/openai/gpt-6-sol", { effort: "high" }, tooFew)).toMatchObject({
      reasoning_effort: "high",
    });
  });

  test("is the number of tokens for OpenRouter, in place of the effort", async () => {
    const id = "openrouter/anthropic/claude-opus-5";
    const both = { effort: "low", budgetTokens: 4_000 } as const;

    const body = await sent(id, both);

    expect(body).toMatchObject({ reasoning: { max_tokens: 4_000 }, max_tokens: 32_000 });
    expect(body).not.toHaveProperty("reasoning_effort");
    expect(await unsent(id, both)).toEqual([]);
    expect(await sent(id, { effort: "low" })).toMatchObject({ reasoning_effort: "low" });
  });

  test("replaces the number of the effort", async () => {
    const both = { effort: "max", budgetTokens: 2_000 } as const;

    expect(await sent("anthropic/claude-opus-4-5", both)).toMatchObject({
      thinking: { budget_tokens: 2_000 },
    });
  });
});

describe("a turn of Claude until 4.5 goes on as it began", () => {
  const begin: Utterance = { type: "input", texts: ["Begin."] };
  const call = calls("list", {}, "call_1");
  const result = { call_id: "call_1", output: "a.ts", is_error: false };
  const done: Utterance = { type: "results", results: [result] };
  const open = (...blocks: Extract<Utterance, { type: "reply" }>["blocks"]): Utterance[] => [
    begin,
    { type: "reply", blocks },
    done,
  ];

  test("without thoughts, whatever is asked for now", async () => {
    const body = await sent(
      "anthropic/claude-opus-4-5",
      { effort: "high" },
      {
        conversation: open(call),
      },
    );

    expect(body).not.toHaveProperty("thinking");
  });

  test.each([undefined, { effort: "none" }] as const)(
    "with thoughts, also if %j is asked for now",
    async (thinking) => {
      const conversation = open(thinks("Hm."), call);

      expect(await sent("anthropic/claude-opus-4-5", thinking, { conversation })).toMatchObject({
        thinking: { type: "enabled", budget_tokens: 1_024 },
      });
    },
  );

  test("and the next one as is asked for", async () => {
    const conversation: Utterance[] = [
      ...open(call),
      { type: "reply", blocks: [says("Done.")] },
      { type: "input", texts: ["More."] },
    ];

    expect(
      await sent("anthropic/claude-opus-4-5", { effort: "high" }, { conversation }),
    ).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 16_000 },
    });
  });
});

describe("what a model cannot take", () => {
  test.each([
    ["anthropic/claude-opus-5-5", "none", /takes the efforts low, medium, high and max\.$/],
    ["anthropic/claude-mythos-5", "none", /takes the efforts low/],
    ["openai/gpt-4o", "high", /openai\/gpt-4o cannot be asked to think/],
    ["openai/gpt-5", "none", /takes the efforts low/],
    ["openai/gpt-5-pro", "low", /takes the efforts high and max\.$/],
    ["openai/gpt-6-astra", "none", /takes/],
    ["google/gemma-4-31b-it", "medium", /takes the efforts high and max/],
    ["google/gemini-2.5-pro", "none", /takes/],
    ["google/gemini-3.5-flash", "none", /takes/],
    ["rehearsal", "max", /rehearsal cannot be asked to think/],
  ] as const)("is not sent to it, and said: %s and the effort %s", async (id, effort, problem) => {
    expect(await effortProblem(id, effort, { env })).toMatch(problem);
    expect(await unsent(id, { effort })).toEqual([
      expect.stringMatching(`^The effort ${effort} is not sent: `),
    ]);
    if (id !== "rehearsal") expect(await sent(id, { effort })).toEqual(await sent(id, undefined));
  });

  test.each([
    ["anthropic/claude-opus-4-7", undefined],
    ["openai/gpt-6-sol", undefined],
    ["google/gemini-3.5-flash", undefined],
    ["openai-compatible/qwen", undefined],
    ["anthropic/claude-opus-4-5", "none"],
  ] as const)("is not sent to it, and said: %s and a budget (effort: %s)", async (id, effort) => {
    expect(await unsent(id, { effort, budgetTokens: 2_000 })).toEqual([
      expect.stringMatching(/^The thinking budget is not sent.*\.$/),
    ]);
    expect(await sent(id, { effort, budgetTokens: 2_000 })).toEqual(await sent(id, { effort }));
  });

  test("is nothing where nobody knows the model, and for a replay", async () => {
    for (const id of ["anthropic/unknown", "openai/of-a-proxy", "replay:run.jsonl"]) {
      for (const effort of Effort.options) {
        expect(await unsent(id, { effort })).toEqual([]);
      }
    }
  });
});

describe("an organization that OpenAI gives no summaries", () => {
  const refusal = status(400, {
    error: {
      message: "Your organization must be verified to generate reasoning summaries",
      ...{ type: "invalid_request_error", param: "reasoning.summary", code: "unsupported_value" },
    },
  });
  const thinking = { effort: "high" } as const;
  const usual = { effort: "high", summary: "auto" };

  test("is asked once, told so once, and thinks as much for all members", async () => {
    await using server = await ProviderServer.start({ strict: true });
    server.reply(refusal, says("One."), says("Two."), says("Three."));
    const environment = serverEnvironment(server);
    const models = new Models({ env: environment, clock: systemClock, random: () => 0 });
    const lead = await models.open("openai/gpt-6-sol", MemberName.parse("lead"));
    const alice = await models.open("openai/gpt-6-sol", MemberName.parse("alice"));

    const parts = await collect(lead, { thinking });
    const later = [...(await collect(lead, { thinking })), ...(await collect(alice, { thinking }))];

    expect(parts.filter(({ type }) => type === "restart")).toEqual([
      {
        type: "restart",
        failure: {
          kind: "bad-request",
          message:
            "OpenAI refuses the request (400): Your organization must be verified to generate reasoning summaries. The request is repeated without a summary, so that thoughts are not shown",
        },
      },
    ]);
    expect(parts.at(-1)).toMatchObject({ type: "finish", blocks: [{ text: "One." }] });
    expect(later.map(({ type }) => type)).not.toContain("restart");
    const asked = server.requests.map(({ body }) => body);
    expect(asked.map(({ reasoning }) => reasoning)).toEqual([
      usual,
      ...Array.from({ length: 3 }, () => ({ effort: "high" })),
    ]);
    for (const { include } of asked) expect(include).toContain("reasoning.encrypted_content");
    server.assertDone();
  });

  test("control: any other refusal is reported, and nothing is repeated", async () => {
    await using server = await ProviderServer.start();
    server.reply(status(400));
    const model = await openModel("openai/gpt-6-sol", {
      ...{ env: serverEnvironment(server), clock: systemClock },
    });

    const parts = await collect(model, { thinking });

    expect(parts).toMatchObject([{ type: "error", failure: { kind: "bad-request" } }]);
    expect(server.requests).toHaveLength(1);
  });
});

function unsent(id: string, asked: ThinkingRequest): Promise<string[]> {
  return unsentThinking(id, asked, { env, maxOutputTokens: 32_000 });
}

/** The body of the request that a model makes. */
async function sent(
  id: string,
  thinking: ThinkingRequest | undefined,
  more: Partial<ModelRequest> = {},
): Promise<unknown> {
  const bodies: unknown[] = [];
  const model = await openModel(id, {
    env,
    clock: new ManualClock(),
    fetch: async (_, { body }) => {
      bodies.push(JSON.parse(body ?? ""));
      const headers = new Map([["content-type", "application/json"]]);
      return new HttpResponse({ status: 400, statusText: "Bad Request", headers, body: null });
    },
  });
  await collect(model, { ...request(), maxOutputTokens: 32_000, thinking, ...more });
  return bodies[0];
}
