import { createHash } from "node:crypto";
import { TeamError } from "../errors.ts";
import type { Signature } from "../keys/signature.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { type MemberName, type MessageId, type RequestId, system } from "../protocol/ids.ts";
import { type RequestDecision, TeamRequest } from "../protocol/request.ts";
import type { RequestDraft, RequestFilter } from "./requests.ts";

/** A stored request, as far as it can be believed. */
export interface VerifiedRequest {
  /** With no decision but one that counts. */
  request: TeamRequest;
  /** False when troupe did not write the question as it is: then it cannot be answered. */
  isAsAsked: boolean;
  /** The problem with the record, for the person. */
  problem: string | undefined;
}

/** How a request is to end. */
export type RequestSettlement = Pick<RequestDecision, "state" | "by" | "hash"> & {
  reason?: string | undefined;
  rule?: string | undefined;
  value?: unknown;
  cause?: MessageId | undefined;
};

export function newRequest(
  { type, from, to, subject: given, replaces }: RequestDraft,
  { id, at, signature }: { id: RequestId; at: Date; signature: Signature },
): TeamRequest {
  // As it will be read back, so that the hash is of what everybody sees.
  const subject: unknown = JSON.parse(canonicalJson(given));
  const created_at = at.toISOString();
  const hash = hashSubject(given);
  const question = { id, type, from, to, hash, created_at, ...(replaces && { replaces }) };
  const sig = signature.sign(questionText(question));
  return TeamRequest.parse({
    ...{ ...question, subject, sig },
    ...{ state: "pending", decision: null, version: 1 },
  });
}

/** The SHA-256 of a question in hex, however its keys are ordered. */
export function hashSubject(subject: TeamRequest["subject"]): string {
  return createHash("sha256").update(canonicalJson(subject)).digest("hex");
}

/** Decides what of a stored record counts. */
export function verifyRequest(stored: TeamRequest, signature: Signature): VerifiedRequest {
  const alteration = findAlteration(stored, signature);
  const isAsAsked = alteration === undefined;
  const forgery = findForgery(stored, isAsAsked, signature);
  const problem = alteration ?? forgery;
  if (!forgery) return { request: stored, isAsAsked, problem };

  // Nobody can answer an altered question, so it must not wait for an answer. This is also how the
  // requests of a team read that has lost its key: what was decided is over, but not approved.
  const state = isAsAsked || stored.state === "pending" ? "pending" : "expired";
  return { request: { ...stored, state, decision: null }, isAsAsked, problem };
}

/** The request with its signed decision. Throws `request-refused` where it may not end so. */
export function settleRequest(
  verified: VerifiedRequest,
  settlement: RequestSettlement,
  { at, signature }: { at: Date; signature: Signature },
): TeamRequest {
  requireSettleable(verified, settlement);
  const { request } = verified;
  const { state, by, hash, reason, rule, value, cause } = settlement;
  const decision: RequestDecision = {
    request_id: request.id,
    hash,
    state,
    by,
    at: at.toISOString(),
  };
  if (reason !== undefined) decision.reason = reason;
  if (rule !== undefined) decision.rule = rule;
  if (value !== undefined) decision.value = value;
  if (cause !== undefined) decision.cause = cause;
  const sig = signature.sign(canonicalJson(decision));
  return { ...request, state, decision: { ...decision, sig }, version: request.version + 1 };
}

function requireSettleable(
  { request, isAsAsked }: VerifiedRequest,
  { state, by, hash }: RequestSettlement,
): void {
  const { id, decision } = request;
  if (request.state !== "pending") {
    const decider = decision ? ` by '${decision.by}'` : "";
    throw refusal(`Request ${id} is already ${request.state}${decider}`, "It stays as it is.");
  }
  const allowed = deciders(request, state);
  if (!allowed.includes(by)) {
    throw refusal(
      `Request ${id} cannot be ${state} by '${by}'`,
      `That is for ${allowed.map((name) => `'${name}'`).join(" or ")} alone.`,
    );
  }
  if (isAnswer(state) && !isAsAsked) {
    throw refusal(
      `The record of request ${id} was not written by troupe`,
      "It can no longer be answered. Ask again; the old request can be cancelled.",
    );
  }
  if (hash !== request.hash) {
    throw refusal(
      `The answer does not match what request ${id} asks`,
      "Look at the request again and answer what it says.",
    );
  }
}

export function isListed(request: TeamRequest, { state, type, from }: RequestFilter): boolean {
  return (
    (state === undefined || request.state === state) &&
    (type === undefined || request.type === type) &&
    (from === undefined || request.from === from)
  );
}

/** The error for an id that names no request. */
export function unknownRequest(id: string, pending: readonly TeamRequest[]): TeamError {
  const shown = pending.slice(0, maxShown).map((request) => request.id);
  const more = pending.length > maxShown ? ` and ${pending.length - maxShown} more` : "";
  return new TeamError("request-unknown", `There is no request ${id}`, {
    hint: shown.length > 0 ? `Open requests: ${shown.join(", ")}${more}.` : "No request is open.",
  });
}

const maxShown = 20;

function findAlteration(stored: TeamRequest, signature: Signature): string | undefined {
  const { id, subject, hash, sig } = stored;
  if (hashSubject(subject) !== hash) return `The subject of request ${id} was changed`;
  if (signature.verify(questionText(stored), sig)) return undefined;
  return `Request ${id} carries no valid signature`;
}

/** Why the end that `stored` claims does not count. */
function findForgery(
  stored: TeamRequest,
  isAsAsked: boolean,
  signature: Signature,
): string | undefined {
  const { id, state, decision: signed } = stored;
  if (!signed) return state === "pending" ? undefined : `Request ${id} is ${state} by nobody`;
  const { sig, ...decision } = signed;
  const found = `Request ${id} has a decision`;
  if (!signature.verify(canonicalJson(decision), sig)) return `${found} without a valid signature`;
  if (decision.request_id !== id) return `${found} of another request`;
  if (decision.hash !== stored.hash) return `${found} about something else`;
  if (decision.state !== state) return `${found} that it is ${decision.state}, not ${state}`;
  if (!deciders(stored, decision.state).includes(decision.by)) return `${found} by another`;
  return isAnswer(decision.state) && !isAsAsked ? `${found} to another question` : undefined;
}

function isAnswer(state: RequestDecision["state"]): boolean {
  return state === "approved" || state === "rejected";
}

/** The members that may give a request this state. */
function deciders({ from, to }: TeamRequest, state: RequestDecision["state"]): MemberName[] {
  switch (state) {
    case "approved":
    case "rejected":
      return [to];
    case "expired":
      return [system];
    case "cancelled":
      return [from, system];
  }
}

/** The signed text of a question. */
function questionText(
  question: Pick<TeamRequest, "id" | "type" | "from" | "to" | "hash" | "created_at" | "replaces">,
): string {
  const { id, type, from, to, hash, created_at, replaces } = question;
  return canonicalJson({ id, type, from, to, hash, created_at, ...(replaces && { replaces }) });
}

function refusal(message: string, hint: string): TeamError {
  return new TeamError("request-refused", message, { hint });
}
