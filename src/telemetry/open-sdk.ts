import type { Meter, Tracer } from "@opentelemetry/api";
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type ReadableSpan, TracerProvider } from "@opentelemetry/sdk-trace";
import { OtlpSender } from "./otlp-sender.ts";
import type { OtlpTarget, TelemetrySettings } from "./otlp-settings.ts";

const scope = "troupe";

/** So many ended spans wait for the collector at most. */
const maxWaitingSpans = 2_048;

const metricsEveryMs = 15_000;

/** The SDK of OpenTelemetry, as far as the settings ask for it. It is registered nowhere. */
export interface Sdk {
  tracer: Tracer | undefined;
  meter: Meter | undefined;
  /** Sends what waits. */
  shutdown(): Promise<unknown>;
  /** Ends what is under way. */
  abort(): void;
  /** Of the spans that have ended, those that no collector has taken. */
  unsentSpans(): number;
}

type OnFailure = (url: URL, reason: string) => void;

export function openSdk(settings: TelemetrySettings, onFailure: OnFailure): Sdk {
  const resource = defaultResource().merge(resourceFromAttributes(settings.resource));
  const traces = settings.traces && openTraces(settings.traces, resource, onFailure);
  const metrics = settings.metrics && openMetrics(settings.metrics, resource, onFailure);
  return {
    tracer: traces?.provider.getTracer(scope),
    meter: metrics?.provider.getMeter(scope),
    shutdown: () => Promise.allSettled([traces?.provider.shutdown(), metrics?.provider.shutdown()]),
    abort() {
      traces?.sender.abort();
      metrics?.sender.abort();
    },
    unsentSpans: () => traces?.unsent() ?? 0,
  };
}

function openTraces(target: OtlpTarget, resource: Resource, onFailure: OnFailure) {
  const { serializeRequest } =
    target.format === "json" ? JsonTraceSerializer : ProtobufTraceSerializer;
  let ended = 0;
  let sent = 0;
  const sender = new OtlpSender<ReadableSpan[]>(target, {
    serialize: (spans) => serializeRequest(spans),
    onFailure: (reason) => onFailure(target.url, reason),
  });
  const exporter: Pick<typeof sender, "export" | "shutdown" | "forceFlush"> = {
    export: (spans, settle) =>
      sender.export(spans, (result) => {
        if (result.code === 0) sent += spans.length;
        settle(result);
      }),
    shutdown: () => sender.shutdown(),
    forceFlush: () => sender.forceFlush(),
  };
  const batches = new BatchSpanProcessor({
    ...{ exporter, maxQueueSize: maxWaitingSpans, exportTimeoutMillis: target.timeoutMs },
  });
  const provider = new TracerProvider({
    ...{ resource, spanProcessors: [{ ...quiet, onEnd: () => ended++ }, batches] },
    spanLimits: { attributeValueLengthLimit: 400_000 },
  });
  return { provider, sender, unsent: () => ended - sent };
}

const quiet = {
  onStart: () => {},
  forceFlush: async () => {},
  shutdown: async () => {},
};

function openMetrics(target: OtlpTarget, resource: Resource, onFailure: OnFailure) {
  const { serializeRequest } =
    target.format === "json" ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  const sender = new OtlpSender<ResourceMetrics>(target, {
    serialize: (metrics) => serializeRequest(metrics),
    onFailure: (reason) => onFailure(target.url, reason),
  });
  const reader = new PeriodicExportingMetricReader({
    ...{ exporter: sender, exportIntervalMillis: metricsEveryMs },
    exportTimeoutMillis: Math.min(target.timeoutMs, metricsEveryMs),
  });
  return { provider: new MeterProvider({ resource, readers: [reader] }), sender };
}
