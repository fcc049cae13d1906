/** The tools by which members use MCP servers. */
export const mcpToolNames = ["mcp_search", "mcp_call", "mcp_read"] as const;

/** What the name of every tool of an MCP server begins with. */
const prefix = "mcp__";

/** A tool of a server, by the names that models and rules have for them. */
export interface McpToolReference {
  readonly server: string;
  readonly tool: string;
}

/** The name of a server's tool, for models and rules. The names of servers have no `__`, so it is of one server alone. */
export function mcpToolName({ server, tool }: McpToolReference): string {
  return `${prefix}${server}__${tool}`;
}

/** True for the names of tools of MCP servers, and for patterns of such names in rules. */
export function isMcpToolName(name: string): boolean {
  return name.startsWith(prefix);
}

/** The server of a tool or of a pattern; undefined for other names, and for a pattern that ends within the name of the server. */
export function mcpServerOf(name: string): string | undefined {
  if (!isMcpToolName(name)) return undefined;
  const [server = ""] = name.slice(prefix.length).split("__", 1);
  return server.endsWith("*") ? undefined : server;
}

/**
 * True if `pattern` covers the tool: its name, a beginning of it and `*`, or the name of its server alone, such as
 * `mcp__github__get_issue`, `mcp__github__*` or `mcp__github`.
 */
export function coversMcpTool(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  if (!isMcpToolName(pattern)) return false;
  if (pattern.endsWith("*")) return name.startsWith(pattern.slice(0, -1));
  const isServer = !pattern.slice(prefix.length).includes("__");
  return isServer && name.startsWith(`${pattern}__`);
}

/** True for one of these names, or for a tool that they cover. */
export function isToolAmong(names: readonly string[], name: string): boolean {
  return names.some((each) => coversMcpTool(each, name));
}
