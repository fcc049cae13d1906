import { z } from "zod";

/** The name of a server. Without `__`, so that the name of a tool says which server it is of. */
const McpServerName = z
  .string()
  .max(24)
  .regex(/^[a-z0-9-]+(_[a-z0-9-]+)*$/);

const serverNameRule =
  "a server's name has 1 to 24 of a-z, 0-9, - and _, with letters or digits around each _";

/** What both kinds of servers have. */
export interface McpServerFields {
  /** How long one call may take, in seconds, even if it reports progress. */
  timeout_s?: number | undefined;
  /** The names of the tools that members have (default: all). */
  tools?: string[] | undefined;
  /** Gives its tools directly, however many there are. */
  alwaysLoad?: boolean | undefined;
  /** Leaves it out. */
  disabled?: boolean | undefined;
}

const common = () => ({
  timeout_s: z.number().positive().max(86_400).optional(),
  tools: z.array(z.string().min(1)).optional(),
  alwaysLoad: z.boolean().optional(),
  disabled: z.boolean().optional(),
});

/** A server that is started as a process, and speaks on its standard input and output. */
export interface McpCommandServer extends McpServerFields {
  /** May be left out. */
  type?: "stdio" | undefined;
  /** The program. */
  command: string;
  /** Its arguments (default: none). */
  args?: string[] | undefined;
  /** Variables beside PATH, HOME, LANG and TMPDIR. */
  env?: Record<string, string> | undefined;
  /** The directory it is started in (default: the workspace). */
  cwd?: string | undefined;
  /** Starts one process for each member, rather than one for the team. */
  per_member?: boolean | undefined;
  /** `false` starts it outside the sandbox. It counts only in the person's own file. */
  sandbox?: boolean | undefined;
}
export const McpCommandServer = z.object({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().min(1).optional(),
  per_member: z.boolean().optional(),
  sandbox: z.boolean().optional(),
  ...common(),
}) satisfies z.ZodType<McpCommandServer>;

/** A server that is reached by HTTP. */
export interface McpRemoteServer extends McpServerFields {
  /** How it is spoken with; `streamable-http` is another word for `http`. */
  type: "http" | "streamable-http" | "sse";
  /** Where it is. */
  url: string;
  /** Headers of each request (default: none). */
  headers?: Record<string, string> | undefined;
}
export const McpRemoteServer = z.object({
  type: z.enum(["http", "streamable-http", "sse"]),
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
  ...common(),
}) satisfies z.ZodType<McpRemoteServer>;

/** One entry of `mcpServers`, as it stands in a file. */
export type McpServer = McpCommandServer | McpRemoteServer;
export const McpServer = z.union([
  McpCommandServer,
  McpRemoteServer,
]) satisfies z.ZodType<McpServer>;

/** The servers of one source, by name. */
export type McpServers = Record<string, McpServer>;
export const McpServers = z.record(McpServerName, McpServer) satisfies z.ZodType<McpServers>;

/** The most servers of one source. */
const maxMcpServers = 100;

/** What was read of an `mcpServers` object. */
export interface ReadMcpServers {
  readonly servers: McpServers;
  /** What is wrong with the entries that are not in `servers`, each with the name of its server. */
  readonly errors: readonly string[];
  /** Fields that have no effect, each with the name of its server. */
  readonly notes: readonly string[];
}

/** Reads the value of `mcpServers`. An entry that is wrong is left out, and harms no other. */
export function readMcpServers(given: unknown): ReadMcpServers {
  const entries = z.record(z.string(), z.unknown()).safeParse(given);
  if (!entries.success) {
    const error = "mcpServers must be an object with one entry for each server";
    return { servers: {}, errors: [error], notes: [] };
  }
  const servers: McpServers = {};
  const errors: string[] = [];
  const notes: string[] = [];
  const named = Object.entries(entries.data);
  if (named.length > maxMcpServers) {
    errors.push(`mcpServers has ${named.length} servers; only the first ${maxMcpServers} count`);
  }
  for (const [name, entry] of named.slice(0, maxMcpServers)) {
    const read = readEntry(name, entry);
    if ("problem" in read) errors.push(`mcpServers.${shortName(name)}: ${read.problem}`);
    else {
      servers[name] = read.server;
      notes.push(...read.unknown.map((field) => `mcpServers.${name}: ${field} has no effect`));
    }
  }
  return { servers, errors, notes };
}

