import { createServer, type RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import root from "otlp-decoder/build/src/generated/root.js";
import { z } from "zod";

/** A value of an attribute, in the form that OTLP's own definitions give it. */
const Value = z
  .object({
    stringValue: z.string().optional(),
    intValue: z.coerce.number().optional(),
    doubleValue: z.number().optional(),
    boolValue: z.boolean().optional(),
  })
  .transform(({ stringValue, intValue, doubleValue, boolValue }) => {
    return stringValue ?? intValue ?? doubleValue ?? boolValue;
  });

const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));

const Span = z.object({
  name: z.string(),
  kind: z.union([z.string(), z.number()]).optional(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: Attributes,
  links: z.array(z.object({ spanId: z.string() })).default([]),
  status: z.object({ code: z.union([z.string(), z.number()]).optional() }).optional(),
});
export type ReceivedSpan = z.infer<typeof Span>;

const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

const Point = z.object({
  attributes: Attributes,
  sum: z.number().optional(),
  asDouble: z.number().optional(),
});
export type ReceivedPoint = z.infer<typeof Point>;

const Points = z.object({ dataPoints: z.array(Point) });
const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              unit: z.string(),
              histogram: Points.optional(),
              sum: Points.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

const { trace, metrics } = root.opentelemetry.proto.collector;
const messages = {
  "/v1/traces": trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": metrics.v1.ExportMetricsServiceRequest,
};

/**
 * Receives OTLP over HTTP. What it gets is read with the definitions of the OpenTelemetry project, so a message that
 * is not as these prescribe is an error.
 */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly resources: Record<string, unknown>[] = [];
  readonly headers: Record<string, unknown>[] = [];
  /** The newest points of each metric. */
  readonly metrics = new Map<string, ReceivedPoint[]>();
  /** All that came, as text. */
  text = "";
  requests = 0;
  readonly #server;

  private constructor(answer?: RequestListener) {
    this.#server = createServer(async (request, response) => {
      this.requests++;
      if (answer) return answer(request, response);
      const body = await buffer(request);
      this.headers.push(request.headers);
      try {
        this.#take(
          request.url ?? "",
          request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body,
          request.headers["content-type"] === "application/json",
        );
        response.writeHead(200).end();
      } catch (error) {
        this.text += String(error);
        response.writeHead(400).end();
      }
    });
  }

  /** `answer` instead of what a collector does. */
  static async start(answer?: RequestListener): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver(answer);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("It does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /** The only span with this name. */
  span(name: string): ReceivedSpan {
    const [found, ...more] = this.spans.filter((span) => span.name === name);
    if (!found || more.length > 0)
      throw new Error(`${1 + more.length} of ${name}: ${this.names()}`);
    return found;
  }

  names(): string[] {
    return this.spans.map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(path: string, body: Buffer, isJson: boolean): void {
    if (path !== "/v1/traces" && path !== "/v1/metrics") throw new Error(`No such path: ${path}`);
    const message = messages[path];
    // Ids are hexadecimal in JSON, where protobuf has bytes.
    const value = isJson
      ? JSON.parse(body.toString())
      : message.toObject(message.decode(body), { longs: String, bytes: String });
    if (isJson && message.verify(message.fromObject(value))) throw new Error("Not as defined");
    this.text += JSON.stringify(value);
    if (path === "/v1/traces") {
      for (const { resource, scopeSpans } of Traces.parse(value).resourceSpans) {
        this.resources.push(resource.attributes);
        this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
      }
      return;
    }
    const all = Metrics.parse(value).resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
    for (const { name, histogram, sum } of all.flatMap(({ metrics }) => metrics)) {
      this.metrics.set(name, (histogram ?? sum)?.dataPoints ?? []);
    }
  }
}
