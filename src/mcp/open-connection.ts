import { isAbsolute, resolve } from "node:path";
import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Programs } from "../processes/programs.ts";
import { ServiceProcess, type ServiceSurroundings } from "../processes/service-process.ts";
import type { McpCommandServer, McpRemoteServer } from "../protocol/mcp-servers.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { McpConnection } from "./connection.ts";
import { ProcessTransport } from "./process-transport.ts";

interface Events {
  onChanged(): void;
  onClosed(reason: string): void;
}

export interface CommandSurroundings extends Omit<ServiceSurroundings, "programs"> {
  readonly programs: Programs;
  /** The directory in which the server is started. */
  readonly root: string;
  /** Where PATH, HOME, LANG and TMPDIR come from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly sandbox: Sandbox | undefined;
}

/** Starts a server as a process, and speaks with it. All variables are in their places. */
export async function openCommand(
  server: McpCommandServer,
  surroundings: CommandSurroundings,
  { signal, ...events }: Events & { signal: AbortSignal },
): Promise<McpConnection> {
  const { clock, root, sandbox } = surroundings;
  const { parseJSONRPCMessage } = await import("@modelcontextprotocol/client");
  const cwd = resolve(root, server.cwd ?? ".");
  const argv = [
    await programOf(server.command, cwd, surroundings.programs),
    ...(server.args ?? []),
  ] as const;
  const environment = serverEnvironment(server, surroundings.environment);
  const transport = new ProcessTransport({
    start: () => ServiceProcess.start({ argv, cwd, environment, sandbox }, surroundings),
    parse: (line) => parseJSONRPCMessage(line),
  });
  const closedReason = () => transport.reason();
  return McpConnection.open({ transport, clock, closedReason, ...events }, signal);
}

async function programOf(command: string, cwd: string, programs: Programs): Promise<string> {
  if (command.includes("/")) return isAbsolute(command) ? command : resolve(cwd, command);
  const path = await programs.find(command);
  if (!path.startsWith("/nowhere/")) return path;
  throw new TeamError("mcp-failed", `there is no program ${command} in the PATH`, {
    hint: "Install it, or write its whole path.",
  });
}

const passedOn = ["PATH", "HOME", "LANG", "TMPDIR"];

function serverEnvironment(
  { env = {} }: McpCommandServer,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = passedOn.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  return { ...Object.fromEntries(passed), ...env };
}

/** Connects to a server by HTTP. */
export async function openRemote(
  server: McpRemoteServer,
  { clock, signal, ...events }: Events & { clock: Clock; signal: AbortSignal },
): Promise<McpConnection> {
  const { remoteTransport } = await import("./remote-transport.ts");
  const { transport, closedReason } = await remoteTransport(server);
  return McpConnection.open({ transport, clock, closedReason, ...events }, signal);
}
