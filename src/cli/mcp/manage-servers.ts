import { join } from "node:path";
import { TeamError } from "../../errors.ts";
import { systemMachine } from "../../team/system-place.ts";
import type { Arguments, Command, Io } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { resolveSettings, teamSettings } from "../settings/resolve-settings.ts";
import { type ConfiguredServer, configuredServers, transportOf } from "./configured-servers.ts";
import { addServer, removeServer } from "./own-servers.ts";

interface Call extends Pick<Arguments, "json"> {
  readonly workspace: string;
  /** The name of a server; undefined for all. */
  readonly name: string | undefined;
  /** What follows the name. */
  readonly words: readonly string[];
  readonly flags: ServerFlags;
  readonly command: Command;
}

/** What describes a server, besides its command. */
interface ServerFlags {
  readonly url?: string | undefined;
  readonly header: readonly string[];
  readonly env: readonly string[];
}

/** Carries out `troupe mcp list`, `test`, `add` or `remove`. */
export async function manageServers(action: string, call: Call, io: Io): Promise<number> {
  const { name, command } = call;
  if (action === "list" && name === undefined) return list(call, io);
  if (!["test", "add", "remove"].includes(action)) {
    throw wrongUsage(`Unexpected argument: ${name === undefined ? action : name}`, command);
  }
  if (name === undefined) throw wrongUsage("Missing argument: <server>", command);
  if (action === "test") return test(name, call, io);
  if (action === "add") {
    const path = await addServer(name, entryOf(call), io.processInfo);
    io.out(oneLine(`Added ${name} to ${path}. \`troupe mcp test ${name}\` tries it.`));
    return 0;
  }
  const path = await removeServer(name, io.processInfo);
  io.out(oneLine(`Removed ${name} from ${path}.`));
  return 0;
}

function entryOf({ words, flags, command: usage }: Call): object {
  const [command, ...args] = words;
  const { url, header, env } = flags;
  if ((command === undefined) === (url === undefined)) {
    throw wrongUsage("A server needs a command after --, or --url, and not both", usage);
  }
  if (url !== undefined) {
    if (env.length > 0) throw wrongUsage("--env is for a server with a command", usage);
    const headers = pairs("header", header, usage);
    return { type: "http", url, ...(header.length > 0 && { headers }) };
  }
  if (header.length > 0) throw wrongUsage("--header is for a server with --url", usage);
  const variables = pairs("env", env, usage);
  return {
    ...{ command, ...(args.length > 0 && { args }) },
    ...(env.length > 0 && { env: variables }),
  };
}

function pairs(option: string, given: readonly string[], command: Command): Record<string, string> {
  const entries = given.map((text) => {
    const at = text.indexOf("=");
    // The value is not in the message: it may be a secret.
    if (at < 1) throw wrongUsage(`--${option} must be <name>=<value>`, command);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}

async function list({ workspace, json }: Call, { processInfo, out }: Io): Promise<number> {
  const { servers, problems } = await configuredServers({ workspace, processInfo });
  if (json) {
    out(jsonText({ servers: servers.map(asJson), problems }, 2));
    return 0;
  }
  if (servers.length === 0)
    out("No MCP servers are configured. `troupe mcp add --help` shows how.");
  for (const server of servers) out(oneLine(lineOf(server)));
  for (const problem of problems) out(oneLine(`note: ${problem}`));
  return 0;
}

function asJson({ name, path, entry, unused, knownTools }: ConfiguredServer): object {
  return {
    ...{ name, path, transport: transportOf(entry), in_force: unused === undefined },
    ...{ reason: unused ?? null, known_tools: knownTools ?? null },
  };
}

/** One line about a server. */
function lineOf({ name, path, entry, unused, knownTools }: ConfiguredServer): string {
  const count = knownTools === 1 ? "1 tool" : `${knownTools} tools`;
  const tools = knownTools === undefined ? "tools not known yet" : count;
  const state = unused === undefined ? "in force" : `not used: ${unused}`;
  return `${name} (${transportOf(entry)}, ${tools}, ${path}): ${state}`;
}

async function test(name: string, { workspace, json, command }: Call, io: Io): Promise<number> {
  const { processInfo } = io;
  const { servers } = await configuredServers({ workspace, processInfo });
  const named = servers.filter((server) => server.name === name);
  const server = named.find(({ unused }) => unused === undefined) ?? named[0];
  if (!server || server.unused !== undefined) throw notThere(name, server, servers);
  const settings = await resolveSettings(command, { cwd: workspace }, { processInfo });
  const { env = processInfo.env, providers, sandbox = {} } = teamSettings(settings);
  const { tryMcpServer } = await import("../../team/try-mcp-server.ts");
  const keyPlace = { keyFile: undefined, stateHome: env.XDG_STATE_HOME, home: processInfo.home };
  const onWarning = (message: string) => io.err(oneLine(message));
  const answer = await tryMcpServer(
    {
      ...{ name, entry: server.entry, isOwn: server.isOwn, root: workspace },
      ...{ env, providers, sandbox },
      place: { ...systemMachine({ onWarning }), keyPlace, directory: join(workspace, ".team") },
    },
    io.signal,
  );
  const tools = answer.list.tools.map((tool) => tool.name);
  const { protocol, server: serverName, version } = answer;
  if (json) io.out(jsonText({ name, protocol, server: serverName, version, tools }, 2));
  else {
    io.out(oneLine(`${name}: ${serverName} ${version}, protocol ${protocol}`));
    io.out(oneLine(`Tools (${tools.length}): ${tools.join(", ")}`, 4_000));
  }
  return 0;
}

function notThere(
  name: string,
  found: ConfiguredServer | undefined,
  all: readonly ConfiguredServer[],
): TeamError {
  if (found) {
    const message = `The MCP server ${name} of ${found.path} is not used: ${found.unused}`;
    return new TeamError("mcp-failed", message, { hint: "`troupe mcp list` shows all." });
  }
  const names = all.map((each) => each.name).join(", ");
  return new TeamError("usage-wrong", `There is no MCP server ${name}`, {
    hint: names === "" ? "None is configured." : `There are: ${names}.`,
  });
}
