import { join, resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** The revisions of the protocol before 2026-07-28, and that one. */
export const eras = ["legacy", "modern"] as const;
export type Era = (typeof eras)[number];

/** The bundled program, as it is published. */
export const program = resolve("dist/cli/main.js");

/** The surroundings of a program whose team is below `root`. */
export function environmentBelow(root: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: root,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config"),
  };
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** What the program has written to standard error by now. */
  readonly err: string[];
  /** Calls a tool, and resolves to its text; `Error: …` where it failed. */
  call(name: string, input?: Record<string, unknown>): Promise<string>;
}

/** A client of the protocol's own package that has started `troupe mcp` for the team below `root`. */
export async function startMcp(
  root: string,
  { era = "legacy", argv = [] }: { era?: Era; argv?: readonly string[] } = {},
): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", "--cwd", root, ...argv],
    env: environmentBelow(root),
    cwd: root,
    stderr: "pipe",
  });
  const err: string[] = [];
  transport.stderr?.on("data", (chunk) => err.push(String(chunk)));
  const mcp = newMcpClient(era);
  await mcp.client.connect(transport);
  return { ...mcp, err };
}

/** A client that is connected to a server over HTTP. */
export async function connectTo(
  url: string,
  secret: string,
  era: Era,
): Promise<Omit<McpClient, "err">> {
  const headers = { Authorization: `Bearer ${secret}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const mcp = newMcpClient(era);
  await mcp.client.connect(transport);
  return mcp;
}

/** A client that is not connected yet. */
function newMcpClient(era: Era): Omit<McpClient, "err"> {
  const options = era === "modern" ? { versionNegotiation: { mode: "auto" as const } } : {};
  const client = new Client({ name: "test", version: "1" }, options);
  return {
    client,
    async call(name, input = {}) {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [first] = content;
      if (content.length !== 1 || first?.type !== "text") throw new Error("It has no one text");
      if ((isError ?? false) !== first.text.startsWith("Error: ")) {
        throw new Error(`isError is ${isError}: ${first.text}`);
      }
      return first.text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