type ReadEntry = { server: McpServer; unknown: string[] } | { problem: string };

/** The transport decides which fields there are, so that an error is about the right ones. */
function readEntry(name: string, given: unknown): ReadEntry {
  if (!McpServerName.safeParse(name).success) return { problem: serverNameRule };
  const entry = z.record(z.string(), z.unknown()).safeParse(given);
  if (!entry.success) return { problem: "must be an object with a command or a url" };
  const { type, command, url } = entry.data;
  if (command !== undefined && url !== undefined) {
    return { problem: "has a command and a url; a server has only one of them" };
  }
  if (type === "ws") return { problem: "the type ws is not supported; use http" };
  if (type === undefined && command === undefined && url === undefined) {
    return { problem: "needs a command, or a url" };
  }
  const isRemote = url !== undefined || (type !== undefined && type !== "stdio");
  if (!isRemote) return parsed(McpCommandServer, entry.data);
  return parsed(McpRemoteServer, { type: "http", ...entry.data });
}

function parsed(
  schema: typeof McpCommandServer | typeof McpRemoteServer,
  entry: Readonly<Record<string, unknown>>,
): ReadEntry {
  const { data, error } = schema.safeParse(entry);
  if (error) return { problem: error.issues.map(issueText).join("; ") };
  const unknown = Object.keys(entry).filter((field) => !(field in schema.shape));
  return { server: data, unknown: unknown.map(shortName) };
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length > 0 ? `${path.join(".")}: ${message}` : message;
}

/** A name out of a file, as it can stand in a line. */
function shortName(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** The values of variables, as a process has them. */
export type ServerVariables = Readonly<Record<string, string | undefined>>;

/**
 * The server with `${VAR}` and `${VAR:-x}` replaced in its command, arguments, environment, directory, address
 * and headers; or the names of the variables that are not set and have no default.
 */
export function expandMcpServer(
  server: McpServer,
  variables: ServerVariables,
): { server: McpServer } | { unset: string[] } {
  const unset = new Set<string>();
  const expand = (text: string) => expandText(text, variables, unset);
  const expanded = "url" in server ? expandRemote(server, expand) : expandCommand(server, expand);
  return unset.size > 0 ? { unset: [...unset] } : { server: expanded };
}

/** The variables that a server's entry names. */
export function variablesIn(server: McpServer): string[] {
  const names = [...JSON.stringify(server).matchAll(reference)].map(([, name]) => name ?? "");
  return [...new Set(names)];
}

function expandCommand(
  server: McpCommandServer,
  expand: (text: string) => string,
): McpCommandServer {
  return {
    ...server,
    command: expand(server.command),
    ...(server.args && { args: server.args.map(expand) }),
    ...(server.env && { env: mapValues(server.env, expand) }),
    ...(server.cwd !== undefined && { cwd: expand(server.cwd) }),
  };
}

function expandRemote(server: McpRemoteServer, expand: (text: string) => string): McpRemoteServer {
  return {
    ...server,
    url: expand(server.url),
    ...(server.headers && { headers: mapValues(server.headers, expand) }),
  };
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, change(text)]));
}

/** A default has no `}`, and no variables of its own. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function expandText(text: string, variables: ServerVariables, unset: Set<string>): string {
  return text.replace(reference, (_, name: string, fallback: string | undefined) => {
    // As in a shell, an empty variable has the default, too.
    const value = variables[name] || fallback || variables[name];
    if (value === undefined && fallback === undefined) unset.add(name);
    return value ?? "";
  });
}
