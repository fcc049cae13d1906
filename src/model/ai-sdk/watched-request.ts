import type { Clock } from "../../lib/clock.ts";
import { BodyMeter } from "./body-limits.ts";
import type { WireEnding } from "./dialect.ts";
import { type HttpAnswer, type HttpFetch, HttpResponse } from "./http.ts";

/** How long a provider may be silent. */
export interface Watchdogs {
  /** From the request to the headers of its answer. */
  readonly headersMs: number;
  /** From one byte to the next. */
  readonly stallMs: number;
}

/** An error below HTTP. */
export type WireFailure =
  | { type: "network"; cause: unknown }
  | { type: "no-headers" }
  | { type: "stalled" }
  | { type: "cut" }
  /** The answer is larger than the limit. */
  | { type: "oversized"; limit: string };

interface WireOptions {
  readonly fetch: HttpFetch;
  readonly clock: Clock;
  readonly watchdogs: Watchdogs;
  readonly signal: AbortSignal;
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** How much is kept of an answer that is not a stream of events. */
const keptBytes = 64 * 1024;

/** After its end marker, an answer may take this long until its connection is free again. */
const drainMs = 1_000;

/**
 * One request and its answer, watched at the level of bytes. The SDK takes the end of a connection
 * for the end of a reply and has no timeouts, so only this class knows what happened.
 */
export class WatchedRequest {
  readonly #options: WireOptions;
  readonly #abort = new AbortController();
  readonly #onAbort = () => this.#abort.abort();
  #response: HttpAnswer | undefined;
  #body: BodyReader | undefined;
  #meter = new BodyMeter({ ok: true });
  /** The end of the received bytes, long enough to hold most of the marker. */
  #tail = "\n";
  /** The beginning of an answer that is not a stream of events. */
  #text = "";
  #isDone = false;
  #isCleanEnd = false;
  #failure: WireFailure | undefined;

  constructor(options: WireOptions) {
    this.#options = options;
    // Not `AbortSignal.any`: a signal that outlives many requests would remember all of them.
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal.aborted) this.#abort.abort();
  }

  /** Undefined until the headers have come. */
  get response(): Pick<HttpAnswer, "status" | "headers"> | undefined {
    return this.#response;
  }

  /** The beginning of an answer that is not a stream of events, which may say what is wrong. */
  get text(): string {
    return this.#text;
  }

  get ending(): WireEnding {
    return { isDone: this.#isDone, isCleanEnd: this.#isCleanEnd };
  }

  get failure(): WireFailure | undefined {
    return this.#failure;
  }

  /** The `fetch` that the SDK calls; it reads the available part of the answer. */
  readonly fetch = (async (input, init) => {
    const response = await this.#request(String(input), init);
    this.#response = response;
    if (!response.body) return response;
    this.#body = response.body.getReader();
    this.#meter = new BodyMeter(response);
    const { status, statusText, headers } = response;
    return new HttpResponse({ status, statusText, headers, body: this.#watched(this.#body) });
  }) as typeof fetch;

  /**
   * Ends the request. A connection whose answer is complete is read to its end, so that it serves
   * the next request; any other is closed at once.
   */
  close({ isComplete }: { isComplete: boolean }): void {
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    if (!isComplete || !this.#body) this.#abort.abort();
    else if (!this.#isCleanEnd) this.#drain(this.#body).catch(() => this.#abort.abort());
  }

  async #request(url: string, init: RequestInit = {}): Promise<HttpAnswer> {
    const { clock, watchdogs, fetch } = this.#options;
    const cancel = clock.schedule(watchdogs.headersMs, () => this.fail({ type: "no-headers" }));
    const { method = "POST", headers = {}, body } = init;
    const { signal } = this.#abort;
    try {
      const named = Object.fromEntries(Object.entries(headers));
      return await fetch(url, { method, headers: named, body: String(body), signal });
    } catch (cause) {
      this.#failure ??= { type: "network", cause };
      throw cause;
    } finally {
      cancel();
    }
  }

  /**
   * The bytes of the answer. A broken connection is passed on as a closed one: in the SDK's streams
   * an error would overtake events that came before it, such as the end marker.
   */
  #watched(body: BodyReader): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const value = await this.#read(body);
        if (value) controller.enqueue(value);
        // Some servers keep the connection open after the marker: there is nothing to wait for.
        if (!value || this.#isDone || this.#failure) controller.close();
      },
    });
  }

  /** The next bytes; undefined at the end. */
  async #read(body: BodyReader): Promise<Uint8Array | undefined> {
    const { clock, watchdogs } = this.#options;
    const cancel = clock.schedule(watchdogs.stallMs, () => this.fail({ type: "stalled" }));
    try {
      const { done, value } = await body.read();
      this.#isCleanEnd = done;
      return value && this.#measured(value);
    } catch {
      this.#failure ??= { type: "cut" };
      return undefined;
    } finally {
      cancel();
    }
  }

  /** The part of `bytes` within the limits. If that is not all, nothing more is read. */
  #measured(bytes: Uint8Array): Uint8Array {
    const { fitting, exceeded } = this.#meter.take(bytes);
    this.#lookForMarker(fitting);
    this.#keepText(fitting);
    if (exceeded !== undefined && !this.#isDone) this.fail({ type: "oversized", limit: exceeded });
    return fitting;
  }

  #lookForMarker(bytes: Uint8Array): void {
    const text = this.#tail + Buffer.from(bytes).toString("latin1");
    // The line break before it cannot be in an event's JSON, where it would be escaped.
    this.#isDone ||= /[\r\n]data: ?\[DONE\]/.test(text);
    this.#tail = text.slice(-16);
  }

  #keepText(bytes: Uint8Array): void {
    const type = this.#response?.headers.get("content-type") ?? "";
    if (type.includes("event-stream") || this.#text.length > keptBytes) return;
    this.#text += Buffer.from(bytes.subarray(0, keptBytes)).toString("utf8");
  }

  async #drain(body: BodyReader): Promise<void> {
    const cancel = this.#options.clock.schedule(drainMs, () => this.#abort.abort());
    try {
      for (let next = await body.read(); !next.done; next = await body.read()) {
        if (this.#meter.take(next.value).exceeded !== undefined) this.#abort.abort();
      }
    } finally {
      cancel();
    }
  }

  /** Ends the request with `failure`, unless it has failed before. */
  fail(failure: WireFailure): void {
    this.#failure ??= failure;
    this.#abort.abort();
  }
}
