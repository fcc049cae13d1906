import { Secrets } from "../lib/secrets.ts";

/** `values`, also in the form they have in JSON, where quotes and the like are escaped. */
export function secretsInJson(values: readonly string[]): Secrets {
  return new Secrets(values.flatMap((value) => [value, JSON.stringify(value.trim()).slice(1, -1)]));
}

/**
 * `response` with every secret in its text masked, however it is split into chunks. A body that
 * fails ends early, and `onFailure` is called.
 */
export function masked(
  response: Response,
  { secrets, onFailure }: { secrets: Secrets; onFailure(error: unknown): void },
): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const masking = secrets.stream();
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // The browser has disconnected.
          if (isLeft) return;
          const text = masking.push(decoder.decode(value, { stream: !done }));
          // Also if it is empty: otherwise nothing would be pulled again.
          controller.enqueue(encoder.encode(done ? text + masking.end() : text));
          if (done) controller.close();
        } catch (error) {
          onFailure(error);
          if (!isLeft) controller.close();
        }
      },
      cancel(reason) {
        isLeft = true;
        return reader.cancel(reason);
      },
    },
    // Nothing is read ahead, so that the writer notices how slow the browser is.
    { highWaterMark: 0 },
  );
  const answer = new Response(body, response);
  answer.headers.delete("Content-Length");
  return answer;
}
