import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { followScript, providerEnvironment } from "../support/agent-on-wire.ts";
import { type Finished, runNode } from "../support/programs.ts";
import { OtlpReceiver } from "./otlp-receiver.ts";

const program = resolve("dist/cli/main.js");
const secret = "Bearer collector-key-0123456789";

/** A real `troupe run` whose lead runs one command, with these variables. */
async function runTroupe(variables: Record<string, string>): Promise<Finished> {
  await using directory = await temporaryDirectory();
  await using provider = await ProviderServer.start();
  followScript(provider, [
    () =>
      reply([
        says("I look."),
        calls("bash", { command: "echo header: $OTEL_EXPORTER_OTLP_HEADERS" }),
      ]),
    () => says("All is well with the whale."),
  ]);
  const workspace = join(directory.path, "workspace");
  await mkdir(workspace);
  const finished = await runNode(
    [program, "run", "Tell me of the whale.", "--cwd", workspace, "--allow", "bash(echo:*)"],
    {
      ...providerEnvironment(provider),
      TROUPE_MODEL: "anthropic/claude-sonnet-4-5",
      XDG_CACHE_HOME: join(directory.path, "cache"),
      XDG_CONFIG_HOME: join(directory.path, "config"),
      XDG_STATE_HOME: join(directory.path, "state"),
      ...variables,
    },
  );
  expect(finished.code, finished.err).toBe(0);
  expect(finished.out).toContain("All is well with the whale.");
  return finished;
}

test.each(["http/protobuf", "http/json"])(
  "a run is received as spans and metrics of the GenAI conventions, by %s",
  async (protocol) => {
    await using receiver = await OtlpReceiver.start();

    const { err } = await runTroupe({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(secret)}`,
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other",
    });

    expect(err).not.toContain("warning");
    expect(receiver.names().sort(), receiver.text).toEqual([
      "chat claude-sonnet-4-5",
      "chat claude-sonnet-4-5",
      "execute_tool bash",
      "invoke_agent lead",
      "turn 1",
      "turn 2",
    ]);
    const run = receiver.span("invoke_agent lead");
    const turn = receiver.span("turn 1");
    const call = receiver.span("execute_tool bash");
    const [chat] = receiver.spans.filter(({ name }) => name.startsWith("chat"));
    expect(run).toMatchObject({ parentSpanId: "", attributes: { "troupe.run.outcome": "done" } });
    expect(turn.parentSpanId).toBe(run.spanId);
    expect(call.parentSpanId).toBe(turn.spanId);
    expect(call.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "bash",
      "gen_ai.tool.call.id": expect.stringMatching(/^call_/),
    });
    expect(chat?.parentSpanId).toBe(turn.spanId);
    expect(chat?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-sonnet-4-5",
      "gen_ai.agent.name": "lead",
    });
    expect(chat?.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
    for (const span of receiver.spans) {
      expect(span.traceId).toBe(run.traceId);
      expect(span.startTimeUnixNano >= run.startTimeUnixNano).toBe(true);
      expect(span.endTimeUnixNano <= run.endTimeUnixNano).toBe(true);
    }
    expect(receiver.resources[0]).toMatchObject({
      "service.name": "other",
      "deployment.environment.name": "test",
    });
    expect(receiver.headers[0]?.authorization).toBe(secret);
    expect([...receiver.metrics.keys()].sort()).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
      "troupe.cost",
    ]);
    const used = receiver.metrics.get("gen_ai.client.token.usage") ?? [];
    const input = receiver.spans.reduce(
      (sum, { attributes }) => sum + Number(attributes["gen_ai.usage.input_tokens"] ?? 0),
      0,
    );
    expect(used.find(({ attributes }) => attributes["gen_ai.token.type"] === "input")?.sum).toBe(
      input,
    );
    expect(receiver.metrics.get("troupe.cost")?.[0]?.asDouble).toBeGreaterThan(0);
  },
);

test("contents are sent only if they are asked for, and keys never", async () => {
  await using plain = await OtlpReceiver.start();
  await using full = await OtlpReceiver.start();
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret}` };

  await runTroupe({ ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: plain.url });
  const { err } = await runTroupe({
    ...headers,
    OTEL_EXPORTER_OTLP_ENDPOINT: full.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });

  expect(err).not.toContain("warning");
  const contents = ["Tell me of the whale", "All is well", "I look.", "echo header", "header:"];
  for (const content of contents) {
    expect(full.text).toContain(content);
    expect(plain.text).not.toContain(content);
  }
  for (const key of ["collector-key", "sk-ant-test-0123456789"]) {
    expect(plain.text + full.text).not.toContain(key);
  }
});

test("a span of the environment is the parent of the run, and one that is not sampled stops all spans", async () => {
  await using receiver = await OtlpReceiver.start();
  await using silent = await OtlpReceiver.start();
  const traceId = "0af7651916cd43dd8448eb211c80319c";

  await runTroupe({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    TRACEPARENT: `00-${traceId}-b7ad6b7169203331-01`,
  });
  await runTroupe({
    OTEL_EXPORTER_OTLP_ENDPOINT: silent.url,
    TRACEPARENT: `00-${traceId}-b7ad6b7169203331-00`,
  });

  const run = receiver.span("invoke_agent lead");
  expect(run).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" });
  // Only the address of spans was given.
  expect(receiver.metrics.size).toBe(0);
  expect(silent.spans).toEqual([]);
  expect(silent.metrics.size).toBe(3);
});

test("a collector that hangs, fails or refuses costs one warning, and the run succeeds", async () => {
  await using hanging = await OtlpReceiver.start(() => {});
  await using failing = await OtlpReceiver.start((_request, response) => {
    response.writeHead(500).end();
  });
  const gone = await OtlpReceiver.start();
  const { url: goneUrl } = gone;
  await gone[Symbol.asyncDispose]();

  for (const [url, reason] of [
    [hanging.url, "spans of telemetry were not sent"],
    [failing.url, "HTTP 500"],
    [goneUrl, "ECONNREFUSED"],
  ]) {
    const { err } = await runTroupe({ OTEL_EXPORTER_OTLP_ENDPOINT: url ?? "" });
    expect(err.match(/warning:.*(T|t)elemetry.*/g), err).toHaveLength(1);
    expect(err).toContain(reason);
  }
  expect(hanging.requests).toBeGreaterThan(0);
  expect(failing.requests).toBeGreaterThan(0);
});

test("gRPC is refused with a warning, and a disabled SDK sends nothing", async () => {
  await using receiver = await OtlpReceiver.start();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };

  const grpc = await runTroupe({ ...variables, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
  const disabled = await runTroupe({ ...variables, OTEL_SDK_DISABLED: "true" });

  expect(grpc.err).toContain('OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", which Troupe does not speak');
  expect(disabled.err).not.toContain("elemetry");
  expect(receiver.requests).toBe(0);
});
