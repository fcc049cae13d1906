import { join } from "node:path";
import { TeamError } from "../../errors.ts";
import { type McpServers, readMcpServers } from "../../protocol/mcp-servers.ts";
import type { TeamOptions } from "../../team/team-options.ts";
import { oneLine } from "../render/one-line.ts";
import type { Configuration } from "./configuration.ts";
import { answerOn, type ConsentAnswer, type FileIdentity } from "./consent.ts";
import type { RepositoryFile, RepositoryPlace } from "./repository-files.ts";
import { readObjectFile } from "./settings-file.ts";

/** `.mcp.json`, the servers of a repository, as many programs read it. */
interface McpFile extends FileIdentity {
  readonly path: string;
  readonly servers: McpServers;
  /** What is wrong with it, or has no effect. */
  readonly notes: readonly string[];
  readonly answer: ConsentAnswer | undefined;
}

function mcpFilePath(workspace: string): string {
  return join(workspace, ".mcp.json");
}

/** The file of the workspace; undefined if there is none. One that cannot be used has no servers, and a note. */
export async function readMcpFile({
  workspace,
  processInfo,
}: RepositoryPlace): Promise<McpFile | undefined> {
  const path = mcpFilePath(workspace);
  try {
    const file = await readObjectFile(path);
    if (!file) return undefined;
    const { realPath, sha256, value } = file;
    const { servers, errors, notes } = readMcpServers(Reflect.get(value, "mcpServers") ?? {});
    const identity = { kind: "mcp-servers", realPath, sha256 } as const;
    const answer = await answerOn(identity, processInfo);
    const problems = [...errors, ...notes].map((note) => `${path}: ${note}`);
    return { ...identity, path, servers, notes: problems, answer };
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    const identity = { kind: "mcp-servers", realPath: path, sha256: "" } as const;
    return { ...identity, path, servers: {}, answer: undefined, notes: [error.message] };
  }
}

/** The file, if it has servers: all that it says needs consent. */
export async function findMcpFile(place: RepositoryPlace): Promise<RepositoryFile[]> {
  const file = await readMcpFile(place);
  const entries = Object.entries(file?.servers ?? {});
  if (!file || entries.length === 0) return [];
  const { kind, path, realPath, sha256, answer } = file;
  const names = entries.map(([name]) => name).join(", ");
  return [
    {
      ...{ kind, path, realPath, sha256, answer },
      needs: entries.map(([name, entry]) =>
        oneLine(`mcpServers: ${name}: ${JSON.stringify(entry)}`, Number.POSITIVE_INFINITY),
      ),
      wording: {
        asked: "would start MCP servers, or connect to them",
        trusted: "These MCP servers are used",
        untrusted: "These MCP servers are not used",
        withheld: `its MCP servers are not used: ${names}`,
      },
    },
  ];
}

/** The servers of a run, and what the person should know of them. */
export interface McpSettings extends NonNullable<TeamOptions["mcp"]> {
  readonly notes: readonly string[];
}

/** The person's own servers, and those of the repository's files that they trust. Their own are never replaced. */
export async function mcpSettings(
  configuration: Configuration,
  own: unknown,
  theirs: unknown,
  place: RepositoryPlace,
): Promise<McpSettings> {
  const mine = readMcpServers(own ?? {}).servers;
  const settings = readMcpServers(theirs ?? {}).servers;
  const file = await readMcpFile(place);
  const trusted = file?.answer === "trusted" ? file.servers : {};
  const others = { ...settings, ...trusted };
  const hidden = Object.keys(others).filter((name) => Object.hasOwn(mine, name));
  const { path } = configuration.userFile ?? {};
  return {
    servers: { ...others, ...mine },
    untrusted: Object.keys(others).filter((name) => !Object.hasOwn(mine, name)),
    notes: [
      ...(file?.notes ?? []),
      ...hidden.map(
        (name) =>
          `the MCP server ${name} of this repository is not used: ${path} has one of that name`,
      ),
    ],
  };
}
