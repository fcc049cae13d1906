/** A longer answer, or event of a stream, is not kept: nobody could read the result in it. */
const maxBytes = 16 * 1024 * 1024;

/** Sends requests to a server none of whose answers fills the memory. `onFault` is told when one is too large to be read on. */
export function boundedFetch(
  onFault: (reason: string) => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(limit(isStream, onFault));
    return new Response(body, { status, statusText, headers });
  };
}

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
