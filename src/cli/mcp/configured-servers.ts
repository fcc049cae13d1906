import { join } from "node:path";
import { ListFiles } from "../../mcp/list-files.ts";
import { serverKey } from "../../mcp/server-key.ts";
import {
  expandMcpServer,
  type McpServer,
  type McpServers,
  readMcpServers,
} from "../../protocol/mcp-servers.ts";
import { readConfiguration, workspaceSettings } from "../settings/configuration.ts";
import { readMcpFile } from "../settings/mcp-file.ts";
import type { RepositoryPlace } from "../settings/repository-files.ts";
import { stateDirectory, userSettingsPath } from "../settings/standard-places.ts";

/** A server that a file defines, and whether members have it. */
export interface ConfiguredServer {
  readonly name: string;
  /** The file that defines it. */
  readonly path: string;
  readonly entry: McpServer;
  readonly isOwn: boolean;
  /** Why members do not have it; undefined if they do. */
  readonly unused: string | undefined;
  /** How many tools it had when it was last asked; undefined if it never was. */
  readonly knownTools: number | undefined;
}

export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  /** What is wrong in `.mcp.json`, or has no effect. */
  readonly problems: readonly string[];
}

interface ServerSource {
  path: string;
  servers: McpServers;
  isOwn: boolean;
  isTrusted: boolean;
}

/** All servers that files define for this workspace. The person's own come first. Throws where a settings file is wrong. */
export async function configuredServers(place: RepositoryPlace): Promise<ConfiguredServers> {
  const configuration = await readConfiguration(place.workspace, place.processInfo);
  const { userFile, workspaceFile } = configuration;
  const file = await readMcpFile(place);
  const applied = workspaceSettings(configuration).mcpServers ?? {};
  const settings = Object.entries(readMcpServers(workspaceFile?.stated.mcpServers ?? {}).servers);
  const ofSettings = (isTrusted: boolean) => ({
    ...{ path: workspaceFile?.path ?? "", isOwn: false, isTrusted },
    servers: Object.fromEntries(
      settings.filter(([name]) => Object.hasOwn(applied, name) === isTrusted),
    ),
  });
  const sources: ServerSource[] = [
    {
      ...{ path: userSettingsPath(place.processInfo), isOwn: true, isTrusted: true },
      servers: readMcpServers(userFile?.stated.mcpServers ?? {}).servers,
    },
    {
      ...{ path: file?.path ?? "", isOwn: false, isTrusted: file?.answer === "trusted" },
      servers: file?.servers ?? {},
    },
    ofSettings(true),
    ofSettings(false),
  ];
  const named = new Map<string, string>();
  const servers: ConfiguredServer[] = [];
  for (const source of sources) {
    for (const [name, entry] of Object.entries(source.servers)) {
      const { path, isOwn, isTrusted } = source;
      const unused = unusedBecause(entry, { isTrusted, first: named.get(name), place });
      if (isTrusted && !named.has(name)) named.set(name, path);
      const knownTools = await toolCount(name, entry, { isOwn, place });
      servers.push({ name, path, entry, isOwn, unused, knownTools });
    }
  }
  return { servers, problems: file?.notes ?? [] };
}

function unusedBecause(
  entry: McpServer,
  {
    isTrusted,
    first,
    place,
  }: { isTrusted: boolean; first: string | undefined; place: RepositoryPlace },
): string | undefined {
  if (!isTrusted) return "its file is not trusted: see `troupe trust --show`";
  if (first !== undefined) return `${first} has one of that name`;
  if (entry.disabled) return "it is disabled";
  const expanded = expandMcpServer(entry, place.processInfo.env);
  if ("server" in expanded) return undefined;
  return `its entry names variables that are not set: ${expanded.unset.join(", ")}`;
}

async function toolCount(
  name: string,
  entry: McpServer,
  { isOwn, place }: { isOwn: boolean; place: RepositoryPlace },
): Promise<number | undefined> {
  const files = new ListFiles(join(stateDirectory(place.processInfo), "mcp"), () => undefined);
  const root = place.workspace;
  const list = await files.known(serverKey({ name, entry, isTrusted: isOwn, root }));
  return list?.tools.length;
}

/** How a server is spoken with. */
export function transportOf(entry: McpServer): string {
  if (!("url" in entry)) return "stdio";
  return entry.type === "sse" ? "sse" : "http";
}
