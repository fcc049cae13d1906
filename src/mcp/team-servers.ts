import { TeamError } from "../errors.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemberName } from "../protocol/ids.ts";
import {
  expandMcpServer,
  type McpServer,
  type McpServers,
  type ServerVariables,
} from "../protocol/mcp-servers.ts";
import type { SandboxMode } from "../protocol/sandbox-mode.ts";
import type { McpConnection } from "./connection.ts";
import type { ListFiles } from "./list-files.ts";
import { serverKey } from "./server-key.ts";
import { ServerLink, type ServerLinkOptions } from "./server-link.ts";
import { listDigest, type ServerList } from "./server-list.ts";
import { serverTools } from "./server-tools.ts";

/** The servers of a team. */
export interface McpOptions {
  /** By name, as in a `.mcp.json`. */
  servers: McpServers;
  /**
   * The names of those that are not the person's own: what they say of their tools permits nothing, and they
   * get no keys of providers (default: none).
   */
  untrusted?: readonly string[] | undefined;
}

/** What decides which process of a server a member has. */
export interface ServerUser {
  readonly name: MemberName;
  /** Its workspace. */
  readonly root: string;
  /** Whether that is its own, in which nobody else works. */
  readonly isApart: boolean;
  /** Whether the server runs in a sandbox. */
  readonly sandbox: SandboxMode;
}

/** How a server is opened once its variables are in their places. */
export type OpenServer = (
  server: McpServer,
  given: { isTrusted: boolean; user: ServerUser } & Parameters<ServerLinkOptions["open"]>[0],
  signal: AbortSignal,
) => Promise<McpConnection>;

interface TeamServersOptions extends McpOptions {
  /** The workspace of the team. */
  readonly root: string;
  readonly clock: Clock;
  readonly variables: ServerVariables;
  /** Variables that servers which are not the person's own do not get. */
  readonly withheld: readonly string[];
  readonly files: ListFiles;
  readonly open: OpenServer;
  readonly onWarning: (message: string) => void;
  /** Replaces the secrets that no list may have. */
  readonly mask: (list: ServerList) => ServerList;
}

/** A server for one member: what is known of it, and the connection with it. */
export interface MemberServer {
  readonly name: string;
  readonly entry: McpServer;
  readonly isTrusted: boolean;
  readonly link: ServerLink;
  /** Another text for another definition. */
  readonly key: string;
  /** What it offers, as far as anybody has asked it. */
  known(): Promise<ServerList | undefined>;
  /** Whether a tool changes nothing, as far as the server is trusted and its list is at hand. */
  isReadOnly(shownName: string): boolean;
}

interface UsedServer {
  entry: McpServer;
  isTrusted: boolean;
  user: ServerUser;
  /** Whether this member alone has it. */
  isOwn: boolean;
}

/** Called when a server's list is not the one that was known before. */
export type ListListener = (server: string, list: ServerList) => void;

/** All servers of a team, each of which is started when a member first needs it. */
export class TeamServers implements AsyncDisposable {
  readonly #options: TeamServersOptions;
  readonly #links = new Map<string, ServerLink>();
  readonly #lists = new Map<string, ServerList>();
  readonly #listeners = new Set<ListListener>();

  constructor(options: TeamServersOptions) {
    this.#options = options;
  }

  get names(): string[] {
    const { servers } = this.#options;
    return Object.keys(servers).filter((name) => !servers[name]?.disabled);
  }

  /** Those of these names that there are (default: all), for one member, and those that it alone has. */
  of(
    user: ServerUser,
    { names = this.names, own = {} }: { names?: readonly string[]; own?: McpServers } = {},
  ): MemberServer[] {
    const { servers, untrusted = [] } = this.#options;
    const shared = this.names
      .filter((name) => names.includes(name) && !Object.hasOwn(own, name))
      .flatMap((name) => {
        const entry = servers[name];
        const isTrusted = !untrusted.includes(name);
        return entry ? [this.#memberServer(name, { entry, isTrusted, user, isOwn: false })] : [];
      });
    // A role is a text of somebody: what its servers say of themselves permits nothing.
    const others = Object.entries(own).map(([name, entry]) =>
      this.#memberServer(name, { entry, isTrusted: false, user, isOwn: true }),
    );
    return [...shared, ...others];
  }

  /** Resolves to how to stop listening. */
  onList(listener: ListListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #memberServer(name: string, used: UsedServer): MemberServer {
    const { root, files } = this.#options;
    const { entry, isTrusted } = used;
    const key = serverKey({ name, entry, isTrusted, root });
    const link = this.#link(name, key, used);
    const known = async () => {
      const list = this.#lists.get(key) ?? (await files.known(key));
      if (list && !this.#lists.has(key)) this.#lists.set(key, list);
      return this.#lists.get(key);
    };
    const isReadOnly = (shownName: string) => {
      const { tools = [] } = this.#lists.get(key) ?? {};
      const all = serverTools(name, { entry, tools, isTrusted });
      return all.some(({ spec, readOnly }) => readOnly && spec.name === shownName);
    };
    return { name, entry, isTrusted, link, key, known, isReadOnly };
  }

  #link(name: string, key: string, { entry, isTrusted, user, isOwn }: UsedServer): ServerLink {
    const id = `${name} ${isOwn ? user.name : ""} ${scopeOf(entry, user)}`;
    const existing = this.#links.get(id);
    if (existing) return existing;
    const { clock, open, onWarning } = this.#options;
    const link = new ServerLink({
      name,
      clock,
      open: async (events, signal) =>
        open(this.#expanded(name, entry, isTrusted), { ...events, isTrusted, user }, signal),
      onList: (list) => this.#take(name, key, this.#options.mask(list)),
      onTrouble: (reason) => onWarning(`The MCP server ${name} is not available: ${reason}`),
    });
    this.#links.set(id, link);
    return link;
  }

  #expanded(name: string, entry: McpServer, isTrusted: boolean): McpServer {
    const { variables, withheld } = this.#options;
    const given = isTrusted
      ? variables
      : Object.fromEntries(Object.entries(variables).filter(([it]) => !withheld.includes(it)));
    const expanded = expandMcpServer(entry, given);
    if ("server" in expanded) return expanded.server;
    const kept = expanded.unset.filter((it) => variables[it] !== undefined);
    const problem =
      kept.length > 0
        ? `${kept.join(", ")} is a provider's key, which no server of a repository's file gets`
        : `its entry names variables that are not set: ${expanded.unset.join(", ")}`;
    throw new TeamError("mcp-failed", problem, { hint: `See mcpServers.${name}.` });
  }

  #take(name: string, key: string, list: ServerList): void {
    const { files, onWarning } = this.#options;
    this.#keep(name, key, list, files).catch((error: unknown) =>
      onWarning(`The list of the MCP server ${name} could not be kept: ${String(error)}`),
    );
  }

  async #keep(name: string, key: string, list: ServerList, files: ListFiles): Promise<void> {
    const before = this.#lists.get(key) ?? (await files.known(key));
    this.#lists.set(key, list);
    if (before && listDigest(before) === listDigest(list)) return;
    for (const listener of this.#listeners) listener(name, list);
    await files.keepKnown(key, list);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await Promise.all([...this.#links.values()].map((link) => link[Symbol.asyncDispose]()));
  }
}

/** Members with the same scope share a process. One that works apart must not work elsewhere by a server. */
function scopeOf(entry: McpServer, { name, root, isApart, sandbox }: ServerUser): string {
  if ("url" in entry) return "";
  const isOwn = entry.per_member === true || isApart;
  return canonicalJson([isOwn ? name : "", isApart ? root : "", sandbox]);
}
