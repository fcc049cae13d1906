import { createHash } from "node:crypto";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { Tool } from "../tools/tool.ts";
import { directTool } from "./direct-tool.ts";
import type { ListFiles } from "./list-files.ts";
import { readTool } from "./read-tool.ts";
import { searchTools } from "./search-tools.ts";
import { listDigest, type ServerList } from "./server-list.ts";
import { type ChosenTools, isChosen, type ServerTool, serverTools } from "./server-tools.ts";
import type { KeepBytes } from "./shown-content.ts";
import type { MemberServer, TeamServers } from "./team-servers.ts";

/** With more tools, or with longer descriptions, a member finds them by a search instead. */
const directLimits = { tools: 30, bytes: 8_192 } as const;

interface MemberToolsOptions {
  /** The team and the member, by which its lists are kept. */
  readonly id: string;
  /** Its system prompt: with another one, nothing is cached anyway, and its tools may change. */
  readonly system: string;
  /** True for one that has no conversation yet. */
  readonly isNew: boolean;
  readonly servers: readonly MemberServer[];
  /** Those that it has of all tools. */
  readonly chosen: ChosenTools;
  readonly files: ListFiles;
  readonly keepBytes: KeepBytes;
  /** Tells it of a server that has come, or has other tools. */
  readonly announce: (server: string, text: string) => void;
}

/** The tools by which one member uses the servers. They stay the same for its life. */
export class MemberTools implements Disposable {
  readonly tools: readonly Tool[];
  readonly #options: MemberToolsOptions;
  readonly #stop: () => void;
  /** The list of each server that the member knows of. */
  readonly #told: Map<string, string>;

  private constructor(
    options: MemberToolsOptions,
    lists: Readonly<Record<string, ServerList | null>>,
    team: Pick<TeamServers, "onList">,
  ) {
    const { servers, chosen, keepBytes } = options;
    this.#options = options;
    const all = servers.map((server) => ({ server, tools: toolsOf(server, lists, chosen) }));
    const direct = directTools(all);
    this.tools = [
      ...direct.map(({ server, tool }) => directTool(server, tool, keepBytes)),
      ...(servers.length > 0 ? searchTools({ servers, chosen, keepBytes }) : []),
      ...(servers.some(({ name }) => mayRead(lists[name]))
        ? [readTool({ servers, keepBytes })]
        : []),
    ];
    this.#told = new Map(
      servers.map(({ name }) => [name, lists[name] ? listDigest(lists[name]) : ""]),
    );
    this.#stop = team.onList((name, list) => this.#tell(name, list));
  }

  static async open(
    options: MemberToolsOptions,
    team: Pick<TeamServers, "onList">,
  ): Promise<MemberTools> {
    const { servers } = options;
    const lists = await listsFor(options);
    for (const server of servers) {
      // One that nobody has asked yet is asked now, and nobody waits for it.
      if (!(await server.known())) server.link.prepare();
    }
    return new MemberTools(options, lists, team);
  }

  #tell(name: string, list: ServerList): void {
    const before = this.#told.get(name);
    const digest = listDigest(list);
    if (before === undefined || before === digest) return;
    this.#told.set(name, digest);
    const count = list.tools.length === 1 ? "1 tool" : `${list.tools.length} tools`;
    const what = before === "" ? "is available" : "offers something else than before";
    this.#options.announce(
      name,
      `The MCP server ${name} ${what}: it has ${count}. Find them with mcp_search, and call them with mcp_call.`,
    );
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}

/** What the member was given before, or what is known now where nothing depends on that. */
async function listsFor({
  id,
  system,
  isNew,
  servers,
  files,
}: MemberToolsOptions): Promise<Record<string, ServerList | null>> {
  const basis = createHash("sha256")
    .update(canonicalJson([system, servers.map(({ name, key }) => [name, key])]))
    .digest("hex");
  const before = isNew ? undefined : await files.ofMember(id);
  if (before?.basis === basis) return before.lists;
  const known = await Promise.all(
    servers.map(async (server) => [server.name, (await server.known()) ?? null] as const),
  );
  const lists = Object.fromEntries(known);
  await files.keepOfMember(id, { basis, lists });
  return lists;
}

function toolsOf(
  { name, entry, isTrusted }: MemberServer,
  lists: Readonly<Record<string, ServerList | null>>,
  chosen: ChosenTools,
): ServerTool[] {
  const tools = lists[name]?.tools ?? [];
  return serverTools(name, { entry, tools, isTrusted }).filter(({ spec }) =>
    isChosen(chosen, spec.name),
  );
}

interface DirectTool {
  server: MemberServer;
  tool: ServerTool;
}

/** All that can be given directly, if they are few; else those of the servers that are always to be. */
function directTools(
  all: readonly { server: MemberServer; tools: readonly ServerTool[] }[],
): DirectTool[] {
  const plain = all.flatMap(({ server, tools }) =>
    tools.filter(({ isPlain }) => isPlain).map((tool) => ({ server, tool })),
  );
  const bytes = plain.reduce(
    (sum, { tool }) => sum + Buffer.byteLength(JSON.stringify(tool.spec)),
    0,
  );
  const areFew = plain.length <= directLimits.tools && bytes <= directLimits.bytes;
  return areFew ? plain : plain.filter(({ server }) => server.entry.alwaysLoad === true);
}

/** True also where nobody knows yet. */
function mayRead(list: ServerList | null | undefined): boolean {
  return !list || list.hasResources || list.hasPrompts;
}
