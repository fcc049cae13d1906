import type { FailureKind } from "../model-failure.ts";
import type { ErrorWords } from "./error-words.ts";

/** The kind of failure of an answer. Inside a stream, where the status is 200, names decide. */
export function kindOf(status: number, words: ErrorWords): FailureKind {
  const code = status >= 400 ? status : statusNamed(words.names);
  return (code < 500 ? kindByWords(code, words) : undefined) ?? kindByStatus(code);
}

const noCredit =
  /billing|insufficient[ _](quota|credit|balance|funds)|credit balance|usage limits|spend(ing)?[ _]limit|out of credit/i;
const tooLong =
  /context_length_exceeded|exceed_context_size|prompt is too long|request too large|maximum context|context (length|limit|size|window)|input token count/i;
const unknownModel = /model_not_found|not a valid model|model\b.* (not found|does not exist)/i;
const badKey = /invalid_api_key|api_key_invalid|api key not valid/i;

/** Providers use one status for temporary and permanent errors, so their words come first. */
function kindByWords(status: number, { message, names }: ErrorWords): FailureKind | undefined {
  const text = `${names} ${message}`;
  // Google mentions the billing details whenever a limit of its free tier is met.
  if (noCredit.test(status === 429 ? names : text)) return "no-credit";
  if (tooLong.test(text)) return "too-long";
  if (unknownModel.test(text)) return "unknown-model";
  if (badKey.test(text)) return "bad-key";
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
