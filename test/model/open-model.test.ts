import { expect, test } from "vitest";
import { TeamError } from "../../src/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openModel } from "../../src/model/open-model.ts";
import {
  defaultModelId,
  providerKeyNames,
  providerKeys,
  providerOf,
  providerSettings,
} from "../../src/model/provider-settings.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";

test("the provider is what stands before the first slash", () => {
  expect(providerOf("anthropic/claude-sonnet-5")).toBe("anthropic");
  expect(providerOf("openai-compatible/meta/llama:70b")).toBe("openai-compatible");
  expect(providerSettings("openai-compatible/meta/llama:70b", endpoint)).toMatchObject({
    model: "meta/llama:70b",
  });
});

const wrong: [string, Record<string, string>, string][] = [
  ["claude-sonnet-5", {}, '"claude-sonnet-5" is not a model\'s name'],
  ["", {}, '"" is not a model\'s name'],
  ["anthropic/", {}, '"anthropic/" is not a model\'s name'],
  ["anthropic/two words", {}, "is not a model's name"],
  ["mistral/large", {}, "has an unknown provider"],
  ["anthropic/x", {}, "ANTHROPIC_API_KEY is not set"],
  ["anthropic/x", { ANTHROPIC_API_KEY: "" }, "ANTHROPIC_API_KEY is not set"],
  ["openai/x", {}, "OPENAI_API_KEY is not set"],
  ["google/x", {}, "GOOGLE_GENERATIVE_AI_API_KEY is not set"],
  ["openai-compatible/x", {}, "OPENAI_COMPATIBLE_BASE_URL, which is not set"],
  ["openai/x", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost:80" }, "OPENAI_BASE_URL is not"],
  [
    "openai/x",
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://a:pw@b/v1" },
    "OPENAI_BASE_URL is not",
  ],
];
test.each(wrong)("the model %j with %o is refused with a hint", async (id, env, message) => {
  const error = await openModel(id, { env, clock: systemClock }).catch((error: unknown) => error);

  if (!(error instanceof TeamError)) throw new Error("Not refused", { cause: error });
  const isKeyMissing = message.endsWith("_API_KEY is not set");
  expect(error.code).toBe(isKeyMissing ? "provider-key-missing" : "config-invalid");
  expect(error.message).toContain(message);
  expect(error.hint).toBeTruthy();
  expect(`${error.message} ${error.hint}`).not.toContain("pw");
});

test.each(["http://host:1", "http://host:1/", "http://host:1/v1", "http://host:1/v1/"])(
  "Anthropic's base URL %s gets its version once",
  (url) => {
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url };

    expect(providerSettings("anthropic/x", env).baseUrl).toBe("http://host:1/v1");
  },
);

test("OpenAI's base URL is used as it is", () => {
  const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://host:1/proxy/v1" };

  expect(providerSettings("openai/x", env).baseUrl).toBe("http://host:1/proxy/v1");
});

test("the bearer token serves Anthropic only where no key is set", async () => {
  await using server = await ProviderServer.start({ strict: true });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_AUTH_TOKEN: "token" };
  server.reply(says("Hi"), says("Hi"));

  for (const keys of [{}, { ANTHROPIC_API_KEY: "key" }]) {
    const surroundings = { env: { ...env, ...keys }, clock: systemClock };
    const model = await openModel("anthropic/claude-sonnet-5", surroundings);
    expect(lastOf(await collect(model))).toMatchObject({ type: "finish" });
  }

  const sent = server.requests.map(({ headers }) => [headers.authorization, headers["x-api-key"]]);
  expect(sent).toEqual([
    ["Bearer token", undefined],
    [undefined, "key"],
  ]);
});

test("an OpenAI-compatible endpoint is asked without a key where none is set", async () => {
  await using server = await ProviderServer.start();
  server.reply(says("Hi"));
  const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "not for you" };

  const model = await openModel("openai-compatible/llama", { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({ type: "finish" });
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test("Google's key is found under each of its names", () => {
  for (const name of ["GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"]) {
    expect(providerSettings("google/x", { [name]: "k" }).key).toEqual({ name, value: "k" });
  }
});

test("the default model is TROUPE_MODEL, or MODEL_ID of Anthropic, or none", () => {
  expect(defaultModelId({ TROUPE_MODEL: "openai/a", MODEL_ID: "b" })).toBe("openai/a");
  expect(defaultModelId({ MODEL_ID: "b" })).toBe("anthropic/b");
  expect(defaultModelId({ TROUPE_MODEL: "", MODEL_ID: "" })).toBeUndefined();
});

test("every key in the environment is known as one", () => {
  const env = Object.fromEntries(providerKeyNames.map((name) => [name, `secret of ${name}`]));

  expect(providerKeys({ ...env, HOME: "/home/ada" })).toEqual(Object.values(env));
  expect(providerKeys({ HOME: "/home/ada", OPENAI_API_KEY: "" })).toEqual([]);
});

const endpoint = { OPENAI_COMPATIBLE_BASE_URL: "http://localhost:11434/v1" };
