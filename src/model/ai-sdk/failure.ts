import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { FailureKind, ModelFailure } from "../model-failure.ts";
import type { ErrorWords } from "./error-words.ts";
import { describesError, isNotServedHere, readWords } from "./error-words.ts";
import type { HttpAnswer } from "./http.ts";
import { messageOf, networkProblem } from "./network-problem.ts";
import { unreadEvent } from "./unread-event.ts";
import type { Watchdogs, WatchedRequest, WireFailure } from "./watched-request.ts";

/** The provider, key and address of a request. */
export interface Account {
  /** The provider's name in messages. */
  readonly label: string;
  /** The variable that holds the key. */
  readonly keyName: string;
  readonly baseUrl: string;
  /** What may be wrong with the address if the model is not found there. */
  readonly addressHint?: string | undefined;
  /** How to get credentials, for a provider whose package looks for them itself. */
  readonly loginHint?: string | undefined;
  /** The secrets, which no message may contain. */
  readonly secrets: Secrets;
}

interface FailedRequest {
  readonly id: string;
  readonly account: Account;
  readonly watchdogs: Watchdogs;
  readonly clock: Clock;
  readonly wire: Pick<WatchedRequest, "failure" | "response"> & {
    /** The beginning of an answer that is not a stream of events. */
    readonly text?: string;
  };
}

/**
 * Explains why a call failed. `error` is the SDK's error, or undefined if the SDK noticed nothing.
 */
export function diagnose(error: unknown, asked: FailedRequest): ModelFailure {
  const { response, failure } = asked.wire;
  const body = bodyOf(error);
  // An error status counts even if the connection broke before its body was complete.
  if (response && response.status >= 400) return refused(body ?? "", asked);
  if (response && response.status >= 300) return redirected(response, asked);
  if (response && isPage(response)) return page(asked);
  if (failure) return unreachable(failure, asked);
  // The SDK writes some inputs as JSON again, and can overflow the stack.
  if (error instanceof RangeError) return oversized("an answer that is nested too deeply", asked);
  if (!response) return unsendable(error, asked);
  const event = unreadEvent(error, body);
  // Not the words of a schema, which help nobody.
  if (event !== undefined && !describesError(event))
    return unreadable(`an event of another form, ${event}`, asked);
  if (event !== undefined || body !== undefined) return refused(event ?? body ?? "", asked);
  return isEndOfStream(error) ? cutOrForeign(asked) : unreadable(messageOf(error), asked);
}

function unreachable(failure: WireFailure, asked: FailedRequest): ModelFailure {
  const { account, watchdogs } = asked;
  switch (failure.type) {
    case "network":
      return networkFailure(failure.cause, account);
    case "no-headers":
      return {
        kind: "no-headers",
        message: `${account.label} did not answer within ${watchdogs.headersMs / 1000} s`,
      };
    case "stalled":
      return {
        kind: "stalled",
        message: `${account.label} sent nothing more for ${watchdogs.stallMs / 1000} s`,
      };
    case "cut":
      return cut(asked);
    case "oversized":
      return oversized(`${failure.limit}, and the rest was not read`, asked);
  }
}

function networkFailure(cause: unknown, account: Account): ModelFailure {
  const { kind, hint, message } = networkProblem(cause);
  const reason = shown(message, account);
  return {
    kind,
    message: `${account.label} cannot be reached at ${account.baseUrl}: ${reason}`,
    hint,
  };
}

/** Requests follow no redirection: the key is for the configured address only. */
function redirected(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  { account }: FailedRequest,
): ModelFailure {
  const target = shown(headers.get("location") ?? "an unknown address", account);
  return {
    kind: "bad-request",
    message: `${account.label} redirects the request to ${target} (${status})`,
    hint: `Set the base URL to the final address: a key is only sent to ${account.baseUrl}.`,
  };
}

function oversized(what: string, { account }: FailedRequest): ModelFailure {
  return {
    kind: "oversized",
    message: `${account.label} sent ${what}`,
    hint: `Check that ${account.baseUrl} is the base URL of this provider's API, or use another model.`,
  };
}

/** Google's words for no login, one that is over, and a file of credentials that is not there. */
const noLogin = /default credentials|invalid_grant|refresh token|^ENOENT:/i;

/**
 * The request was never sent: the SDK knows that the provider would refuse it, or has no credentials
 * for it.
 */
