import { expect, test } from "vitest";
import { observeWithOpenTelemetry } from "../../src/telemetry/observe-with-open-telemetry.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";
import { OtlpReceiver } from "./otlp-receiver.ts";

test("a teammate's run is in the trace of the lead's run that it works for, and the lead's next run has a link to it", async () => {
  await using receiver = await OtlpReceiver.start();
  await using wire = await TeamOnWire.start({
    lead: [
      calls("spawn_teammate", { name: "alice", role: "coder", prompt: "Work." }),
      says("Alice works."),
      says("Alice is done."),
    ],
    alice: [calls("read_file", { path: "missing.txt" }), says("Done.")],
  });
  const team = await wire.open();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const telemetry = await observeWithOpenTelemetry(team, { env });

  await team.prompt("Have it done.");
  await team.quiet();
  await team[Symbol.asyncDispose]();
  await telemetry[Symbol.asyncDispose]();

  const [first, ...next] = receiver.spans
    .filter(({ name }) => name === "invoke_agent lead")
    .sort((one, other) => (one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1));
  const work = receiver.span("invoke_agent alice");
  expect(work).toMatchObject({ traceId: first?.traceId, parentSpanId: first?.spanId });
  expect(receiver.span("execute_tool read_file")).toMatchObject({
    attributes: { "error.type": "tool_error" },
    traceId: first?.traceId,
  });
  for (const run of next) expect(run.traceId).not.toBe(first?.traceId);
  if (next[0]) expect(next[0].links).toEqual([{ spanId: first?.spanId }]);
});
