import { BrowserStorage } from "../state/browser-storage.ts";

/** The session of a page: an id, and the signing key, which is never sent. */
export interface StoredSession {
  id: string;
  /** In hex. */
  key: string;
}

interface OutgoingRequest {
  method: string;
  path: string;
  body: string;
}

/** A signed request. */
export interface SignedApiRequest {
  /** The value of `X-Troupe-Proof`. */
  proof: string;
  /**
   * Whether an answer comes from this page's own server and not from another program on its port.
   */
  isAnsweredBy(answer: Response): Promise<boolean>;
  /** The session that the server opens for this request and answers with its id. */
  opened(id: string): Promise<StoredSession>;
}

// Unlike cookies, this storage is separate for each port: no other server on this machine gets it.
// A program that takes this port after the server has ended can read it, but the next server does
// not accept the key.
const kept = new BrowserStorage(() => localStorage);
const name = "session";

/** Read each time, since another tab may have a new session. */
export function keptSession(): StoredSession | null {
  const [id, key] = kept.get(name)?.split(" ") ?? [];
  return id === undefined || key === undefined ? null : { id, key };
}

export function keepSession({ id, key }: StoredSession): void {
  kept.set(name, `${id} ${key}`);
}

/** True if another tab of this browser has just opened a session. */
export function isSession({ key: changed, newValue }: StorageEvent): boolean {
  return changed === kept.nameOf(name) && newValue !== null;
}

/** The session that the token of an address opens. A token works once. */
export function sessionOfToken(token: string): StoredSession {
  const end = token.lastIndexOf(".");
  return { id: token.slice(0, end), key: token.slice(end + 1) };
}

export async function signRequest(
  { id, key }: StoredSession,
  outgoing: OutgoingRequest,
): Promise<SignedApiRequest> {
  const { method, path, body } = outgoing;
  const signing = await importKey(key);
  const nonce = hexOf(crypto.getRandomValues(new Uint8Array(16)));
  // The path and query, as a browser sends them.
  const { pathname, search } = new URL(path, "http://127.0.0.1");
  const text = `request ${method} ${pathname}${search} ${id} ${nonce}\n${body}`;
  const signature = await sign(signing, text);
  const proof = `${id} ${nonce} ${signature}`;
  return {
    proof,
    isAnsweredBy: async ({ status, headers }) =>
      headers.get("x-troupe-proof") === (await sign(signing, `answer ${status} ${proof}`)),
    opened: async (opened) => ({
      id: opened,
      key: await sign(signing, `session ${opened} ${signature}`),
    }),
  };
}

function importKey(key: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(key.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function sign(key: CryptoKey, text: string): Promise<string> {
  return hexOf(
    new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))),
  );
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