function unsendable(error: unknown, { account }: FailedRequest): ModelFailure {
  const { label, loginHint } = account;
  const reason = shown(messageOf(error), account);
  if (loginHint !== undefined && noLogin.test(reason)) {
    return { kind: "bad-key", message: `${label} has no credentials: ${reason}`, hint: loginHint };
  }
  return { kind: "bad-request", message: `${label} cannot take this request: ${reason}` };
}

function cutOrForeign(asked: FailedRequest): ModelFailure {
  const type = asked.wire.response?.headers.get("content-type") ?? "unknown";
  if (type.includes("event-stream")) return cut(asked);
  const { text = "" } = asked.wire;
  return describesError(text) ? refused(text, asked) : unreadable(`content of type ${type}`, asked);
}

function isPage({ headers }: Pick<HttpAnswer, "headers">): boolean {
  return headers.get("content-type")?.includes("text/html") ?? false;
}

/** A site answers, and not an API. It will the next time, too. */
function page({ account: { label, baseUrl } }: FailedRequest): ModelFailure {
  const isVersioned = /\/v\d+[a-z\d]*$/.test(baseUrl);
  const missing = isVersioned ? "" : ` It may lack its version: ${baseUrl}/v1.`;
  return {
    kind: "bad-request",
    message: `${label} answered with a web page instead of a reply`,
    hint: `Check that ${baseUrl} is the base URL of this provider's API.${missing}`,
  };
}

function cut({ account }: FailedRequest): ModelFailure {
  return { kind: "cut", message: `${account.label} ended its answer before it was complete` };
}

/** A reply that has come to its end, but not with all that it announced. */
export function broken(flaw: string, { label }: Pick<Account, "label">): ModelFailure {
  return { kind: "malformed", message: `${label} sent a broken reply: ${flaw}` };
}

function unreadable(reason: string, { account }: FailedRequest): ModelFailure {
  return {
    kind: "malformed",
    message: `${account.label} sent an unreadable answer: ${shown(reason, account)}`,
    hint: `Check that ${account.baseUrl} is the base URL of this provider's API.`,
  };
}

/** The failure for a provider's own error, by its status or as an event inside a stream. */
function refused(body: string, asked: FailedRequest): ModelFailure {
  const { wire, clock, account } = asked;
  const { status = 200, headers = new Map<string, string>() } = wire.response ?? {};
  const words = readWords(body);
  const kind = kindOf(status, words);
  const hint = hintFor(kind, asked) ?? hintForWords(words.message);
  const delayMs = retryAfterMs({ headers, body, now: clock.now() });
  return {
    kind,
    message: [
      `${account.label} ${deeds[kind] ?? "failed"}${shownStatus(status)}`,
      shown(words.message, account),
    ]
      .filter((text) => text !== "")
      .join(": "),
    ...(hint !== undefined && { hint }),
    ...(delayMs !== undefined && { retryAfterMs: delayMs }),
  };
}

function shownStatus(status: number): string {
  return status >= 400 ? ` (${status})` : "";
}

const deeds: Partial<Record<FailureKind, string>> = {
  "bad-key": "refuses the key",
  "no-credit": "refuses because no credit is left",
  "unknown-model": "does not have the model",
  "too-long": "refuses a conversation that is too long",
  "bad-image": "refuses the request",
  "bad-request": "refuses the request",
  "rate-limited": "asks for fewer requests",
  overloaded: "is overloaded",
};

function hintFor(kind: FailureKind, { id, account }: FailedRequest): string | undefined {
  switch (kind) {
    case "bad-key":
      return `Set ${account.keyName} to a key that may use ${id}.`;
    case "no-credit":
      return `Add credit to the account behind ${account.keyName}, or raise its limit.`;
    case "unknown-model":
      return [`Check the name ${id} and the base URL ${account.baseUrl}.`, account.addressHint]
        .filter((text) => text !== undefined)
        .join(" ");
    default:
      return undefined;
  }
}

/** What to do about a refused request whose reason is known. */
function hintForWords(message: string): string | undefined {
  if (/does not support tools/i.test(message)) {
    return "Members work by calling tools: use a model that takes them.";
  }
  if (/does not support thinking/i.test(message)) {
    return "Leave out the effort and the thinking budget, or use a model that thinks.";
  }
  if (isNotServedHere(message)) {
    return "Use a provider that serves your country, or check the proxy through which you reach this one.";
  }
  return undefined;
}

