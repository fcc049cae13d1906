import { existsSync } from "node:fs";
import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { stateDirectory } from "../keys/team-key.ts";
import { nearest } from "../lib/nearest.ts";
import type { MemberTools } from "../mcp/member-tools.ts";
import type { CommandSurroundings } from "../mcp/open-connection.ts";
import { serverSecrets } from "../mcp/server-secrets.ts";
import type { ChosenTools } from "../mcp/server-tools.ts";
import type { McpOptions, OpenServer, ServerUser, TeamServers } from "../mcp/team-servers.ts";
import type { EnvironmentVariables } from "../model/provider-settings.ts";
import { isMarkerOf } from "../processes/marker.ts";
import { endOrphans } from "../processes/orphans.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import { coversMcpTool, mcpServerOf } from "../protocol/mcp-tool-names.ts";
import { strictestSandbox } from "../protocol/sandbox-mode.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Equipment } from "./equipment.ts";
import type { MemberDefinition } from "./members/member-definition.ts";

interface TeamMcpOptions {
  /** The store of the team is open, and its other parts are when a server is started. */
  readonly equipment: Equipment;
  /** The servers of the team (default: none). */
  readonly options: McpOptions | undefined;
  /** The workspace of the team. */
  readonly root: string;
  /** As this process has it, with the keys of providers. */
  readonly env: EnvironmentVariables;
}

/** The MCP servers of a team. Nothing of the protocol is loaded before a member needs one. */
export class TeamMcp implements AsyncDisposable {
  readonly #given: TeamMcpOptions;
  #servers: Promise<TeamServers> | undefined;
  #ending: Promise<unknown> | undefined;

  constructor(given: TeamMcpOptions) {
    this.#given = given;
  }

