import { expect, test } from "vitest";
import { TeamError } from "../../src/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openModel } from "../../src/model/open-model.ts";
import { checkProvider, type ProviderDefinition } from "../../src/model/provider-definitions.ts";
import {
  providerKeyNames,
  providerKeys,
  providerSettings,
} from "../../src/model/provider-settings.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";

const router = {
  family: "openai-compatible",
  baseUrl: "https://router.example/v1",
  keyVariable: "ROUTER_KEY",
} as const;

test("the provider is the part before the first slash", () => {
  expect(providerSettings("openai-compatible/meta/llama:70b", { env: endpoint })).toMatchObject({
    family: "openai-compatible",
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
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://b/v1/responses" },
    "OPENAI_BASE_URL is not",
  ],
  [
    "openai-compatible/x",
    { OPENAI_COMPATIBLE_BASE_URL: "http://b/v1/chat/completions/" },
    "OPENAI_COMPATIBLE_BASE_URL is not",
  ],
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

test.each([
  ["rehersal", "rehearsal"],
  ["rehersal/x", "rehearsal"],
  ["antropic/claude-x", "anthropic/claude-x"],
  ["ollama", "ollama/<model>"],
  ["openai:gpt-6-sol", "openai/gpt-6-sol"],
])("for the mistyped model %j, %s is suggested", (id, meant) => {
  const error = thrownBy(() => providerSettings(id, { env: {} }));

  expect(error).toMatchObject({ hint: expect.stringContaining(`Did you mean ${meant}? `) });
});

test("white space around a key is left out, also where it is masked", () => {
  const env = { ANTHROPIC_API_KEY: " \n", ANTHROPIC_AUTH_TOKEN: " sk-0123456789\n" };

  const { key } = providerSettings("anthropic/x", { env });

  expect(key).toEqual({ name: "ANTHROPIC_AUTH_TOKEN", value: "sk-0123456789" });
  expect(providerKeys({ env })).toEqual(["sk-0123456789"]);
});

test.each([
  "sk-01234\n56789",
  "sk-01234 56789",
  "“sk-0123456789”",
  "sk-0123456789é",
  "sk-\u00000123456789",
])("the key %j is refused at once, without being shown", (value) => {
  const env = { ANTHROPIC_API_KEY: value };

  const error = thrownBy(() => providerSettings("anthropic/x", { env }));

  expect(error).toMatchObject({
    code: "config-invalid",
    message: "ANTHROPIC_API_KEY has a character that no key has",
    hint: expect.stringContaining("Set ANTHROPIC_API_KEY to the key alone"),
  });
});

test.each(["http://host:1", "http://host:1/", "http://host:1/v1", "http://host:1/v1/"])(
  "Anthropic's base URL %s gets its version once",
  (url) => {
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url };

    expect(providerSettings("anthropic/x", { env }).baseUrl).toBe("http://host:1/v1");
  },
);

test("OpenAI's base URL is used unchanged", () => {
  const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://host:1/proxy/v1" };

  expect(providerSettings("openai/x", { env }).baseUrl).toBe("http://host:1/proxy/v1");
});

test("the bearer token is used for Anthropic only if no key is set", async () => {
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

test("an OpenAI-compatible endpoint is called without a key if none is set", async () => {
  await using server = await ProviderServer.start();
  server.reply(says("Hi"));
  const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "not for you" };

  const model = await openModel("openai-compatible/llama", { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({ type: "finish" });
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test("Google's key is found under each of its names", () => {
  for (const name of ["GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"]) {
    expect(providerSettings("google/x", { env: { [name]: "k" } }).key).toEqual({
      name,
      value: "k",
    });
  }
});

test.each([
  ["openrouter", "https://openrouter.ai/api/v1"],
  ["ollama", "http://localhost:11434/v1"],
  ["lmstudio", "http://localhost:1234/v1"],
  ["vllm", "http://localhost:8000/v1"],
])("%s is built in, at %s", (provider, baseUrl) => {
  const env = { OPENROUTER_API_KEY: "k" };

  expect(providerSettings(`${provider}/vendor/model:1b`, { env })).toMatchObject({
    baseUrl,
    model: "vendor/model:1b",
  });
});

test.each([
  ["LMSTUDIO_BASE_URL", "http://box:1/v1/", "lmstudio", "http://box:1/v1"],
  ["VLLM_BASE_URL", "https://box/gateway/v1", "vllm", "https://box/gateway/v1"],
  ["OLLAMA_HOST", "box", "ollama", "http://box:11434/v1"],
  ["OLLAMA_HOST", "box:80", "ollama", "http://box:80/v1"],
  ["OLLAMA_HOST", ":5000", "ollama", "http://localhost:5000/v1"],
  ["OLLAMA_HOST", "0.0.0.0", "ollama", "http://localhost:11434/v1"],
  ["OLLAMA_HOST", "[::]:5000", "ollama", "http://localhost:5000/v1"],
  ["OLLAMA_HOST", "[::1]", "ollama", "http://[::1]:11434/v1"],
  ["OLLAMA_HOST", "http://box:5000/", "ollama", "http://box:5000/v1"],
  ["OLLAMA_HOST", "https://ollama.example", "ollama", "https://ollama.example:443/v1"],
  ["OLLAMA_HOST", "https://box/ollama/v1", "ollama", "https://box:443/ollama/v1"],
])("%s=%s makes %s's address %s", (name, value, provider, baseUrl) => {
  const env = { [name]: value };

  expect(providerSettings(`${provider}/m`, { env }).baseUrl).toBe(baseUrl);
});

test("a host of Ollama's that is no address is refused, without its value", () => {
  const env = { OLLAMA_HOST: "me:pw@box" };

  const error = thrownBy(() => providerSettings("ollama/m", { env }));

  expect(error.message).toBe("OLLAMA_HOST is not the base URL of an API");
  expect(`${error.message} ${error.hint}`).not.toContain("pw");
});

test("one process can use several local servers, each without a key", async () => {
  await using one = await ProviderServer.start();
  await using other = await ProviderServer.start();
  const env = { OLLAMA_HOST: one.url, VLLM_BASE_URL: `${other.url}/v1`, OPENAI_API_KEY: "no" };
  one.reply(says("One"));
  other.reply(says("Other"));

  const replies = ["ollama/qwen3:8b", "vllm/org/qwen3"].map(async (id) =>
    lastOf(await collect(await openModel(id, { env, clock: systemClock }))),
  );

  expect(await Promise.all(replies)).toMatchObject([
    { type: "finish", blocks: [says("One")] },
    { type: "finish", blocks: [says("Other")] },
  ]);
  expect(one.requests[0]?.body.model).toBe("qwen3:8b");
  expect(one.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("every key in the environment is recognized as one", () => {
  const names = [...providerKeyNames(), "ROUTER_KEY"].filter(
    // Its value is the path of a file.
    (name) => name !== "GOOGLE_APPLICATION_CREDENTIALS",
  );
  const env = Object.fromEntries(names.map((name) => [name, `secret of ${name}`]));
  const providers = { router };

  expect(providerKeys({ env: { ...env, HOME: "/home/ada" }, providers })).toEqual(
    Object.values(env),
  );
  expect(providerKeys({ env: { HOME: "/home/ada", OPENAI_API_KEY: "" }, providers })).toEqual([]);
});

test.each(["openai-compatible", "openai", "anthropic"] as const)(
  "a defined provider of the family %s is called at its address, with its key",
  async (family) => {
    await using server = await ProviderServer.start({ strict: true });
    server.reply(says("Hi"));
    const baseUrl = family === "anthropic" ? server.url : `${server.url}/v1`;
    const providers = { router: { family, baseUrl, keyVariable: "ROUTER_KEY" } };
    const env = { ROUTER_KEY: "sk-router", OPENAI_API_KEY: "no", ANTHROPIC_API_KEY: "no" };

    const model = await openModel("router/m-1", { env, providers, clock: systemClock });

    expect(lastOf(await collect(model))).toMatchObject({ type: "finish" });
    const sent = server.requests.map(({ headers }) => headers);
    expect(sent.map((it) => it.authorization ?? it["x-api-key"])).toEqual([
      expect.stringMatching(/^(Bearer )?sk-router$/),
    ]);
    expect(server.requests[0]?.body.model).toBe("m-1");
  },
);

test.each(["openai-compatible", "openai", "anthropic", "openrouter"] as const)(
  "requests to a defined provider of the family %s have the headers of its definition",
  async (family) => {
    await using server = await ProviderServer.start({ strict: true });
    server.reply(says("Hi"));
    const providers = {
      router: {
        ...{ family, baseUrl: `${server.url}/v1`, keyVariable: "ROUTER_KEY" },
        headerVariables: { "X-Team": "TEAM", "x-gateway-key": "GATEWAY_KEY" },
      },
    };
    const env = { ROUTER_KEY: "sk-router", TEAM: " blue\n", GATEWAY_KEY: "gateway-0123" };

    const model = await openModel("router/m-1", { env, providers, clock: systemClock });

    expect(lastOf(await collect(model))).toMatchObject({ type: "finish" });
    expect(server.requests[0]?.headers).toMatchObject({
      "x-team": "blue",
      "x-gateway-key": "gateway-0123",
    });
    expect(providerKeys({ env, providers })).toEqual(["sk-router", "blue", "gateway-0123"]);
    expect(providerKeyNames(providers)).toEqual(expect.arrayContaining(["TEAM", "GATEWAY_KEY"]));
  },
);

test.each([
  [undefined, "The model router/x needs the header x-team, but TEAM is not set"],
  [" ", "The model router/x needs the header x-team, but TEAM is not set"],
  ["blue\nsky", "TEAM has a character that no key has"],
])("a header whose variable is %j is not sent: %s", (TEAM, message) => {
  const providers = { router: { ...router, headerVariables: { "x-team": "TEAM" } } };
  const env = { ROUTER_KEY: "sk-router", TEAM };

  expect(() => providerSettings("router/x", { env, providers })).toThrow(message);
});

test("a failure does not show the value of a header", async () => {
  await using server = await ProviderServer.start();
  server.reply(status(400, { error: { message: "no team gateway-0123" } }));
  const headerVariables = { "x-gateway-key": "GATEWAY_KEY" };
  const providers = { router: { ...router, baseUrl: `${server.url}/v1`, headerVariables } };
  const env = { ROUTER_KEY: "sk-router", GATEWAY_KEY: "gateway-0123" };

  const model = await openModel("router/m-1", { env, providers, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({
    failure: { message: expect.stringContaining("no team [key]") },
  });
});

test("a failure of a defined provider names it and its variable", async () => {
  await using server = await ProviderServer.start();
  server.reply(status(401));
  const providers = { router: { ...router, baseUrl: `${server.url}/v1` } };
  const env = { ROUTER_KEY: "sk-router" };

  const model = await openModel("router/m-1", { env, providers, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({
    failure: {
      message: expect.stringContaining("The provider router refuses the key"),
      hint: "Set ROUTER_KEY to a key that may use router/m-1.",
    },
  });
});

test("the key variable of a defined provider that is not set is reported as missing", () => {
  expect(() => providerSettings("router/x", { env: {}, providers: { router } })).toThrow(
    "The model router/x needs a key, but ROUTER_KEY is not set",
  );
});

test("a misspelled provider gets a list that includes the defined ones", () => {
  const error = thrownBy(() => providerSettings("ruter/x", { env: {}, providers: { router } }));

  expect(error.hint).toContain("vertex, router");
});

test.each([
  ["openai", { family: "openai", keyVariable: "K" }, "is built in"],
  ["Router", router, "has a name that cannot be used"],
  ["__proto__", router, "has a name that cannot be used"],
  ["a", { family: "openai-compatible" }, "has no baseUrl"],
  ["a", { family: "anthropic", baseUrl: "https://a.example" }, "has no keyVariable"],
  ["a", { family: "openai", keyVariable: "sk-0123456789" }, "has a keyVariable that is not"],
  ["a", { ...router, baseUrl: "https://me:sk-0123456789@a.example" }, "has a baseUrl that is not"],
  ["a", { ...router, baseUrl: "file:///etc/passwd" }, "has a baseUrl that is not"],
  ["a", { keyVariable: "K" }, "needs either a family or a package"],
  ["a", { ...router, package: "@ai-sdk/groq" }, "needs either a family or a package"],
  ["a", { package: "../groq" }, "has a package that is not the name of one"],
  ["a", { package: "@ai-sdk/groq/../../x" }, "has a package that is not the name of one"],
  ["a", { package: "/tmp/groq" }, "has a package that is not the name of one"],
  ["a", { family: "nope", baseUrl: "https://a.example" }, "has an unknown family"],
  ["a", { ...router, "base-url": "sk-0123456789" }, 'has the unknown field "base-url"'],
  ["a", { ...router, baseUrl: 5 }, "has a baseUrl that is not a text"],
  ["a", { ...router, headerVariables: { "x-a": "sk-0123456789" } }, "has a header in its header"],
  ["a", { ...router, headerVariables: { "x a": "A" } }, "has a header in its headerVariables that"],
  ["a", { ...router, headerVariables: { Host: "A" } }, "has a header in its headerVariables that"],
  ["a", { ...router, headerVariables: "sk-0123456789" }, "has headerVariables that are not an"],
  ["a", { ...router, headerVariables: { "x-a": 5 } }, "has headerVariables that are not an object"],
  ["a", "https://sk-0123456789", "must be an object"],
] as const)("a provider %j with %o is refused: it %s", (name, definition, problem) => {
  const error = thrownBy(() => checkProvider(name, definition as ProviderDefinition));

  expect(error).toMatchObject({ code: "config-invalid", hint: expect.any(String) });
  expect(error.message).toContain(`The provider "${name}" ${problem}`);
  expect(`${error.message} ${error.hint}`).not.toContain("sk-0123456789");
});

function thrownBy(work: () => unknown): TeamError {
  try {
    work();
  } catch (error) {
    if (error instanceof TeamError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown");
}

const endpoint = { OPENAI_COMPATIBLE_BASE_URL: "http://localhost:11434/v1" };