const WithBody = z.object({ responseBody: z.string() });

/** The provider's error, if `error` is one: the SDK passes it on bare or wrapped. */
function bodyOf(error: unknown): string | undefined {
  const wrapped = WithBody.safeParse(error);
  if (wrapped.success) return wrapped.data.responseBody;
  if (error === undefined || error instanceof Error) return undefined;
  return JSON.stringify(error);
}

/** The SDK itself may notice that a reply has no end. */
function isEndOfStream(error: unknown): boolean {
  return (
    error === undefined ||
    (error instanceof Error && error.message === "Response stream ended without a finish reason.")
  );
}

/** The longest message: a page of HTML from a proxy is of no use to anybody. */
const longestMessage = 500;

/**
 * A server may quote the request. The text is masked before it is cut, because half a key is still
 * a secret.
 */
function shown(text: string, { secrets }: Account): string {
  return secrets.mask(text).slice(0, longestMessage);
}

interface RefusedAnswer {
  readonly headers: Pick<HttpAnswer["headers"], "get">;
  readonly body: string;
  readonly now: Date;
}

/** The pause that the provider asks for, in any of the forms that providers use. */
function retryAfterMs({ headers, body, now }: RefusedAnswer): number | undefined {
  const milliseconds = number(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const header = headers.get("retry-after");
  const seconds = number(header) ?? number(googleDelay(body));
  if (seconds !== undefined) return seconds * 1000;
  const date = header ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

/** Google puts the delay into the details of the error, not into a header. */
function googleDelay(body: string): string | undefined {
  return /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1];
}

function number(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** The kind of failure of an answer. Inside a stream, where the status is 200, names decide. */
function kindOf(status: number, words: ErrorWords): FailureKind {
  const code = status >= 400 ? status : statusNamed(words.names);
  return (code < 500 ? kindByWords(code, words) : undefined) ?? kindByStatus(code);
}

const noCredit =
  /billing|insufficient[ _](quota|credit|balance|funds)|credit balance|usage limits|spend(ing)?[ _]limit|out of credit/i;
const tooLong =
  /context_length_exceeded|exceed_context_size|prompt is too long|request too large|maximum context|context (length|limit|size|window)|input token count/i;
const unknownModel = /model_not_found|not a valid model|model\b.* (not found|does not exist)/i;
/** In their own fields: `image_url`, `invalid_image_format`, `image.source`. */
const badImage = /(?<!tools\b.*)image/is;
const badKey = /invalid_api_key|api_key_invalid|api key not valid/i;

/** Providers use one status for temporary and permanent errors, so their words come first. */
function kindByWords(status: number, { message, names }: ErrorWords): FailureKind | undefined {
  const text = `${names} ${message}`;
  // Google mentions the billing details whenever a limit of its free tier is met.
  if (noCredit.test(status === 429 ? names : text)) return "no-credit";
  if (tooLong.test(text)) return "too-long";
  if (unknownModel.test(text)) return "unknown-model";
  if (badKey.test(text)) return "bad-key";
  if (isNotServedHere(message)) return "bad-request";
  if ([400, 404, 415, 422].includes(status) && badImage.test(text)) return "bad-image";
  return undefined;
}

function kindByStatus(status: number): FailureKind {
  switch (status) {
    case 401:
    case 403:
      return "bad-key";
    case 402:
      return "no-credit";
    case 404:
      return "unknown-model";
    case 413:
      return "too-long";
    case 429:
      return "rate-limited";
    case 503:
    case 529:
      return "overloaded";
    // A timeout or a conflict of this one request: unlike after a 429, no other request need wait.
    case 408:
    case 409:
      return "server";
    default:
      return status >= 500 ? "server" : "bad-request";
  }
}

const statusByName: readonly (readonly [RegExp, number])[] = [
  [/overloaded|unavailable/i, 529],
  [/rate_limit|resource_exhausted|insufficient_quota/i, 429],
  [/billing/i, 402],
  [/authentication|api_key|unauthenticated/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/too_large/i, 413],
  [/invalid|context_length/i, 400],
];

/** The status that an error in a stream would have had as a response. */
function statusNamed(names: string): number {
  const number = /\b[45]\d\d\b/.exec(names)?.[0];
  if (number) return Number(number);
  return statusByName.find(([pattern]) => pattern.test(names))?.[1] ?? 500;
}
