import { decoded } from "../lib/decoded.ts";
import type { TelemetryEnvironment } from "./wants-telemetry.ts";

/** How the records of one signal are sent. */
export interface OtlpTarget {
  url: URL;
  format: "protobuf" | "json";
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  isCompressed: boolean;
}

/** What the variables of OpenTelemetry ask for. */
export interface TelemetrySettings {
  /** Undefined where they are not to be sent. */
  traces: OtlpTarget | undefined;
  metrics: OtlpTarget | undefined;
  /** Attributes of all that is sent. */
  resource: Readonly<Record<string, string>>;
  /** Whether contents are sent, too: prompts, replies, arguments and results. */
  hasContents: boolean;
  /** The span of another program that all spans are below. */
  parent: RemoteSpan | undefined;
  /** What is wrong with the variables, in sentences. */
  problems: string[];
}

export interface RemoteSpan {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

const signals = { TRACES: "v1/traces", METRICS: "v1/metrics" } as const;
type Signal = keyof typeof signals;

const defaultTimeoutMs = 10_000;

export function telemetrySettings(env: TelemetryEnvironment): TelemetrySettings {
  const problems: string[] = [];
  return {
    traces: targetOf("TRACES", env, problems),
    metrics: targetOf("METRICS", env, problems),
    resource: {
      "service.name": "troupe",
      ...pairsIn(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME && { "service.name": env.OTEL_SERVICE_NAME }),
    },
    hasContents:
      env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim().toLowerCase() === "true",
    parent: spanIn(env.TRACEPARENT),
    problems: [...new Set(problems)],
  };
}

function targetOf(
  signal: Signal,
  env: TelemetryEnvironment,
  problems: string[],
): OtlpTarget | undefined {
  /** The variable of the signal, or else that of all signals. */
  const read = (name: string): [string, string] => {
    const own = `OTEL_EXPORTER_OTLP_${signal}_${name}`;
    const shared = `OTEL_EXPORTER_OTLP_${name}`;
    return env[own] ? [own, env[own] ?? ""] : [shared, env[shared] ?? ""];
  };
  const [endpointName, endpoint] = read("ENDPOINT");
  if (endpoint === "" || env[`OTEL_${signal}_EXPORTER`] === "none") return undefined;
  const isOwn = endpointName.includes(signal);
  const url = addressIn(isOwn ? endpoint : `${endpoint.replace(/\/+$/, "")}/${signals[signal]}`);
  if (!url) {
    problems.push(`${endpointName} is no http or https address, so nothing is sent to it.`);
    return undefined;
  }
  const [protocolName, protocol] = read("PROTOCOL");
  if (!["", "http/protobuf", "http/json"].includes(protocol)) {
    problems.push(
      `${protocolName} is ${JSON.stringify(protocol)}, which Troupe does not speak, so no telemetry is sent. Set it to "http/protobuf" or "http/json"; collectors usually listen for both on port 4318.`,
    );
    return undefined;
  }
  const timeoutMs = Number(read("TIMEOUT")[1]);
  return {
    url,
    format: protocol === "http/json" ? "json" : "protobuf",
    headers: { ...pairsIn(env.OTEL_EXPORTER_OTLP_HEADERS), ...pairsIn(read("HEADERS")[1]) },
    timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, 60_000) : defaultTimeoutMs,
    isCompressed: read("COMPRESSION")[1] === "gzip",
  };
}

function addressIn(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

/** The pairs of `key=value,key=value`; keys and values may be percent-encoded. */
function pairsIn(text = ""): Record<string, string> {
  const pairs = text.split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    const key = decoded(pair.slice(0, Math.max(at, 0)).trim());
    return key === "" ? [] : [[key, decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

/** The span in a `traceparent`, as the W3C defines it. */
function spanIn(text = ""): RemoteSpan | undefined {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text.trim());
  const [, traceId = "", spanId = "", flags = ""] = found ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}
