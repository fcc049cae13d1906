import type { Transport } from "@modelcontextprotocol/client";
import { TeamError } from "../errors.ts";
import type { McpRemoteServer } from "../protocol/mcp-servers.ts";
import { boundedFetch } from "./bounded-fetch.ts";

/** A transport to a server that is reached by HTTP. */
export async function remoteTransport(
  server: McpRemoteServer,
): Promise<{ transport: Transport; closedReason(): Promise<string | undefined> }> {
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import(
    "@modelcontextprotocol/client"
  );
  const url = addressOf(server.url);
  let fault: string | undefined;
  const fetch = boundedFetch((reason) => {
    fault = reason;
    // Whatever else it sends, nobody waits for its answers any more.
    transport.close().catch(() => undefined);
  });
  const options = { requestInit: { headers: server.headers ?? {} }, fetch };
  const transport: Transport =
    server.type === "sse"
      ? new SSEClientTransport(url, options)
      : new StreamableHTTPClientTransport(url, options);
  return { transport, closedReason: async () => fault };
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new TeamError(
    "mcp-failed",
    "its url is not an address that begins with http:// or https://",
  );
}
