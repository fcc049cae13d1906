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

/** What went wrong below HTTP. */
export type WireFailure =
  | { type: "network"; cause: unknown }
  | { type: "no-headers" }
  | { type: "stalled" }
  | { type: "cut" }
  /** It sent more than is read of any answer. */
  | { type: "oversized"; limit: string };

interface WireOptions {
  readonly fetch: HttpFetch;
  readonly clock: Clock;
  readonly watchdogs: Watchdogs;
  readonly signal: AbortSignal;
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** After its end marker, an answer may take this long until its connection is free again. */
const drainMs = 1_000;

/**
 * One request and its answer, watched where the bytes pass. The SDK takes the end of a connection
 * for the end of a reply and has no watchdogs, so what happened is known here and nowhere else.
 */
export class WatchedRequest {
  readonly #options: WireOptions;
  readonly #abort = new AbortController();
  readonly #onAbort = () => this.#abort.abort();
  #response: HttpAnswer | undefined;
  #body: BodyReader | undefined;
  #meter = new BodyMeter({ ok: true });
  /** The end of what has come, long enough to hold most of the marker. */
  #tail = "\n";
  #isDone = false;
  #isCleanEnd = false;
  #failure: WireFailure | undefined;

  constructor(options: WireOptions) {
    this.#options = options;
    // Not `AbortSignal.any`: a signal that outlives many requests would remember all of them.
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal.aborted) this.#abort.abort();
  }

  /** Undefined until there are headers. */
  get response(): Pick<HttpAnswer, "status" | "headers"> | undefined {
    return this.#response;
  }

  get ending(): WireEnding {
    return { isDone: this.#isDone, isCleanEnd: this.#isCleanEnd };
  }

  get failure(): WireFailure | undefined {
    return this.#failure;
  }

  /** What the SDK calls instead of the global one; of the answer it reads what is there. */
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
   * Ends it. A connection whose answer is complete is read to its end, so that it serves the next
   * request; any other is closed at once.
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
   * A broken connection looks like a closed one from here on: an error would overtake, in the SDK's
   * stages, events that have come before it, the end marker among them.
   */
  #watched(body: BodyReader): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const value = await this.#read(body);
        if (value) controller.enqueue(value);
        // Some servers keep the connection open behind the marker: nothing is waited for there.
        if (!value || this.#isDone || this.#failure) controller.close();
      },
    });
  }

  /** The next bytes, or undefined where there are no more. */
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
    if (exceeded !== undefined && !this.#isDone) this.fail({ type: "oversized", limit: exceeded });
    return fitting;
  }

  #lookForMarker(bytes: Uint8Array): void {
    const text = this.#tail + Buffer.from(bytes).toString("latin1");
    // The line break before it cannot be in an event's JSON, where it would be escaped.
    this.#isDone ||= /[\r\n]data: ?\[DONE\]/.test(text);
    this.#tail = text.slice(-16);
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

  /** Ends it because of `failure`, unless it has failed before. */
  fail(failure: WireFailure): void {
    this.#failure ??= failure;
    this.#abort.abort();
  }
}
