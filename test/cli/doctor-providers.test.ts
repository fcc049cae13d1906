import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { answering, examine } from "./examine.ts";
import { troupeIn } from "./troupe.ts";

test.each([
  ["anthropic", { ANTHROPIC_API_KEY: "sk-ant-0123456789" }, "/v1/models", "x-api-key"],
  ["anthropic", { ANTHROPIC_AUTH_TOKEN: "sk-ant-0123456789" }, "/v1/models", "authorization"],
  ["openai", { OPENAI_API_KEY: "sk-0123456789" }, "/v1/models", "authorization"],
  ["google", { GEMINI_API_KEY: "sk-0123456789" }, "/v1/models", "x-goog-api-key"],
  ["openai-compatible", {}, "/v1/models", undefined],
])("%s with %j is asked for its models", async (provider, keys, path, header) => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200);

  const { about } = await examine(directory.path, { ...keys, ...baseUrl(provider, server.url) });

  expect(about(provider)).toMatchObject([{ state: "ok" }]);
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]?.url).toBe(path);
  if (header) expect(server.seen[0]?.headers[header]).toMatch(/sk-.*0123456789$/);
});

test.each([
  [401, "{}", "problem", "the key was rejected (401)"],
  [403, "{}", "problem", "the key was rejected (403)"],
  [400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}', "problem", "the key was rejected"],
  [404, "{}", "note", "reachable, but answered 404"],
  [429, "{}", "note", "reachable, but answered 429"],
  [503, "{}", "note", "reachable, but answered 503"],
  [307, "{}", "note", "reachable, but answered 307"],
])("an answer of %i is reported with its meaning", async (status, body, state, text) => {
  await using directory = await temporaryDirectory();
  await using server = await answering(status, body);
  const env = { OPENAI_API_KEY: "sk-0123456789", OPENAI_BASE_URL: `${server.url}/v1` };

  const { about, code } = await examine(directory.path, env);

  expect(about("openai")).toMatchObject([{ state, text: expect.stringContaining(text) }]);
  expect(server.seen).toHaveLength(1);
  if (state === "problem") expect(about("openai")[0]?.remedy).toContain("OPENAI_API_KEY");
  expect(code).toBe(state === "problem" ? 1 : 0);
});

test("a provider that does not serve the country is not reported as a rejected key", async () => {
  await using directory = await temporaryDirectory();
  const body = '{"error":{"message":"Country, region, or territory not supported"}}';
  await using server = await answering(403, body);
  const env = { OPENAI_API_KEY: "sk-0123456789", OPENAI_BASE_URL: `${server.url}/v1` };

  const { about } = await examine(directory.path, env);

  expect(about("openai")).toMatchObject([
    { state: "problem", text: expect.stringContaining("does not serve this country (403)") },
  ]);
});

test("a provider of the settings is asked with its key and its headers", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200);
  const router = {
    ...{ family: "openai-compatible", "base-url": `${server.url}/v1`, "key-variable": "K" },
    "header-variables": { "x-team": "TEAM" },
  };
  await mkdir(join(directory.path, "troupe"));
  const file = join(directory.path, "troupe/config.json");
  await writeFile(file, JSON.stringify({ providers: { router }, model: "router/m" }));
  const env = { XDG_CONFIG_HOME: directory.path, K: "sk-0123456789", TEAM: "blue" };

  const { about } = await examine(directory.path, env);

  expect(about("router")).toMatchObject([{ state: "ok" }]);
  expect(server.seen[0]?.headers).toMatchObject({
    authorization: "Bearer sk-0123456789",
    "x-team": "blue",
  });
});

test("a key with a character that no key has is a problem, and nothing is sent", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200);
  const env = { OPENAI_API_KEY: "“sk-0123456789”", OPENAI_BASE_URL: `${server.url}/v1` };

  const { about, code } = await examine(directory.path, env);

  expect(about("openai")).toMatchObject([
    { state: "problem", text: "OPENAI_API_KEY has a character that no key has" },
  ]);
  expect([code, server.seen.length]).toEqual([1, 0]);
});

const openai = { data: [{ id: "qwen3:8b" }, { id: "llama-4-8b" }] };
const google = { models: [{ name: "models/qwen9" }] };

test.each([
  ["is not listed", "qwen9", openai, "note"],
  ["is not listed by Google's API", "qwen8", google, "note"],
  ["is listed", "qwen3:8b", openai, "ok"],
  ["is listed by Google's API", "qwen9", google, "ok"],
  ["is listed with its date only", "llama-4", openai, "ok"],
  ["may be on another page", "qwen9", { ...openai, has_more: true }, "ok"],
  ["may be on Google's next page", "qwen8", { ...google, nextPageToken: "2" }, "ok"],
  ["is not asked for", undefined, openai, "ok"],
  ["may exist, since none is listed", "qwen9", { data: [] }, "ok"],
  ["may exist, since the list is of another kind", "qwen9", { data: "many" }, "ok"],
])("a chosen model that %s is reported so", async (_, model, list, state) => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200, JSON.stringify(list));
  const env = {
    ...{ OPENAI_COMPATIBLE_BASE_URL: server.url },
    TROUPE_MODEL: model ? `openai-compatible/${model}` : "rehearsal",
  };

  const { about } = await examine(directory.path, env);

  expect(about("openai-compatible")).toMatchObject([{ state }]);
  if (state === "ok") return;
  const [{ text = "", remedy = "" } = {}] = about("openai-compatible");
  expect(text).toMatch(/the chosen model qwen\d is not among the \d models that it lists/);
  expect(remedy).toMatch(/^Check its name\. Listed are qwen/);
});

