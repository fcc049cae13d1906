import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { environmentSecrets } from "../../src/model/environment-secrets.ts";
import type { Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { checkProvider } from "../../src/model/provider-definitions.ts";
import { providerKeyNames, providerSettings } from "../../src/model/provider-settings.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { collect, lastOf } from "./ai-sdk-support.ts";
import { frame, realPackages, wireServer } from "./package-support.ts";

const call = calls("bash", { command: "ls" }, "call_1");
const afterCall: Utterance[] = [
  { type: "input", texts: ["Look."] },
  { type: "reply", blocks: [says("I look."), call] },
  { type: "results", results: [{ call_id: "call_1", output: "a.ts", is_error: false }] },
];

test("Azure streams a reply with a call and is sent its result, and stores nothing", async () => {
  await using place = await realPackages();
  await using server = await ProviderServer.start();
  server.reply(reply([says("I look."), call]), says("One file."));
  const env = { ...place.env, AZURE_API_KEY: "azure-key-0123", AZURE_BASE_URL: `${server.url}/v1` };
  const model = await openModel("azure/my-deployment", { env, clock: systemClock });

  const first = lastOf(await collect(model));
  const second = lastOf(await collect(model, { conversation: afterCall }));

  expect(first).toMatchObject({
    ...{ type: "finish", stop: "tool-calls", usage: { input_tokens: expect.any(Number) } },
    blocks: [
      { type: "text", text: "I look." },
      { ...call, provider: expect.anything() },
    ],
  });
  expect(second).toMatchObject({ type: "finish", blocks: [{ type: "text", text: "One file." }] });
  const [asked, again] = server.requests;
  expect(asked).toMatchObject({
    api: "openai-responses",
    headers: { "api-key": "azure-key-0123" },
    body: { model: "my-deployment", store: false },
  });
  expect(asked?.headers).not.toHaveProperty("authorization");
  expect(JSON.stringify(again?.body.input)).toContain("a.ts");
});

test("a package that is defined without a key gets none from the environment either", () => {
  const providers = { helper: { package: "@ai-sdk/openai", baseUrl: "https://example.com/v1" } };
  const env = { OPENAI_API_KEY: "sk-of-the-person" };

  const settings = providerSettings("helper/x", { env, providers });

  // The packages read the environment only if no key is given.
  expect(settings.family === "package" && settings.settings(fetch)).toMatchObject({ apiKey: "" });
});

test.each(["@ai-sdk/amazon-bedrock", "@ai-sdk/google-vertex/anthropic"])(
  "%s, which finds credentials by itself, cannot be given another address",
  (name) => {
    const definition = { package: name, baseUrl: "https://example.com/v1" };

    expect(() => checkProvider("helper", definition)).toThrow("is built in");
  },
);

test("Azure's address is made of the name of the resource", async () => {
  await using place = await realPackages();
  const env = { ...place.env, AZURE_API_KEY: "azure-key-0123", AZURE_RESOURCE_NAME: "ada" };
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    throw new Error("No network in this test");
  };

  const model = await openModel("azure/d", { env, clock: systemClock, fetch });

  expect(lastOf(await collect(model))).toMatchObject({ type: "error" });
  expect(asked).toEqual(["https://ada.openai.azure.com/openai/v1/responses?api-version=v1"]);
});

