import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { onAbort } from "../lib/on-abort.ts";
import { type Offer, openServer } from "./open-server.ts";

/** The streams of one client. */
export interface ClientStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves one client until its stream ends, or `signal` aborts. Nothing but the protocol is written.
 * Calls that run at the end are aborted.
 */
export async function serveStreams(
  offer: Offer,
  { input, output }: ClientStreams,
  signal: AbortSignal,
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize });
  const served = serveStdio(() => openServer(offer), {
    transport,
    onerror: (error) => offer.onFailure(error),
  });
  await new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    onAbort(signal, resolve);
  });
  await served.close();
}

/** More than the longest message takes if each of its bytes takes six in JSON. */
const maxBufferSize = 4 * 1024 * 1024;
