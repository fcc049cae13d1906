import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ApiError } from "../protocol/dashboard.ts";

/** Why the dashboard does not do what it was asked for. */
export interface Refusal {
  status: ContentfulStatusCode;
  code: string;
  message: string;
  hint: string | null;
}

/** True for paths that only a person's own page may ask for. */
export function isApiPath(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** The answer to a request that is refused: JSON for the page, text for everybody else. */
export function refuse(c: Context, { status, code, message, hint }: Refusal): Response {
  const error: ApiError = { error: { code, message, hint } };
  if (isApiPath(c.req.path)) return c.json(error, status);
  return c.text(hint === null ? `${message}\n` : `${message}\n${hint}\n`, status);
}