test("Azure's refusal names the variable, and not the key", async () => {
  await using place = await realPackages();
  await using server = await wireServer(() => ({
    status: 401,
    type: "application/json",
    body: '{"error":{"code":"401","message":"azure-key-0123 is invalid"}}',
  }));
  const env = { ...place.env, AZURE_API_KEY: "azure-key-0123", AZURE_BASE_URL: server.url };

  const model = await openModel("azure/d", { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({
    failure: {
      kind: "bad-key",
      message: "Azure refuses the key (401): [key] is invalid",
      hint: "Set AZURE_API_KEY to a key that may use azure/d.",
    },
  });
});

test.each([
  ["azure/gpt-6-sol", "On Azure, a model has the name that you gave its deployment."],
  ["bedrock/claude-sonnet-5", "similar names: bedrock/anthropic.claude-sonnet-5"],
  ["vertex/gemini-3.5", "similar names: vertex/gemini-3.5-flash"],
])("where %s is not there, the person is told: %s", async (id, hint) => {
  await using place = await realPackages();
  await using server = await wireServer(() => ({
    status: 404,
    type: "application/json",
    body: '{"error":{"code":404,"message":"Not found."}}',
  }));
  const env = {
    ...place.env,
    ...{ AZURE_API_KEY: "k", AZURE_BASE_URL: server.url },
    ...{ AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "eu-west-1" },
    ...{ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url },
    ...{ GOOGLE_VERTEX_API_KEY: "k", GOOGLE_VERTEX_BASE_URL: server.url },
  };

  const model = await openModel(id, { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({
    failure: { kind: "unknown-model", hint: expect.stringContaining(hint) },
  });
});

const bedrockStream = Buffer.concat([
  frame("messageStart", { role: "assistant" }),
  frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "I " } }),
  frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "look." } }),
  frame("contentBlockStop", { contentBlockIndex: 0 }),
  frame("contentBlockStart", {
    contentBlockIndex: 1,
    start: { toolUse: { toolUseId: "call_1", name: "bash" } },
  }),
  frame("contentBlockDelta", {
    contentBlockIndex: 1,
    delta: { toolUse: { input: '{"command":"ls"}' } },
  }),
  frame("contentBlockStop", { contentBlockIndex: 1 }),
  frame("messageStop", { stopReason: "tool_use" }),
  frame("metadata", { usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 } }),
]);

