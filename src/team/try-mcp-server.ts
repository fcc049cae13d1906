import { randomUUID } from "node:crypto";
import { TeamError } from "../errors.ts";
import { pipesDirectory } from "../keys/team-key.ts";
import { Disposables } from "../lib/disposables.ts";
import { childEnvironment, Secrets } from "../lib/secrets.ts";
import { openCommand, openRemote } from "../mcp/open-connection.ts";
import type { ServerList } from "../mcp/server-list.ts";
import { serverSecrets } from "../mcp/server-secrets.ts";
import { environmentSecrets } from "../model/environment-secrets.ts";
import {
  type ProviderConfiguration,
  providerKeyNames,
  providerKeys,
} from "../model/provider-settings.ts";
import { Pipes } from "../processes/pipes.ts";
import { Programs } from "../processes/programs.ts";
import { RunningCommands } from "../processes/running-commands.ts";
import { system } from "../protocol/ids.ts";
import { expandMcpServer, type McpServer } from "../protocol/mcp-servers.ts";
import type { TeamPlace } from "./team-place.ts";
import { type SandboxOptions, TeamSandbox } from "./team-sandbox.ts";

interface TriedServer extends ProviderConfiguration {
  readonly name: string;
  readonly entry: McpServer;
  /** Whether it is the person's own. */
  readonly isOwn: boolean;
  /** The workspace. */
  readonly root: string;
  readonly place: TeamPlace;
  readonly sandbox: SandboxOptions;
}

/** What a server says of itself. */
export interface TriedAnswer {
  /** The version of the protocol. */
  readonly protocol: string;
  readonly server: string;
  readonly version: string;
  readonly list: ServerList;
}

/**
 * Starts a server as a team would, or connects to it, asks it what it offers, and ends it. Throws `mcp-failed` where that is
 * not to be had. Secrets are masked.
 */
export async function tryMcpServer(tried: TriedServer, signal: AbortSignal): Promise<TriedAnswer> {
  const { name, entry, env } = tried;
  const ofServer = serverSecrets({ [name]: entry }, env);
  const secrets = new Secrets([...environmentSecrets(tried), ...ofServer]);
  try {
    return secrets.maskJson(await ask(tried, signal));
  } catch (error) {
    if (!(error instanceof Error) || signal.aborted) throw error;
    const message = secrets.mask(`The MCP server ${name} is not available: ${error.message}`);
    throw new TeamError("mcp-failed", message, { hint: `See mcpServers.${name}.` });
  }
}

async function ask(tried: TriedServer, signal: AbortSignal): Promise<TriedAnswer> {
  await using opened = new Disposables();
  const connection = opened.use(await connect(tried, opened, signal));
  const list = await connection.list(signal);
  const { name = "", version = "" } = connection.client.getServerVersion() ?? {};
  const protocol = connection.client.getNegotiatedProtocolVersion() ?? "unknown";
  return { protocol, server: name, version, list };
}

async function connect(tried: TriedServer, opened: Disposables, signal: AbortSignal) {
  const { entry, isOwn, root, place, env, providers, sandbox: options } = tried;
  const { clock } = place;
  const events = { signal, onChanged: () => undefined, onClosed: () => undefined };
  const keys = new Secrets(providerKeys(tried));
  // The servers of a repository get no keys of providers.
  const withoutKeys = childEnvironment(env, { names: providerKeyNames(providers), secrets: keys });
  const expanded = expandMcpServer(entry, isOwn ? env : withoutKeys);
  if ("unset" in expanded) {
    throw new Error(`its entry names variables that are not set: ${expanded.unset.join(", ")}`);
  }
  const { server } = expanded;
  if ("url" in server) return openRemote(server, { ...events, clock });
  const programs = new Programs({ path: env.PATH, workspace: root, writable: options.write });
  const directory = pipesDirectory(place.keyPlace);
  const pipes = opened.use(new Pipes({ directory, programs, clock }));
  const teamId = async () => `trial-${randomUUID()}`;
  const sandbox = opened.use(new TeamSandbox({ options, place, programs, teamId }));
  const isFree = isOwn && server.sandbox === false;
  const owner = { team: place.directory, member: "MCP servers" };
  const surroundings = {
    ...{ clock, pipes, programs, running: new RunningCommands(), owner, root, environment: env },
    sandbox: isFree ? undefined : await sandbox.of(system, { workspace: root }),
  };
  return openCommand(server, surroundings, events);
}
