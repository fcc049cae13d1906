/** A longer answer, or event of a stream, is not kept: nobody could read the result in it. */
const maxBytes = 16 * 1024 * 1024;
const maxRedirections = 3;

/**
 * Requests for one server: it sends them nowhere but to itself, and no answer of it fills the memory. `onFault` is told
 * when an answer is too large, once it is no longer read.
 */
export function boundedFetch(
  onFault: (reason: string) => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetchAtHome(new URL(url), init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(limit(isStream, onFault));
    return new Response(body, { status, statusText, headers });
  };
}

/** Follows redirections within the server. Another one would get its headers, which may have a secret. */
async function fetchAtHome(first: URL, init: RequestInit = {}): Promise<Response> {
  let url = first;
  for (let count = 0; count <= maxRedirections; count++) {
    const response = await fetch(url, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (!redirections.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    if (next?.origin !== url.origin) {
      throw new Error(`it redirects to ${next?.origin ?? "no address"}, which its entry must name`);
    }
    url = next;
  }
  throw new Error(`it redirects more than ${maxRedirections} times`);
}

/** Those that keep the method and the body of a request. */
const redirections: ReadonlySet<number> = new Set([307, 308]);

function limit(isStream: boolean, onFault: (reason: string) => void) {
  let bytes = 0;
  let tail = "";
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (isStream) {
        // An empty line ends an event.
        const text = tail + Buffer.from(chunk).toString("latin1");
        const end = Math.max(...emptyLines.map((line) => text.lastIndexOf(line)));
        if (end !== -1) bytes = Math.min(bytes, text.length - end);
        tail = text.slice(-3);
      }
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      const fault = `it sent an answer of more than ${maxBytes} bytes`;
      controller.error(new Error(fault));
      onFault(fault);
    },
  });
}

const emptyLines = ["\n\n", "\r\n\r\n", "\r\r"];