test.each([
  [{ AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-0123" }, /^Bearer bedrock-key-0123$/],
  [
    { AWS_ACCESS_KEY_ID: "AKIA0123", AWS_SECRET_ACCESS_KEY: "aws-secret-0123" },
    /^AWS4-HMAC-SHA256 Credential=AKIA0123\/\d+\/eu-west-1\/bedrock\//,
  ],
])("Bedrock with %o streams a reply with a call and is sent its result", async (keys, header) => {
  await using place = await realPackages();
  const stream = { type: "application/vnd.amazon.eventstream", body: bedrockStream };
  await using server = await wireServer(() => stream);
  const address = { AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };
  const env = { ...place.env, ...keys, ...address };
  const model = await openModel("bedrock/anthropic.claude-x-v1:0", { env, clock: systemClock });

  const end = lastOf(await collect(model));
  await collect(model, { conversation: afterCall });

  expect(end).toMatchObject({
    ...{ type: "finish", stop: "tool-calls", blocks: [says("I look."), call] },
    usage: { input_tokens: 12, output_tokens: 3 },
  });
  expect(server.seen[0]?.url).toBe("/model/anthropic.claude-x-v1%3A0/converse-stream");
  expect(server.seen[0]?.headers.authorization).toMatch(header);
  expect(JSON.parse(server.seen[1]?.body ?? "")).toMatchObject({
    messages: [
      { role: "user" },
      { role: "assistant", content: [{ text: "I look." }, { toolUse: { toolUseId: "call_1" } }] },
      {
        role: "user",
        content: [{ toolResult: { content: [{ text: "a.ts" }] } }, expect.anything()],
      },
    ],
  });
});

test("a stream of Bedrock's that is cut is no reply", async () => {
  await using place = await realPackages();
  const type = "application/vnd.amazon.eventstream";
  const body = bedrockStream.subarray(0, 300);
  await using server = await wireServer(() => ({ type, body }));
  const keys = { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-0123", AWS_REGION: "eu-west-1" };
  const env = { ...place.env, ...keys, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };

  const model = await openModel("bedrock/m", { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({ type: "error" });
});

test("a connection that breaks in the middle of a reply is told as one", async () => {
  await using place = await realPackages();
  const type = "application/vnd.amazon.eventstream";
  const body = bedrockStream.subarray(0, 300);
  await using server = await wireServer(() => ({ type, body, isCut: true }));
  const keys = { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-0123", AWS_REGION: "eu-west-1" };
  const env = { ...place.env, ...keys, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };

  const model = await openModel("bedrock/m", { env, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({
    failure: {
      kind: "cut",
      message: "Amazon Bedrock ended its answer before it was complete",
    },
  });
});

test("Vertex streams a reply with a call, with an API key", async () => {
  await using place = await realPackages();
  const parts = [{ text: "I look." }, { functionCall: { name: "bash", args: { command: "ls" } } }];
  const event = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
  };
  const body = `data: ${JSON.stringify(event)}\n\n`;
  await using server = await wireServer(() => ({ type: "text/event-stream", body }));
  const keys = { GOOGLE_VERTEX_API_KEY: "vertex-key-0123", GOOGLE_VERTEX_BASE_URL: server.url };

  const model = await openModel("vertex/gemini-3-pro", {
    env: { ...place.env, ...keys },
    clock: systemClock,
  });

  expect(lastOf(await collect(model))).toMatchObject({
    ...{ type: "finish", stop: "tool-calls", usage: { input_tokens: 9, output_tokens: 2 } },
    blocks: [{ text: "I look." }, { type: "tool-call", name: "bash", input: { command: "ls" } }],
  });
  expect(server.seen[0]?.headers["x-goog-api-key"]).toBe("vertex-key-0123");
});

test.each([
  ["azure/d", {}, "AZURE_API_KEY is not set"],
  ["azure/d", { AZURE_API_KEY: "k" }, "AZURE_RESOURCE_NAME or AZURE_BASE_URL to be set"],
  ["bedrock/m", { AWS_REGION: "r" }, "AWS_BEARER_TOKEN_BEDROCK is not set"],
  ["bedrock/m", { AWS_BEARER_TOKEN_BEDROCK: "k" }, "needs AWS_REGION to be set"],
  [
    "bedrock/m",
    { AWS_SECRET_ACCESS_KEY: "k", AWS_DEFAULT_REGION: "r" },
    "needs AWS_ACCESS_KEY_ID to be set",
  ],
  ["vertex/m", {}, "GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION to be set"],
])("%s with %o is refused: %s", async (id, env, message) => {
  const opening = openModel(id, { env, clock: systemClock });

  await expect(opening).rejects.toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/^Set /),
  });
});

test("the error of a missing package has the command that installs it", async () => {
  await using directory = await temporaryDirectory();
  const env = { XDG_DATA_HOME: directory.path, AZURE_API_KEY: "k", AZURE_RESOURCE_NAME: "r" };

  const opening = openModel("azure/d", { env, clock: systemClock });

  await expect(opening).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("The package @ai-sdk/azure is not installed"),
    hint: `Install it: npm install --prefix ${directory.path}/troupe/providers @ai-sdk/azure@3`,
  });
});

test("the command names a version of the AI SDK's packages that runs on this Node", async () => {
  await using directory = await temporaryDirectory();
  const env = { XDG_DATA_HOME: directory.path };
  const providers = { groq: { package: "@ai-sdk/groq" }, mine: { package: "my-provider" } };
  const hintOf = (id: string) =>
    openModel(id, { env, providers, clock: systemClock }).catch(({ hint }) => hint);

  const isOld = Number(process.versions.node.split(".")[0]) < 22;
  expect(await hintOf("groq/m")).toMatch(isOld ? /@ai-sdk\/groq@3$/ : /@ai-sdk\/groq$/);
  expect(await hintOf("mine/m")).toMatch(/ my-provider$/);
});

test.each(["v3", "v4"])("a package of the settings is used, with models of %s", async (version) => {
  await using place = await ownPackage({ "index.js": packageCode(version) });

  const model = await openModel("mine/small", { ...place.configuration, clock: systemClock });

  expect(lastOf(await collect(model))).toMatchObject({
    type: "finish",
    blocks: [says("small with mine-key-0123 at https://mine.example/v1 for blue")],
  });
});

test("a package above the directory of packages, or in the workspace, is not loaded", async () => {
  await using place = await ownPackage({ "index.js": packageCode("v3") });
  const outside = { ...place.env, XDG_DATA_HOME: join(place.root, "troupe/providers/data") };

  const configuration = { ...place.configuration, env: outside, clock: systemClock };

  await expect(openModel("mine/small", configuration)).rejects.toMatchObject({
    message: expect.stringContaining("is not installed"),
  });
});

test.each(["troupe/providers", "troupe/providers/node_modules/ai-mine"])(
  "code in %s is not loaded if others can write there",
  async (path) => {
    await using place = await ownPackage({ "index.js": "throw new Error('loaded')" });
    await chmod(join(place.root, path), 0o777);

    const opening = openModel("mine/small", { ...place.configuration, clock: systemClock });

    await expect(opening).rejects.toMatchObject({
      message: expect.stringContaining("Somebody else can change"),
      hint: expect.stringMatching(
        /chmod -R go-w \S+\. .*\(umask 022 && npm install --prefix \S+ ai-mine\)$/,
      ),
    });
  },
);

test.each([
  ["export const one = 1;", "is not a provider package"],
  ["export function createA() {} export function createB() {}", "is not a provider package"],
  ["export const createA = () => () => undefined;", "has no language models"],
])("a package with %j is refused", async (code, message) => {
  await using place = await ownPackage({ "index.js": code });

  const opening = openModel("mine/small", { ...place.configuration, clock: systemClock });

  await expect(opening).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(message),
  });
});

