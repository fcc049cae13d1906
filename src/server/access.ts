import { randomBytes } from "node:crypto";
import { Signature } from "../keys/signature.ts";

interface AccessOptions {
  /** The secret of the team directory's dashboards. */
  secret: Uint8Array;
  port: number;
  /** When this server began: a token is for one server, and no other can be made to take it again. */
  since: string;
  now(): Date;
}

/** What a browser shows with every request once it was let in. */
interface Session {
  /** A `Set-Cookie`. No script can read it, and no other site has it sent. */
  cookie: string;
  /** What the page itself keeps and sends. Neither is any good without the other. */
  proof: string;
}

/** The parts of a request that have the two. */
interface Shown {
  cookies: string | undefined;
  proof: string | undefined;
}

/** Why a token lets nobody in. */
export type TokenRefusal = "token-wrong" | "token-expired" | "token-used";

/**
 * Who is let in. A token lets one in once, soon; it is exchanged for a session, which a browser keeps
 * as a cookie and a proof. All are signed with the secret, so that whoever has that can make a token,
 * and a session outlives the server.
 */
export class Access {
  readonly #signature: Signature;
  readonly #options: AccessOptions;
  /** The tokens that were used, and when each would have expired. */
  readonly #used = new Map<string, number>();

  constructor(options: AccessOptions) {
    this.#signature = new Signature(options.secret);
    this.#options = options;
  }

  /** A token that lets one in once within the hour. */
  newToken(): string {
    return this.#issue(this.#tokenPurpose(), tokenLifeMs);
  }

  /** Uses a token up; what is wrong with it, or undefined where it lets one in. */
  redeem(token: string): TokenRefusal | undefined {
    const found = this.#read(this.#tokenPurpose(), token);
    if (!found) return "token-wrong";
    this.#forgetExpired();
    if (this.#isOver(found.expiresMs)) return "token-expired";
    if (this.#used.has(found.nonce)) return "token-used";
    this.#used.set(found.nonce, found.expiresMs);
    return undefined;
  }

  newSession(): Session {
    const value = this.#issue(this.#sessionPurpose(), sessionLifeMs);
    const named = `${this.#cookieName()}=${value}`;
    const cookie = `${named}; Path=/; Max-Age=${sessionLifeMs / 1000}; HttpOnly; SameSite=Strict`;
    return { cookie, proof: this.#signature.sign(this.#proofText(value)) };
  }

  /**
   * Whether a request shows a session that holds. Cookies do not know ports: whatever serves a page on
   * this machine is sent ours, and only the proof stays with our own page.
   */
  hasSession({ cookies = "", proof = "" }: Shown): boolean {
    // Another program of this machine may have set a cookie of this name, too.
    return cookies
      .split(";")
      .map((pair) => pair.trim().split("="))
      .some(([name, value = ""]) => name === this.#cookieName() && this.#isSession(value, proof));
  }

  #isSession(value: string, proof: string): boolean {
    const found = this.#read(this.#sessionPurpose(), value);
    if (!found || this.#isOver(found.expiresMs)) return false;
    return this.#signature.verify(this.#proofText(value), proof);
  }

  #issue(purpose: string, lifeMs: number): string {
    const expires = (this.#nowMs() + lifeMs).toString(36);
    const said = `${expires}.${randomBytes(nonceBytes).toString("hex")}`;
    return `${said}.${this.#signature.sign(`${purpose} ${said}`)}`;
  }

  /** What a token or session says, where it was signed for this purpose. */
  #read(purpose: string, text: string): { expiresMs: number; nonce: string } | undefined {
    const [, expires = "", nonce = "", signature = ""] = signedPattern.exec(text) ?? [];
    if (!this.#signature.verify(`${purpose} ${expires}.${nonce}`, signature)) return undefined;
    return { expiresMs: Number.parseInt(expires, 36), nonce };
  }

  #forgetExpired(): void {
    for (const [nonce, expiresMs] of this.#used) {
      if (this.#isOver(expiresMs)) this.#used.delete(nonce);
    }
  }

  #isOver(expiresMs: number): boolean {
    return expiresMs <= this.#nowMs();
  }

  #nowMs(): number {
    return this.#options.now().getTime();
  }

  #tokenPurpose(): string {
    return `token ${this.#options.port} ${this.#options.since}`;
  }

  #sessionPurpose(): string {
    return `session ${this.#options.port}`;
  }

  /** What the proof of a session is the signature of. */
  #proofText(session: string): string {
    return `proof ${this.#options.port} ${session}`;
  }

  #cookieName(): string {
    return `troupe-${this.#options.port}`;
  }
}

const tokenLifeMs = 60 * 60 * 1000;
const sessionLifeMs = 7 * 24 * 60 * 60 * 1000;
const nonceBytes = 16;
const signedPattern = /^([0-9a-z]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})$/;
