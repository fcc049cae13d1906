import type { GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import { defineTool, failure, success, type Tool, type ToolOutput } from "../tools/tool.ts";
import { answered } from "./call-server.ts";
import type { McpConnection } from "./connection.ts";
import { mcpAction } from "./direct-tool.ts";
import { type KeepBytes, shownContent } from "./shown-content.ts";
import type { MemberServer } from "./team-servers.ts";

interface ReadToolOptions {
  readonly servers: readonly MemberServer[];
  readonly keepBytes: KeepBytes;
}

const Input = z.object({
  server: z.string(),
  uri: z.string().optional(),
  prompt: z.string().optional(),
  arguments: z.record(z.string(), z.string()).optional().describe("Of the prompt"),
});

/** The most resources, and the most prompts, that are listed. */
const maxListed = 200;

/** Reads resources and prompts of servers. Rules call it `mcp__<server>__resources`. */
export function readTool({ servers, keepBytes }: ReadToolOptions): Tool {
  return defineTool({
    name: "mcp_read",
    description:
      "Read a resource (uri) or a prompt of an MCP server; without either, list what it has.",
    input: Input,
    action: ({ server }) => {
      const isTrusted = servers.find(({ name }) => name === server)?.isTrusted ?? false;
      return mcpAction(server, `mcp__${server}__resources`, isTrusted);
    },
    async run(input, { signal, callId, member }): Promise<ToolOutput> {
      const server = servers.find(({ name }) => name === input.server);
      if (!server) return failure(noServer(input.server, servers));
      return answered(server.name, signal, async (begin) => {
        const connection = await server.link.connection(signal);
        begin(() => connection.isOpen);
        const keep = { name: `${member}-${callId}`, keepBytes };
        if (input.uri !== undefined) {
          const { uri } = input;
          const read = (options: object) => connection.client.readResource({ uri }, options);
          return resourceOutput(await connection.ask(signal, read), keep);
        }
        if (input.prompt === undefined) return listing(connection, signal);
        const { prompt: name, arguments: given = {} } = input;
        const get = (options: object) =>
          connection.client.getPrompt({ name, arguments: given }, options);
        return promptOutput(await connection.ask(signal, get), keep);
      });
    },
  });
}

type Keep = { name: string; keepBytes: KeepBytes };

async function resourceOutput({ contents }: ReadResourceResult, keep: Keep): Promise<ToolOutput> {
  const blocks = contents.map((resource) => ({ type: "resource", resource }) as const);
  const { texts } = await shownContent(blocks, keep);
  return success(texts.join("\n") || "(empty)");
}

async function promptOutput({ messages }: GetPromptResult, keep: Keep): Promise<ToolOutput> {
  const { texts, images } = await shownContent(
    messages.map(({ content }) => content),
    keep,
  );
  return { ...success(texts.join("\n\n") || "(empty)"), ...(images.length > 0 && { images }) };
}

async function listing(connection: McpConnection, signal: AbortSignal): Promise<ToolOutput> {
  const { client } = connection;
  const { resources: hasResources, prompts: hasPrompts } = client.getServerCapabilities() ?? {};
  const lines: string[] = [];
  if (hasResources) {
    const { resources } = await connection.ask(signal, (options) =>
      client.listResources(undefined, options),
    );
    const { resourceTemplates } = await connection.ask(signal, (options) =>
      client.listResourceTemplates(undefined, options),
    );
    const templates = resourceTemplates.map((it) => ({ ...it, uri: it.uriTemplate }));
    const both = [...resources, ...templates];
    lines.push(
      ...section(
        "Resources",
        both.map(({ uri, name, description }) => ({ id: uri, text: description ?? name })),
      ),
    );
  }
  if (hasPrompts) {
    const { prompts } = await connection.ask(signal, (options) =>
      client.listPrompts(undefined, options),
    );
    lines.push(
      ...section(
        "Prompts",
        prompts.map(({ name, description = "", arguments: given = [] }) => ({
          id: `${name}(${given.map((each) => each.name).join(", ")})`,
          text: description,
        })),
      ),
    );
  }
  return success(lines.join("\n") || "The server has neither resources nor prompts.");
}

function section(title: string, entries: readonly { id: string; text: string }[]): string[] {
  const left = entries.length - maxListed;
  return [
    `${title}:`,
    ...entries
      .slice(0, maxListed)
      .map(({ id, text }) => escapeWrapper(`- ${id}${text ? `: ${oneLine(text)}` : ""}`)),
    ...(left > 0 ? [`- and ${left} more`] : []),
  ];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 300);
}

function noServer(name: string, servers: readonly MemberServer[]): string {
  const names = servers.map((each) => each.name).join(", ");
  return `Error: There is no MCP server ${JSON.stringify(name.slice(0, 100))}. Servers: ${names}.`;
}