test("P24 the credentials of clouds are withheld from commands, and masked", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "google.json");
  const key =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";
  await writeFile(file, JSON.stringify({ private_key: key, client_email: "a@example.com" }));
  const env = {
    AWS_SECRET_ACCESS_KEY: "aws-secret-0123",
    AWS_SESSION_TOKEN: "aws-session-0123",
    AZURE_API_KEY: "azure-key-0123",
    GOOGLE_APPLICATION_CREDENTIALS: file,
  };

  const secrets = new Secrets(environmentSecrets({ env }));

  expect(providerKeyNames()).toEqual(expect.arrayContaining(Object.keys(env)));
  expect(secrets.mask(JSON.stringify({ ...env, key }))).toBe(
    JSON.stringify({
      AWS_SECRET_ACCESS_KEY: "[key]",
      AWS_SESSION_TOKEN: "[key]",
      AZURE_API_KEY: "[key]",
      GOOGLE_APPLICATION_CREDENTIALS: file,
      key: "-----BEGIN PRIVATE KEY-----\n[key]\n[key]\n-----END PRIVATE KEY-----\n",
    }),
  );
  const missing = { GOOGLE_APPLICATION_CREDENTIALS: join(directory.path, "none.json") };
  expect(environmentSecrets({ env: missing })).toEqual([]);
});

/** A package of the test's own, as a provider in the settings names it. */
async function ownPackage(files: Record<string, string>) {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const folder = join(root, "troupe/providers/node_modules/ai-mine");
  const about = { type: "module", exports: { ".": { import: { default: "./index.js" } } } };
  for (const [name, content] of Object.entries({
    "package.json": JSON.stringify(about),
    ...files,
  })) {
    await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o755 });
    await writeFile(join(folder, name), content);
  }
  const env = { XDG_DATA_HOME: root, MINE_KEY: "mine-key-0123", TEAM: "blue" };
  const mine = {
    ...{ package: "ai-mine", keyVariable: "MINE_KEY", baseUrl: "https://mine.example/v1" },
    headerVariables: { "x-team": "TEAM" },
  };
  return {
    root,
    env,
    configuration: { env, providers: { mine } },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** A package whose model says how it was called. */
function packageCode(version: string): string {
  return `export const createMine = ({ apiKey, baseURL, headers }) => (modelId) => ({
    specificationVersion: "${version}", provider: "mine.chat", modelId,
    async doStream() {
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      const finishReason = { unified: "stop", raw: "stop" };
      return { stream: new ReadableStream({ start(controller) {
        controller.enqueue({ type: "text-start", id: "1" });
        controller.enqueue({ type: "text-delta", id: "1", delta: modelId + " with " + apiKey + " at " + baseURL + " for " + headers["x-team"] });
        controller.enqueue({ type: "text-end", id: "1" });
        controller.enqueue({ type: "finish", usage, finishReason });
        controller.close();
      } }) };
    },
  });`;
}
