import type { HttpAnswer } from "./http.ts";

interface RefusedAnswer {
  readonly headers: Pick<HttpAnswer["headers"], "get">;
  readonly body: string;
  readonly now: Date;
}

/** How long the provider asks to wait, where it says so in any of the ways providers have. */
export function retryAfterMs({ headers, body, now }: RefusedAnswer): number | undefined {
  const milliseconds = number(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const header = headers.get("retry-after");
  const seconds = number(header) ?? number(googleDelay(body));
  if (seconds !== undefined) return seconds * 1000;
  const date = header ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

/** Google says it in the details of the error, and not in a header. */
function googleDelay(body: string): string | undefined {
  return /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1];
}

function number(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
