import { randomBytes } from "node:crypto";
import { hmacSignature, type Signature } from "../keys/signature.ts";
import { dropOldest } from "../lib/drop-oldest.ts";

/** The header with which a page proves its access, and the server its identity. */
export const proofHeader = "X-Troupe-Proof";

/** The proof of a request: which key it was signed with, and the signature. */
interface ShownProof {
  /** The text as it was sent. */
  text: string;
  /** The id of a session or of a token. */
  id: string;
  /** Chosen by the page, so that no two requests and no two answers are signed alike. */
  nonce: string;
  signature: string;
}

interface AccessOptions {
  /** Made for this start of the server: a signature made with it is not valid for the next one. */
  secret: Uint8Array;
  now(): Date;
}

/** The parts of a request that its proof covers. */
export interface SignedRequest {
  /** The value of `X-Troupe-Proof`. */
  proof: string | undefined;
  method: string;
  /** Path and query. */
  target: string;
  body: string;
}

interface PageSession {
  signature: Signature;
  expiresMs: number;
  /** The proofs of its earlier actions, oldest first: each counts only once. */
  done: Set<string>;
}

export type TokenRefusal = "token-wrong" | "token-expired" | "token-used";

/** How a request that names a session is treated. */
type Judgement = "let-in" | "repeated" | "refused";

/**
 * Decides who has access. A token grants access once, within an hour. It opens a session: a key
 * that the page and this server each derive from the token, and that neither ever sends. The page
 * signs its requests with it, and the server its answers, so that each can verify the other.
 */
export class Access {
  readonly #signature: Signature;
  readonly #now: () => Date;
  /** The tokens that were used, and when each would have expired. */
  readonly #used = new Map<string, number>();
  /** Sessions by id, oldest first. */
  readonly #sessions = new Map<string, PageSession>();

  constructor({ secret, now }: AccessOptions) {
    this.#signature = hmacSignature(secret);
    this.#now = now;
  }

  /** A token that grants access once within the hour: its id, and the key to sign with. */
  newToken(): string {
    const expires = (this.#nowMs() + tokenLifeMs).toString(36);
    const id = `${expires}.${randomBytes(idBytes).toString("hex")}`;
    return `${id}.${this.#tokenKey(id)}`;
  }

  /** Uses up the token that signed this request, and opens a session. */
  admit(request: SignedRequest): { session: string } | TokenRefusal {
    const shown = shownProof(request.proof);
    const expires = tokenId.exec(shown?.id ?? "")?.[1];
    if (!shown || expires === undefined) return "token-wrong";
    const signature = keyed(this.#tokenKey(shown.id));
    if (!isSignedBy(signature, request, shown)) return "token-wrong";
    this.#forgetExpired();
    const expiresMs = Number.parseInt(expires, 36);
    if (this.#isOver(expiresMs)) return "token-expired";
    if (this.#used.has(shown.id)) return "token-used";
    this.#used.set(shown.id, expiresMs);
    return { session: this.#openSession(signature, shown) };
  }

  /** False if a request names no session of this server: it need not be read. */
  knows(proof: string | undefined): boolean {
    return this.#sessions.has(shownProof(proof)?.id ?? "");
  }

  judge(request: SignedRequest): Judgement {
    const shown = shownProof(request.proof);
    const session = this.#sessions.get(shown?.id ?? "");
    if (!shown || !session || this.#isOver(session.expiresMs)) return "refused";
    if (!isSignedBy(session.signature, request, shown)) return "refused";
    if (request.method === "GET") return "let-in";
    if (session.done.has(shown.signature)) return "repeated";
    session.done.add(shown.signature);
    dropOldest(session.done, mostDone);
    return "let-in";
  }

  /**
   * Proves to a page that this server answers, and not another program on its port. Undefined if
   * the page has no session here.
   */
  answerTo(proof: string | undefined, status: number): string | undefined {
    const shown = shownProof(proof);
    if (!shown) return undefined;
    const session = this.#sessions.get(shown.id)?.signature;
    const signature = session ?? (tokenId.test(shown.id) && keyed(this.#tokenKey(shown.id)));
    return signature ? signature.sign(`answer ${status} ${shown.text}`) : undefined;
  }

  #openSession(token: Signature, shown: ShownProof): string {
    const id = randomBytes(idBytes).toString("hex");
    // The id is new, so that the key cannot be derived from the used address later.
    const signature = keyed(token.sign(`session ${id} ${shown.signature}`));
    const expiresMs = this.#nowMs() + sessionLifeMs;
    this.#sessions.set(id, { signature, expiresMs, done: new Set() });
    dropOldest(this.#sessions, mostSessions);
    return id;
  }

  #tokenKey(id: string): string {
    return this.#signature.sign(`token ${id}`);
  }

  #forgetExpired(): void {
    for (const [id, expiresMs] of this.#used) {
      if (this.#isOver(expiresMs)) this.#used.delete(id);
    }
  }

  #isOver(expiresMs: number): boolean {
    return expiresMs <= this.#nowMs();
  }

  #nowMs(): number {
    return this.#now().getTime();
  }
}

const proofPattern = /^([0-9a-z.]{1,64}) ([0-9a-f]{32}) ([0-9a-f]{64})$/;

function shownProof(text = ""): ShownProof | undefined {
  const [, id, nonce, signature] = proofPattern.exec(text) ?? [];
  if (id === undefined || nonce === undefined || signature === undefined) return undefined;
  return { text, id, nonce, signature };
}

function keyed(hex: string): Signature {
  return hmacSignature(Buffer.from(hex, "hex"));
}

function isSignedBy(signature: Signature, request: SignedRequest, shown: ShownProof): boolean {
  const { method, target, body } = request;
  const text = `request ${method} ${target} ${shown.id} ${shown.nonce}\n${body}`;
  return signature.verify(text, shown.signature);
}

const tokenLifeMs = 60 * 60 * 1000;
const sessionLifeMs = 7 * 24 * 60 * 60 * 1000;
const mostSessions = 200;
const mostDone = 1_000;
const idBytes = 16;
const tokenId = /^([0-9a-z]{1,12})\.[0-9a-f]{32}$/;
