import type { ApiError } from "../../../src/protocol/dashboard.ts";
import { SourceError } from "./source.ts";

/** A refusal because there is no session (any more). */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

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
  await ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** A query of what is defined, such as `?limit=5`. */
export function queryOf(wish: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(wish).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin", cache: "no-store" });
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
