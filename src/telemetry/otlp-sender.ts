import type { ClientRequest, IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { systemClock } from "../lib/clock.ts";
import { wait } from "../lib/wait.ts";
import type { OtlpTarget } from "./otlp-settings.ts";

/** The waits before a request is sent again that the collector could not take. */
const retryDelaysMs = [1_000, 2_000];

/** What a collector answers when it may take the same request later, by OTLP. */
const worthRetrying: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How the processors of OpenTelemetry are told of the outcome. */
const codes = { success: 0, failed: 1 } as const;

/**
 * Sends the records of one signal to a collector. It throws nothing: `onFailure` gets the reason. The exporters of
 * OpenTelemetry cannot be used, because their attempts keep the process alive after they were shut down, and because they read
 * the environment of the process instead of the team's.
 */
export class OtlpSender<Records> {
  readonly #target: OtlpTarget;
  readonly #serialize: (records: Records) => Uint8Array | undefined;
  readonly #onFailure: (reason: string) => void;
  readonly #stop = new AbortController();

  constructor(
    target: OtlpTarget,
    {
      serialize,
      onFailure,
    }: {
      serialize: (records: Records) => Uint8Array | undefined;
      onFailure: (reason: string) => void;
    },
  ) {
    this.#target = target;
    this.#serialize = serialize;
    this.#onFailure = onFailure;
  }

  /** What the processors of OpenTelemetry call. `settle` is called exactly once. */
  export(records: Records, settle: (result: { code: number }) => void): void {
    this.#send(records).then(
      () => settle({ code: codes.success }),
      (error: unknown) => {
        if (!this.#stop.signal.aborted) this.#onFailure(reasonIn(error));
        settle({ code: codes.failed });
      },
    );
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  /** Ends what is under way. */
  abort(): void {
    this.#stop.abort();
  }

  async #send(records: Records): Promise<void> {
    const body = this.#serialize(records);
    if (!body) return;
    const sent = this.#target.isCompressed ? await compressed(body) : body;
    const signal = AbortSignal.any([
      this.#stop.signal,
      AbortSignal.timeout(this.#target.timeoutMs),
    ]);
    for (const delayMs of [...retryDelaysMs, undefined]) {
      const status = await this.#post(sent, signal);
      if (status >= 200 && status < 300) return;
      if (!worthRetrying.has(status) || delayMs === undefined) throw new Error(`HTTP ${status}`);
      await wait(systemClock, delayMs, signal);
    }
  }

  async #post(body: Uint8Array, signal: AbortSignal): Promise<number> {
    const { url, format, headers, isCompressed } = this.#target;
    const { request } =
      url.protocol === "https:" ? await import("node:https") : await import("node:http");
    return new Promise((resolve, reject) => {
      const made: ClientRequest = request(url, {
        method: "POST",
        signal,
        // One connection each: a kept one would delay the exit of the process.
        agent: false,
        headers: {
          ...headers,
          "Content-Type": format === "json" ? "application/json" : "application/x-protobuf",
          "Content-Length": body.length,
          ...(isCompressed && { "Content-Encoding": "gzip" }),
        },
      });
      made.on("error", reject);
      made.on("response", (response: IncomingMessage) => {
        resolve(response.statusCode ?? 0);
        // What it says is of no use, and may be without an end.
        response.destroy();
      });
      made.end(body);
    });
  }
}

async function compressed(body: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import("node:zlib");
  return promisify(gzip)(body);
}

function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const isLate = error.name === "AbortError" || error.name === "TimeoutError";
  return isLate ? "it does not answer in time" : error.message;
}
