import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorCode, TeamError } from "../errors.ts";
import type { ApiError } from "../protocol/dashboard.ts";

/** Why the dashboard refuses a request. */
export interface ApiRefusal {
  status: ContentfulStatusCode;
  code: string;
  message: string;
  hint: string | null;
}

export function refusal(
  status: ContentfulStatusCode,
  code: string,
  message: string,
  hint: string | null = null,
): ApiRefusal {
  return { status, code, message, hint };
}

/** Thrown when a request is refused. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: ApiRefusal;

  constructor(...parts: Parameters<typeof refusal>) {
    const refused = refusal(...parts);
    super(refused.message);
    this.refusal = refused;
  }
}

/** The answer to an error; undefined for an unexpected one. */
export function refusalOf(error: unknown): ApiRefusal | undefined {
  if (error instanceof Refused) return error.refusal;
  if (!(error instanceof TeamError)) return undefined;
  const { code, message, hint } = error;
  return refusal(statuses[code] ?? 409, code, message, hint);
}

const statuses: Partial<Record<ErrorCode, ApiRefusal["status"]>> = {
  "name-invalid": 400,
  "usage-wrong": 400,
  "message-invalid": 400,
  "team-missing": 404,
  "member-unknown": 404,
  "task-unknown": 404,
  "request-unknown": 404,
  "landing-unknown": 404,
  "content-too-large": 413,
};

/** True for paths that need access. */
export function isApiPath(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** The answer to a request that is refused: JSON for the page, text for all others. */
export function refuse(c: Context, { status, code, message, hint }: ApiRefusal): Response {
  const error: ApiError = { error: { code, message, hint } };
  if (isApiPath(c.req.path)) return c.json(error, status);
  return c.text(hint === null ? `${message}\n` : `${message}\n${hint}\n`, status);
}
