import { Server } from "@modelcontextprotocol/server";
import { describeError, TeamError } from "../errors.ts";
import { boundedText, type Caller, callTool, type ServedTool } from "./served-tool.ts";

/** What one caller is offered. */
export interface Offer {
  /** The name and version that the client is told. */
  readonly info: { readonly name: string; readonly version: string };
  /** What the client's model should know of the whole. */
  readonly instructions: string;
  readonly tools: readonly ServedTool[];
  readonly resources: ServedResources;
  readonly caller: Caller;
  /** Told of what should not happen; the client is told that something has. */
  onFailure(error: unknown): void;
}

/** Texts that a client can read by their addresses. */
export interface ServedResources {
  list(): Promise<readonly ListedResource[]>;
  /** Undefined where there is no such resource. */
  read(uri: string): Promise<string | undefined>;
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** A server for one connection, or for one request over HTTP. It keeps nothing but the offer. */
export function openServer(offer: Offer): Server {
  const { info, instructions } = offer;
  const capabilities = { tools: {}, resources: {} };
  const server = new Server(info, { capabilities, instructions });
  offerTools(server, offer);
  offerResources(server, offer);
  return server;
}

function offerTools(server: Server, offer: Offer): void {
  const { tools, caller } = offer;
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(described) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find((each) => each.tool.spec.name === params.name);
    if (!tool) return result(unknownTool(params.name, tools));
    try {
      const call = { id: String(mcpReq.id), signal: mcpReq.signal };
      return result(await callTool(tool, params.arguments ?? {}, caller, call));
    } catch (error) {
      offer.onFailure(error);
      return result({
        text: `Error: ${params.name} failed; troupe has printed why.`,
        isError: true,
      });
    }
  });
}

function described({ tool, title, isReadOnly, isDestructive = false }: ServedTool) {
  const { name, description, input_schema: schema } = tool.spec;
  return {
    ...{ name, title, description },
    inputSchema: { ...schema, type: "object" as const },
    annotations: {
      ...{ title, readOnlyHint: isReadOnly, destructiveHint: isDestructive },
      // Calls reach the team alone.
      openWorldHint: false,
    },
    // A client that searches for tools when it needs one would not know that it is in a team.
    _meta: { "anthropic/alwaysLoad": true },
  };
}

function result({ text, isError }: { text: string; isError: boolean }) {
  return { content: [{ type: "text" as const, text }], isError };
}

function unknownTool(name: string, tools: readonly ServedTool[]) {
  const names = tools.map(({ tool }) => tool.spec.name).join(", ");
  const asked = JSON.stringify(name.slice(0, longestName));
  return { text: `Error: No tool is named ${asked}. Tools: ${names}.`, isError: true };
}

const longestName = 100;

function offerResources(server: Server, { resources, caller, onFailure }: Offer): void {
  server.setRequestHandler("resources/list", async () => ({
    resources: (await resources.list()).map((each) => ({ ...each, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const text = await resources.read(uri).catch((error: unknown) => {
      if (!(error instanceof TeamError)) onFailure(error);
      throw new Error(error instanceof TeamError ? describeError(error) : "It cannot be read");
    });
    if (text === undefined) {
      const { ResourceNotFoundError } = await import("@modelcontextprotocol/server");
      throw new ResourceNotFoundError(uri.slice(0, longestName));
    }
    return { contents: [{ uri, mimeType, text: boundedText(caller.mask(text)) }] };
  });
}

const mimeType = "text/plain";
