import type { Admission, ApiError } from "../../../src/protocol/dashboard.ts";
import {
  keepSession,
  keptSession,
  type SignedApiRequest,
  type StoredSession,
  sessionOfToken,
  signRequest,
} from "./session.ts";
import { SourceError } from "./source.ts";

/** The page has no valid session, or the answer is not from its own server. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

interface ApiRequestInit {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
}

/** A response whose sender was verified. */
interface CheckedResponse {
  response: Response;
  signed: SignedApiRequest;
}

export const unreachable = {
  code: "connection-lost",
  message: "The dashboard's server does not answer.",
  hint: "It may have been stopped. Run `troupe web` in your terminal, and open the address that it prints.",
};

/**
 * The answer to a GET. The page and its server have the same version, so the data match the types.
 */
export async function getJson<T>(path: string): Promise<T> {
  const response = await ask(path, {});
  return response.json();
}

export async function postJson(path: string, body: unknown): Promise<void> {
  await post(path, body, keptSession());
}

/** The answer to a POST that has one. */
export async function postForJson<T>(path: string): Promise<T> {
  const { response } = await post(path, {}, keptSession());
  return response.json();
}

/** Opens a session with the token of an address, and stores it. The token itself is not sent. */
export async function openSession(token: string): Promise<void> {
  const { response, signed } = await post("/api/session", {}, sessionOfToken(token));
  const { session }: Admission = await response.json();
  keepSession(await signed.opened(session));
}

/** A query string of the defined values, such as `?limit=5`. */
export function queryOf(wish: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(wish).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

function post(
  path: string,
  body: unknown,
  session: StoredSession | null,
): Promise<CheckedResponse> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return askAs(session, path, init);
}

/** The server's answer; throws if it is a refusal. */
export async function ask(path: string, init: ApiRequestInit): Promise<Response> {
  const { response } = await askAs(keptSession(), path, init);
  return response;
}

async function askAs(
  session: StoredSession | null,
  path: string,
  init: ApiRequestInit,
): Promise<CheckedResponse> {
  if (!session) throw new LockedError();
  const { method = "GET", body = "" } = init;
  const signed = await signRequest(session, { method, path, body });
  const headers = { ...init.headers, "x-troupe-proof": signed.proof };
  const response = await send(path, { ...init, headers });
  // The answer came from another program: it is not shown, and nothing more is sent.
  if (!(await signed.isAnsweredBy(response))) throw new LockedError();
  if (response.ok) return { response, signed };
  if (response.status === 401 && path !== "/api/session") throw new LockedError();
  throw new SourceError(await refusalOf(response));
}

async function send(path: string, init: ApiRequestInit): Promise<Response> {
  try {
    return await fetch(path, {
      ...init,
      credentials: "omit",
      cache: "no-store",
      redirect: "manual",
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SourceError(unreachable);
  }
}

async function refusalOf(response: Response): Promise<ApiError["error"]> {
  const plain = {
    code: `http-${response.status}`,
    message: `The dashboard's server answers ${response.status}.`,
    hint: null,
  };
  try {
    const { error }: Partial<ApiError> = await response.json();
    return error ?? plain;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return plain;
  }
}
