import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { TeamError } from "../errors.ts";
import { LoopbackServer } from "../lib/loopback-server.ts";
import {
  judgeRequest,
  largestBody,
  protectiveHeaders,
  refused,
  tooManyCalls,
  unknownCaller,
} from "./http-guard.ts";
import { type Offer, openServer } from "./open-server.ts";

/** A caller that was let in. */
export interface CallerAdmission extends AsyncDisposable {
  /** Proves who calls: anyone who has it is that caller. */
  readonly secret: string;
}

/** By which secret, and how long, a caller is let in. */
interface AdmissionOptions {
  /** Default: a new one, of 256 bits. */
  secret?: string | undefined;
  /** Whether the secret still counts, asked for each request (default: until the admission is disposed of). */
  isValid?: (() => Promise<boolean>) | undefined;
}

interface Admitted {
  /** Of its secret, so that all comparisons take the same time. */
  digest: Buffer;
  handler: McpHttpHandler;
  isValid(): Promise<boolean>;
  calls: number;
}

/**
 * Serves several callers over HTTP on this machine's loopback. The secret of a request says whose it is, and no
 * argument does. Secrets are in memory only; one that was withdrawn is unknown from then on.
 */
export class HttpEndpoint implements AsyncDisposable {
  readonly port: number;
  readonly #server: LoopbackServer;
  readonly #admitted = new Set<Admitted>();

  private constructor(server: LoopbackServer) {
    this.#server = server;
    this.port = server.port;
    const app = { fetch: (request: Request, bindings: object) => this.#answer(request, bindings) };
    server.answerWith(app, protectiveHeaders);
  }

  /** Listens on the wanted port (default: any), or on the next one that is free. */
  static async open(port = anyPort): Promise<HttpEndpoint> {
    return new HttpEndpoint(await LoopbackServer.listen(port));
  }

  /** Where clients connect. */
  get url(): string {
    return `http://${this.#host}${path}`;
  }

  /** Lets a caller in until the admission is disposed of. */
  admit(
    offer: Offer,
    { secret = newSecret(), isValid = always }: AdmissionOptions = {},
  ): CallerAdmission {
    if (this.#admitted.size === mostCallers) {
      throw new TeamError("spawn-refused", `${mostCallers} callers are connected already`);
    }
    const handler = createMcpHandler(() => openServer(offer), {
      maxRequestBodySize: largestBody,
      maxSubscriptions: mostCalls,
      onerror: () => undefined,
    });
    const admitted: Admitted = { digest: digestOf(secret), handler, isValid, calls: 0 };
    this.#admitted.add(admitted);
    return {
      secret,
      [Symbol.asyncDispose]: async () => {
        this.#admitted.delete(admitted);
        await handler.close();
      },
    };
  }

  /** Ends all connections at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    const handlers = [...this.#admitted].map(({ handler }) => handler);
    this.#admitted.clear();
    await Promise.all(handlers.map((handler) => handler.close()));
    await this.#server[Symbol.asyncDispose]();
  }

  get #host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async #answer(request: Request, bindings: object): Promise<Response> {
    const refusal = judgeRequest(request, { host: this.#host, path });
    if (refusal) return refused(refusal);
    const caller = this.#callerOf(request);
    if (!caller || !(await caller.isValid())) return refused(unknownCaller);
    if (caller.calls === mostCalls) return refused(tooManyCalls);
    this.#server.keep(bindings);
    caller.calls++;
    try {
      return protectedAnswer(await caller.handler.fetch(request));
    } finally {
      caller.calls--;
    }
  }

  #callerOf(request: Request): Admitted | undefined {
    const [, shown] =
      /^Bearer ([\w.~+/-]{1,200})$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    if (shown === undefined) return undefined;
    const digest = digestOf(shown);
    const known = [...this.#admitted].filter((each) => timingSafeEqual(each.digest, digest));
    return known[0];
  }
}

function protectedAnswer(answer: Response): Response {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(protectiveHeaders)) headers.set(name, value);
  return new Response(answer.body, { status: answer.status, headers });
}

function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function newSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

const always = () => Promise.resolve(true);

const anyPort = 0;
const path = "/mcp";
const secretBytes = 32;
const mostCallers = 64;
const mostCalls = 32;
