import { z } from "zod";
import { firstCharacters } from "../lib/cut-text.ts";
import { mcpServerOf } from "../protocol/mcp-tool-names.ts";
import { defineTool, failure, success, type Tool, type ToolOutput } from "../tools/tool.ts";
import { callServer } from "./call-server.ts";
import { mcpAction } from "./direct-tool.ts";
import { type ChosenTools, isChosen, type ServerTool, serverTools } from "./server-tools.ts";
import type { KeepBytes } from "./shown-content.ts";
import type { MemberServer } from "./team-servers.ts";

interface SearchToolsOptions {
  readonly servers: readonly MemberServer[];
  readonly chosen: ChosenTools;
  readonly keepBytes: KeepBytes;
}

const Search = z.object({
  query: z.string().optional().describe("Words of what it does; without, names are listed"),
});

const Call = z.object({
  tool: z.string().describe("mcp__server__tool, as mcp_search names it"),
  input: z.record(z.string(), z.unknown()).optional(),
});

/** Two tools that are always the same, by which a member finds and calls whatever its servers offer. */
export function searchTools(options: SearchToolsOptions): Tool[] {
  return [searchTool(options), callTool(options)];
}

function searchTool(options: SearchToolsOptions): Tool {
  return defineTool({
    name: "mcp_search",
    description: `Find tools of MCP servers (${namesIn(options.servers)}), with their inputs, to be called with mcp_call.`,
    input: Search,
    action: () => ({ type: "coordinate", isIndependent: true }),
    async run({ query = "" }, { signal }) {
      const found = await Promise.all(
        options.servers.map((server) => lookAt(server, options, signal)),
      );
      const tools = found.flatMap((each) => each.tools);
      const states = found.map(({ state }) => state);
      return success([shown(tools, query), `Servers: ${states.join("; ")}.`].join("\n\n"));
    },
  });
}

/** Of so many that a description stays short. */
function namesIn(servers: readonly MemberServer[]): string {
  const names = servers.slice(0, 12).map(({ name }) => name);
  return [...names, ...(servers.length > 12 ? ["…"] : [])].join(", ");
}

interface LookedAt {
  tools: readonly ServerTool[];
  /** In a few words. */
  state: string;
}

/** What a server offers. One that nobody has asked yet is waited for. */
async function lookAt(
  server: MemberServer,
  { chosen }: SearchToolsOptions,
  signal: AbortSignal,
): Promise<LookedAt> {
  const { name } = server;
  try {
    if (!(await server.known())) await server.link.connection(signal);
    const tools = await offered(server, chosen);
    return { tools, state: `${name} (${tools.length} tools)` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { tools: [], state: `${name} (${firstCharacters(error.message, 300)})` };
  }
}

async function offered(server: MemberServer, chosen: ChosenTools): Promise<ServerTool[]> {
  const { name, entry, isTrusted } = server;
  const { tools = [] } = (await server.known()) ?? {};
  const all = serverTools(name, { entry, tools, isTrusted });
  return all.filter(({ spec }) => isChosen(chosen, spec.name));
}

const maxShown = 8;
const maxNamed = 200;
const maxDescription = 600;
const maxSchema = 3_000;

function shown(tools: readonly ServerTool[], query: string): string {
  const words = wordsOf(query);
  const ranked = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
  if (words.length === 0 || ranked.length === 0) return listed(tools, words.length > 0);
  const rest = ranked.slice(maxShown);
  const more = rest.length > 0 ? [`Also: ${namesOf(rest.slice(0, maxShown * 3))}`] : [];
  return [...ranked.slice(0, maxShown).map(described), ...more].join("\n\n");
}

function listed(tools: readonly ServerTool[], wasAsked: boolean): string {
  if (tools.length === 0) return "There are no tools.";
  const left = tools.length - maxNamed;
  const more = left > 0 ? `, and ${left} more` : "";
  const heading = wasAsked ? "No tool has these words. All tools: " : "Tools: ";
  return `${heading}${namesOf(tools.slice(0, maxNamed))}${more}`;
}

function namesOf(tools: readonly ServerTool[]): string {
  return tools.map(({ spec }) => spec.name).join(", ");
}

function described({ spec }: ServerTool): string {
  const description = firstCharacters(spec.description, maxDescription);
  const schema = JSON.stringify(spec.input_schema);
  const input = schema.length > maxSchema ? `${firstCharacters(schema, maxSchema)}… (cut)` : schema;
  return `${spec.name}: ${description}\nInput: ${input}`;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
    .slice(0, 50);
}

/** A word in the name counts more than one in the description. */
function scoreOf({ spec }: ServerTool, words: readonly string[]): number {
  const name = spec.name.toLowerCase();
  const description = spec.description.toLowerCase();
  return words.reduce(
    (sum, word) => sum + (name.includes(word) ? 3 : 0) + (description.includes(word) ? 1 : 0),
    0,
  );
}

function callTool({ servers, chosen, keepBytes }: SearchToolsOptions): Tool {
  const serverOf = (tool: string) => servers.find(({ name }) => name === mcpServerOf(tool));
  const tool = defineTool({
    name: "mcp_call",
    description: "Call a tool that mcp_search has found.",
    input: Call,
    action: ({ tool: name }) => {
      const server = serverOf(name);
      // What the server says of the tool is known only once it is asked.
      return mcpAction(server?.name ?? "", name, server?.isReadOnly(name) ?? false);
    },
    async run({ tool: name, input = {} }, context): Promise<ToolOutput> {
      const server = serverOf(name);
      if (!server || !isChosen(chosen, name)) return failure(noSuchTool(name));
      const known = await find(server, name, chosen);
      if (known)
        return callServer(server, { name: known.name, arguments: input }, { context, keepBytes });
      await server.link.connection(context.signal);
      const found = await find(server, name, chosen);
      if (!found) return failure(noSuchTool(name));
      return callServer(server, { name: found.name, arguments: input }, { context, keepBytes });
    },
  });
  return {
    spec: tool.spec,
    prepare(given) {
      const { data } = Call.safeParse(given);
      if (data && (!serverOf(data.tool) || !isChosen(chosen, data.tool))) {
        return { type: "invalid", output: failure(noSuchTool(data.tool)) };
      }
      return tool.prepare(given);
    },
  };
}

async function find(
  server: MemberServer,
  name: string,
  chosen: ChosenTools,
): Promise<ServerTool | undefined> {
  return (await offered(server, chosen)).find(({ spec }) => spec.name === name);
}

function noSuchTool(name: string): string {
  return `Error: No MCP tool is named ${JSON.stringify(firstCharacters(name, 100))}. Nothing was done; find the name with mcp_search.`;
}
