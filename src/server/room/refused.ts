import { type ErrorCode, TeamError } from "../../errors.ts";
import type { Refusal } from "../refusal.ts";

/** A wish that is not granted, with the answer that says why. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The answer to what has failed; undefined for what is nobody's intention. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error.refusal;
  if (!(error instanceof TeamError)) return undefined;
  const { code, message, hint = null } = error;
  return { status: statuses[code] ?? 409, code, message, hint };
}

const statuses: Partial<Record<ErrorCode, Refusal["status"]>> = {
  "name-invalid": 400,
  "usage-wrong": 400,
  "message-invalid": 400,
  "team-missing": 404,
  "member-unknown": 404,
  "task-unknown": 404,
  "request-unknown": 404,
  "content-too-large": 413,
};