test("an unreachable provider is reported differently from one that refuses", async () => {
  await using directory = await temporaryDirectory();
  const server = await answering(200);
  await server[Symbol.asyncDispose]();

  const { about } = await examine(directory.path, { OPENAI_COMPATIBLE_BASE_URL: server.url });

  expect(about("openai-compatible")).toMatchObject([
    { state: "problem", text: expect.stringContaining("cannot be reached (ECONNREFUSED)") },
  ]);
});

test("providers that are not set up are not asked, but the chosen model's is checked", async () => {
  await using directory = await temporaryDirectory();

  const { about, report } = await examine(directory.path, { TROUPE_MODEL: "google/gemini" });

  expect(about("google")).toMatchObject([
    { state: "problem", text: "no key is set", remedy: expect.stringContaining("GEMINI_API_KEY") },
  ]);
  expect(about("model")).toMatchObject([{ state: "problem" }]);
  expect(report.checks.map(({ name }) => name)).not.toContain("openai");
});

test("no key is in any line, wherever it was put", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(401, "sk-secret-0123456789");
  const secret = "sk-secret-0123456789";
  await writeFile(join(directory.path, "keys.env"), "OPENAI_API_KEY=sk-in-a-file-0123\n");
  const env = {
    TROUPE_MODEL: `anthropic/${secret}`,
    ANTHROPIC_API_KEY: secret,
    ANTHROPIC_BASE_URL: server.url.replace("//", `//user:${secret}@`),
    OPENAI_BASE_URL: `${server.url}/sk-in-a-file-0123/v1`,
    GEMINI_API_KEY: secret,
    GOOGLE_GENERATIVE_AI_BASE_URL: `not a url with ${secret}`,
    OPENAI_COMPATIBLE_BASE_URL: `${server.url}/token-of-a-gateway/v1?key=${secret}`,
  };

  for (const flags of [[], ["--json"], ["--debug"]]) {
    const { out, err } = await troupeIn(
      { root: directory.path, env },
      ...["doctor", "--env-file", "keys.env", ...flags],
    );

    const text = [...out, ...err].join("\n");
    expect(text).toContain("ANTHROPIC_BASE_URL is not the base URL of an API");
    expect(text).not.toContain(secret);
    expect(text).not.toContain("sk-in-a-file");
    expect(text).not.toContain("token-of-a-gateway");
  }
  expect(server.seen.some(({ headers }) => headers.authorization?.includes("sk-in-a-file"))).toBe(
    true,
  );
});

function baseUrl(provider: string, url: string): Record<string, string> {
  if (provider === "anthropic") return { ANTHROPIC_BASE_URL: url };
  const names: Record<string, string> = {
    openai: "OPENAI_BASE_URL",
    google: "GOOGLE_GENERATIVE_AI_BASE_URL",
    "openai-compatible": "OPENAI_COMPATIBLE_BASE_URL",
  };
  return { [names[provider] ?? ""]: `${url}/v1` };
}

test("an answer that breaks off is reported as an unreachable provider", async () => {
  await using directory = await temporaryDirectory();
  await using server = await answering(200, "{}", { breaksOff: true });
  const env = { OPENAI_API_KEY: "sk-0123456789", OPENAI_BASE_URL: `${server.url}/v1` };

  const { about } = await examine(directory.path, env);

  expect(about("openai")).toMatchObject([
    { state: "problem", text: expect.stringContaining("cannot be reached") },
  ]);
});

test("a chosen provider without its package is a problem, with the command that installs it", async () => {
  await using directory = await temporaryDirectory();
  const keys = { AZURE_API_KEY: "azure-key-0123", AZURE_RESOURCE_NAME: "ada" };
  const env = { ...keys, XDG_DATA_HOME: directory.path, TROUPE_MODEL: "azure/d" };

  const { about } = await examine(directory.path, env);

  expect(about("azure")).toMatchObject([
    {
      state: "problem",
      remedy: expect.stringMatching(/^Install it: npm install --prefix .*azure@3$/),
    },
  ]);
});

test("the credentials of a cloud alone do not make it a provider to check", async () => {
  await using directory = await temporaryDirectory();
  const env = { AWS_ACCESS_KEY_ID: "AKIA0123", AWS_SECRET_ACCESS_KEY: "aws-secret-0123" };

  const { about } = await examine(directory.path, env);

  expect(about("bedrock")).toEqual([]);
});
