import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { TeamError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import {
  blocksOf,
  type DeliveredAnswer,
  type ScriptedAnswer,
  type StatusAnswer,
  type StreamAnswer,
  status,
  streamText,
  whole,
  wires,
} from "./answers.ts";
import { thoughtData } from "./anthropic-wire.ts";
import { Stalls, send } from "./delivery.ts";
import {
  defaultMessage,
  type ProviderApi,
  type ProviderRefusal,
  type ProviderRequest,
  RequestBody,
} from "./provider-api.ts";
import { refuseAnthropic } from "./strict-anthropic.ts";
import { refuseGoogle } from "./strict-google.ts";
import { refuseOpenAi } from "./strict-openai.ts";
import { refuseResponses } from "./strict-responses.ts";
import { prefixOf, type SentThought } from "./strict-thoughts.ts";

export interface ProviderServerOptions {
  /**
   * Refuses everything that the real API refuses, and everything that our own client must not send.
   */
  strict?: boolean;
}

/**
 * A real HTTP server that speaks the streaming formats of Anthropic Messages (`/v1/messages`),
 * OpenAI chat completions (`/v1/chat/completions`), OpenAI Responses (`/v1/responses`) and Gemini
 * (`/v1beta/models/…`), and gives the answers that a test has set.
 *
 * A request that it refuses, or has no answer for, gets a 400, which clients do not retry, and is
 * listed in `refusals`. `assertDone` throws if there are refusals or unused answers.
 */
export class ProviderServer implements AsyncDisposable {
  /** All requests with a valid body, in the order in which they were received completely. */
  readonly requests: ProviderRequest[] = [];
  readonly refusals: string[] = [];
  readonly #server: Server;
  readonly #isStrict: boolean;
  readonly #answers: ScriptedAnswer[] = [];
  readonly #stalls = new Stalls(() => this.#changed());
  readonly #looks = new Set<() => void>();
  /** Every thought that was sent to a client, by its signature. */
  readonly #thoughts = new Map<string, SentThought>();
  #answerAll: ((request: ProviderRequest) => ScriptedAnswer | Promise<ScriptedAnswer>) | undefined;

  private constructor(server: Server, isStrict: boolean) {
    this.#server = server;
    this.#isStrict = isStrict;
  }

  static async start({ strict = false }: ProviderServerOptions = {}): Promise<ProviderServer> {
    // Idle connections stay open: closing one could race with the client's next request.
    const http = createServer({ keepAliveTimeout: 0 });
    const server = new ProviderServer(http, strict);
    http.on("request", (request, response) => {
      server.#handle(request, response).catch((error: unknown) => response.destroy(toError(error)));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** Without a path: this is Anthropic's base URL. Append `/v1` for OpenAI's. */
  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("The server is closed");
    return `http://127.0.0.1:${address.port}`;
  }

  /** How many answers are stalled right now. */
  get stalled(): number {
    return this.#stalls.count;
  }

  /** How many clients disconnected before the end of their answer. */
  get abandoned(): number {
    return this.#stalls.abandoned;
  }

  /** Answers the next requests, one each, in order. */
  reply(...answers: ScriptedAnswer[]): void {
    this.#answers.push(...answers);
  }

  /** Answers every request once the answers of `reply` are used up. */
  replyWith(answer: (request: ProviderRequest) => ScriptedAnswer | Promise<ScriptedAnswer>): void {
    this.#answerAll = answer;
  }

  /** Continues all stalled answers. */
  release(): void {
    this.#stalls.release();
  }

  /** Resolves once `condition` returns true. It is checked after every event on the server. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  assertDone(): void {
    if (this.refusals.length > 0) throw new Error(this.refusals.join("\n"));
    const { length } = this.#answers;
    if (length > 0) throw new Error(`Unused answers: ${length}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(incoming);
    const at = performance.now();
    const { url = "" } = incoming;
    const wire = Object.values(wires).find(({ path }) =>
      typeof path === "string" ? path === url : path.test(url),
    );
    if (incoming.method !== "POST" || !wire) {
      const message = `${incoming.method} ${incoming.url} is not an endpoint of this server`;
      this.#refuse(response, wires.openai, { status: 404, message });
      return;
    }
    const [, model] = typeof wire.path === "string" ? [] : (wire.path.exec(url) ?? []);
    const body = readRequest(text, model);
    if (typeof body === "string") {
      this.#refuse(response, wire, { status: 400, message: body });
      return;
    }
    const { headers } = incoming;
    const request = { api: wire.api, headers, body, text, at };
    this.requests.push(request);
    this.#changed();
    await this.#answer(request, response, wire);
  }

  async #answer(
    request: ProviderRequest,
    response: ServerResponse,
    wire: ProviderApi,
  ): Promise<void> {
    const refusal = this.#isStrict ? this.#check(request) : undefined;
    if (refusal) {
      this.#refuse(response, wire, refusal);
      return;
    }
    const answer = this.#answers.shift() ?? (await this.#answerAll?.(request));
    this.#changed();
    if (!answer) {
      const message = `Unexpected request ${this.requests.length}: no answers are left`;
      this.#refuse(response, wire, { status: 400, message });
      return;
    }
    if (answer.type === "status") {
      sendStatus(response, wire, answer);
      return;
    }
    await this.#stream(request, response, answer);
    request.answeredAt = performance.now();
  }

  async #stream(
    request: ProviderRequest,
    response: ServerResponse,
    answer: StreamAnswer | DeliveredAnswer,
  ): Promise<void> {
    const { answer: stream, delivery } = answer.type === "delivered" ? answer : whole(answer);
    for (const block of blocksOf(stream)) {
      const { signature, redactedData } = thoughtData(block);
      const seal = redactedData ?? signature;
      if (block.type !== "thinking" || seal === undefined) continue;
      const { model } = request.body;
      this.#thoughts.set(seal, { text: block.text, model, prefix: prefixOf(request) });
    }
    const bytes = Buffer.from(streamText(request.api, stream, request.body));
    await send(response, bytes, { delivery, stalls: this.#stalls });
  }

  #check(request: ProviderRequest): ProviderRefusal | undefined {
    switch (request.api) {
      case "anthropic":
        return refuseAnthropic(request, this.#thoughts);
      case "openai":
        return refuseOpenAi(request);
      case "openai-responses":
        return refuseResponses(request, this.#thoughts);
      case "google":
        return refuseGoogle(request);
    }
  }

  #refuse(response: ServerResponse, wire: ProviderApi, refusal: ProviderRefusal): void {
    this.refusals.push(`${refusal.status}: ${refusal.message}`);
    sendStatus(response, wire, status(refusal.status, wire.errorBody(refusal)));
  }

  #changed(): void {
    for (const look of [...this.#looks]) look();
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The parsed body, or the problem with it. */
function readRequest(text: string, model: string | undefined): RequestBody | string {
  const inPath = z.looseObject({}).transform((body) => ({ model, ...body }));
  try {
    return parseJson(text, model ? inPath.pipe(RequestBody) : RequestBody, "The body");
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return error.message;
  }
}

function sendStatus(response: ServerResponse, wire: ProviderApi, answer: StatusAnswer): void {
  const { status, body, headers } = answer;
  const shown = body ?? wire.errorBody({ status, message: defaultMessage(status) });
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof shown === "string" ? shown : JSON.stringify(shown));
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