  /** Ends what servers of a process that was killed have left running. */
  endOrphans(): void {
    const { equipment } = this.#given;
    const { running, place } = equipment;
    if (!this.#isUsed && !existsSync(this.#directory)) return;
    const isOrphan = (marker: string) => isMarkerOf(marker, this.#owner);
    this.#ending ??= endOrphans({ isOrphan, running, clock: place.clock }).catch((error: unknown) =>
      place.onWarning(`MCP servers that were left running could not be ended: ${String(error)}`),
    );
  }

  /** The tools by which a member uses servers; undefined where it has none. */
  async toolsFor(
    definition: MemberDefinition,
    { system: prompt, isNew }: { system: string; isNew(): Promise<boolean> },
  ): Promise<MemberTools | undefined> {
    const { equipment } = this.#given;
    const { name, tools, mcp, ofRole } = definition;
    const chosen = { only: tools, without: ofRole?.disallowed_tools ?? [] };
    for (const server of this.#missing(definition)) {
      equipment.warnOnce(
        `The MCP server ${JSON.stringify(server)} is gone, which the role of '${name}' names. It goes on without it.`,
      );
    }
    if (!this.#isUsed && Object.keys(mcp?.own ?? {}).length === 0) return undefined;
    equipment.secrets.add(serverSecrets(mcp?.own ?? {}, this.#given.env));
    const [{ MemberTools }, { ListFiles }, team] = await Promise.all([
      import("../mcp/member-tools.ts"),
      import("../mcp/list-files.ts"),
      this.#open(),
    ]);
    const servers = team
      .of(this.#userOf(definition), mcp)
      .filter((server) => mayUse(server.name, chosen));
    if (servers.length === 0) return undefined;
    const { store, place, outputFiles } = equipment;
    const { team_id: teamId } = await store.roster.read();
    const options = {
      ...{ id: `${teamId} ${name}`, system: prompt, isNew: await isNew(), servers, chosen },
      files: new ListFiles(this.#directory, place.onWarning),
      keepBytes: (file: string, bytes: Uint8Array) => outputFiles.keepBytes(file, bytes),
      announce: (server: string, content: string) => this.#announce(name, server, content),
    };
    return MemberTools.open(options, team);
  }

  /**
   * Throws `spawn-refused` where a server is missing that the member is to have, or its own has the name of another
   * one: the person's rules for that one would be for it.
   */
  require(definition: MemberDefinition): void {
    const names = this.#names;
    const doubled = Object.keys(definition.mcp?.own ?? {}).find((name) => names.includes(name));
    if (doubled !== undefined) throw sameName(doubled);
    const [server] = this.#missing(definition);
    if (server === undefined) return;
    const meant = nearest(server, names);
    const advice = meant === undefined ? "" : `Did you mean ${meant}? `;
    const known = names.length === 0 ? "There are none." : `Servers: ${names.join(", ")}.`;
    throw new TeamError(
      "spawn-refused",
      `There is no MCP server ${JSON.stringify(server)}, which the role names in mcpServers`,
      { hint: `${advice}${known} \`troupe mcp list\` shows those that need the person's consent.` },
    );
  }

  #missing({ mcp }: MemberDefinition): string[] {
    const own = mcp?.own ?? {};
    return (mcp?.names ?? []).filter(
      (name) => !this.#names.includes(name) && !Object.hasOwn(own, name),
    );
  }

  #announce(to: MemberName, server: string, content: string): void {
    const { store, place } = this.#given.equipment;
    const draft = { type: "mcp_notification", from: system, server, content } as const;
    store.send(to, draft).catch((error: unknown) => {
      if (!store.lost.aborted)
        place.onWarning(`'${to}' was not told of ${server}: ${String(error)}`);
    });
  }

  get #isUsed(): boolean {
    return this.#names.length > 0;
  }

  get #names(): string[] {
    return Object.keys(this.#given.options?.servers ?? {});
  }

  get #directory(): string {
    return join(stateDirectory(this.#given.equipment.place.keyPlace), "mcp");
  }

  /** No member has this name. */
  get #owner() {
    return { team: this.#given.equipment.layout.directory, member: "MCP servers" };
  }

  #userOf({ name, root, checkout, sandbox }: MemberDefinition): ServerUser {
    const mode = strictestSandbox(this.#given.equipment.sandbox.mode, sandbox);
    return { name, root, isApart: checkout !== undefined, sandbox: mode };
  }

  #open(): Promise<TeamServers> {
    this.#servers ??= this.#openServers();
    return this.#servers;
  }

  async #openServers(): Promise<TeamServers> {
    const { equipment, options = { servers: {} }, root, env } = this.#given;
    const { place, secrets } = equipment;
    // A server may write its token into what it says of itself.
    const onWarning = (message: string) => place.onWarning(secrets.mask(message));
    const [{ TeamServers }, { ListFiles }] = await Promise.all([
      import("../mcp/team-servers.ts"),
      import("../mcp/list-files.ts"),
    ]);
    return new TeamServers({
      ...{ ...options, root, clock: place.clock, variables: env, onWarning },
      mask: (list) => secrets.maskJson(list),
      withheld: Object.keys(env).filter((name) => equipment.environment[name] === undefined),
      files: new ListFiles(this.#directory, place.onWarning),
      open: (...given) => this.#openServer(...given),
    });
  }

  async #openServer(...[server, given, signal]: Parameters<OpenServer>): ReturnType<OpenServer> {
    const { openCommand, openRemote } = await import("../mcp/open-connection.ts");
    const { onChanged, onClosed, user } = given;
    const { clock } = this.#given.equipment.place;
    const events = { signal, onChanged, onClosed };
    if ("url" in server) return openRemote(server, { ...events, clock });
    // Its remains must not be taken for those of the process that was killed.
    await this.#ending;
    const isOwn = server.per_member === true || user.isApart;
    const isFree = server.sandbox === false && given.isTrusted;
    return openCommand(server, await this.#surroundings(user, { isOwn, isFree }), events);
  }

  async #surroundings(
    user: ServerUser,
    { isOwn, isFree }: { isOwn: boolean; isFree: boolean },
  ): Promise<CommandSurroundings> {
    const { equipment, root: teamRoot, env } = this.#given;
    const { place, pipes, programs, running } = equipment;
    const root = isOwn ? user.root : teamRoot;
    const sandbox = isFree ? undefined : await this.#sandbox(user, { isOwn, root });
    return {
      ...{ clock: place.clock, pipes, programs, running, owner: this.#owner },
      ...{ root, environment: env, sandbox },
    };
  }

  async #sandbox(
    { name, isApart, sandbox: mode }: ServerUser,
    { isOwn, root }: { isOwn: boolean; root: string },
  ): Promise<Sandbox | undefined> {
    const { sandbox, checkouts } = this.#given.equipment;
    const owner = isOwn ? name : system;
    const readable = isApart ? await checkouts.readable(name) : [];
    return sandbox.of(owner, { workspace: root, mode, ownsGit: isApart, readable });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ending;
    await (await this.#servers)?.[Symbol.asyncDispose]();
  }
}

/** Whether a member whose tools were chosen by name may have one of a server. */
function mayUse(server: string, { only, without }: ChosenTools): boolean {
  const isWhole = (name: string) => coversMcpTool(name, `mcp__${server}__`);
  const isOf = (name: string) => mcpServerOf(name) === server || isWhole(name);
  return (only?.some(isOf) ?? true) && !without.some(isWhole);
}

function sameName(server: string): TeamError {
  return new TeamError(
    "spawn-refused",
    `${JSON.stringify(server)} is the name of a server of the team, and the role defines another one in mcpServers`,
    { hint: "Give the role's server another name, or name the team's without a definition." },
  );
}
