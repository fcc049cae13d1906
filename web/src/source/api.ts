import type { Admission, ApiError } from "../../../src/protocol/dashboard.ts";
import { keepProof, proofHeaders } from "./proof.ts";
import { SourceError } from "./source.ts";

/** A refusal because there is no session (any more). */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

type AskInit = Omit<RequestInit, "headers"> & { headers?: Readonly<Record<string, string>> };

const unreachable = {
  code: "connection-lost",
  message: "The dashboard's server does not answer.",
  hint: "It may have been stopped. Run `troupe web` in your terminal to start it again.",
};

/** What a GET answers. The page and its server are of one version, so its shape is as the types say. */
export async function getJson<T>(path: string): Promise<T> {
  const response = await ask(path, {});
  return response.json();
}

export async function postJson(path: string, body: unknown): Promise<void> {
  await post(path, body);
}

/** Gives the token of an address for a session, and keeps what the page has to show of that. */
export async function openSession(token: string): Promise<void> {
  const response = await post("/api/session", { token });
  const { proof }: Admission = await response.json();
  keepProof(proof);
}

/** A query of what is defined, such as `?limit=5`. */
export function queryOf(wish: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(wish).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

function post(path: string, body: unknown): Promise<Response> {
  return ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** What the server answers, where that is no refusal. */
export async function ask(path: string, init: AskInit): Promise<Response> {
  const headers = { ...init.headers, ...proofHeaders() };
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      headers,
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SourceError(unreachable);
  }
  if (response.ok) return response;
  if (response.status === 401 && !path.startsWith("/api/session")) throw new LockedError();
  throw new SourceError(await refusalOf(response));
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
