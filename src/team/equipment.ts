import { dirname } from "node:path";
import { Budget, type BudgetLimits } from "../agent/bill.ts";
import type { HookSource } from "../hooks/command-hooks.ts";
import { dashboardsDirectory, headPath, pipesDirectory, teamKeyPath } from "../keys/team-key.ts";
import { Disposables } from "../lib/disposables.ts";
import { childEnvironment, Secrets } from "../lib/secrets.ts";
import { serverSecrets } from "../mcp/server-secrets.ts";
import type { McpOptions } from "../mcp/team-servers.ts";
import { environmentSecrets, telemetryHeaderNames } from "../model/environment-secrets.ts";
import type { OwnModels } from "../model/model-facts.ts";
import type { ModelsOptions } from "../model/models.ts";
import type { ProviderDefinitions } from "../model/provider-definitions.ts";
import {
  type EnvironmentVariables,
  providerKeyNames,
  providerKeys,
} from "../model/provider-settings.ts";
import type { Recording } from "../model/recording.ts";
import type { RequestApprovals } from "../permissions/approvals.ts";
import { commandEnvironment } from "../permissions/command-environment.ts";
import { secretsNamedBy } from "../permissions/home-secrets.ts";
import { type CommandOwner, isMarkerOf, isMarkerOfTeam } from "../processes/marker.ts";
import { endOrphans } from "../processes/orphans.ts";
import { OutputFiles } from "../processes/output-files.ts";
import { Pipes } from "../processes/pipes.ts";
import { Programs } from "../processes/programs.ts";
import { RunningCommands } from "../processes/running-commands.ts";
import { lead, type MemberName } from "../protocol/ids.ts";
import { ownTool } from "../tools/own-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { WebAccess } from "../tools/web-fetch.ts";
import { ChangeKeepers } from "../workspace/change-keepers.ts";
import { FileLocks } from "../workspace/file-locks.ts";
import { SharedFiles } from "../workspace/shared-files.ts";
import { askHost } from "./ask-host.ts";
import { FileTeamStore } from "./file-team-store.ts";
import type { CommandTeamHooks } from "./hooks/command-team-hooks.ts";
import type { TeamHooks } from "./hooks/team-hooks.ts";
import { ImageFiles } from "./image-files.ts";
import { type CheckoutOptions, MemberCheckouts } from "./member-checkouts.ts";
import type { GuidanceOptions } from "./member-guidance.ts";
import type { OwnSystemPrompt } from "./member-prompt.ts";
import type { LeadSettings, MemberDefinition } from "./members/member-definition.ts";
import type { ModelAliases } from "./roles/role-model.ts";
import { type RolesOption, TeamRoles } from "./roles/team-roles.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import { TeamMcp } from "./team-mcp.ts";
import { type OpenModel, TeamModels } from "./team-models.ts";
import type { TeamPlace } from "./team-place.ts";
import { type SandboxOptions, TeamSandbox } from "./team-sandbox.ts";
import type { TeamStore } from "./team-store.ts";

export interface EquipmentOptions {
  place: TeamPlace;
  /** The workspace, from which no program is taken that troupe itself starts. */
  cwd: string;
  env: EnvironmentVariables;
  /** Providers of models beside the built-in ones, by name. */
  providers?: ProviderDefinitions | undefined;
  /** What all members together may spend. */
  budget?: BudgetLimits;
  /** Prices and limits of models, by id or its beginning, before those of the built-in table. */
  models?: OwnModels | undefined;
  /** How many tokens a reply may have (default: 32,000, or what the model allows). */
  maxOutputTokens?: number | undefined;
  /** How long to wait for providers, how often, and how much to ask of them at once. */
  provider?: Pick<ModelsOptions, "watchdogs" | "maxInFlight" | "maxAttempts" | "fallbackAfterMs">;
  /** A new file that keeps what the models answer. */
  recordTo?: string | undefined;
  /** Sets the team that is in the directory aside, and begins a new one. */
  fresh?: boolean;
  /** Makes a team that is not the person's their own; else opening it throws `team-foreign`. */
  takeOver?: boolean;
  /** Where the team is kept (default: files in its directory). */
  store?: TeamStore;
  /** Makes the model of a member (default: the providers of the AI SDK). */
  openModel?: OpenModel;
  /** Tools for members beside troupe's own. */
  tools?: readonly Tool[];
  /**
   * Functions that see what members do, and may prevent or change it: calls before and after they are run, requests to models, and
   * spawns. Permission rules of a program, too.
   */
  hooks?: TeamHooks;
  /**
   * Commands that run at events of the team, as `hooks` in a settings file has them; read them with `readHooks`. Where `hooks` decide about the same,
   * the stricter answer counts.
   */
  commandHooks?: readonly HookSource[] | undefined;
  /** What confines the commands of members (default: nothing, they run as the person). */
  sandbox?: SandboxOptions | undefined;
  /** Repositories of their own for teammates (default: they work in the lead's directory). */
  checkouts?: CheckoutOptions | undefined;
  /** The person's own guidance for members (default: they have only the repository's). */
  guidance?: GuidanceOptions | undefined;
  /** MCP servers whose tools members have (default: none). */
  mcp?: McpOptions | undefined;
  /** Roles for teammates and for the lead: from files, by `new RoleFiles`, or as they are (default: none). */
  roles?: RolesOption | undefined;
  /** Names for models in roles, each for an id (default: `sonnet`, `opus` and `haiku`, where the lead's model is Anthropic's). */
  modelAliases?: ModelAliases | undefined;
  /** Replaces the built-in text of members' system prompts. */
  systemPrompt?: OwnSystemPrompt;
  /** How an unanswered question to the person ends. */
  approvals?: ApprovalOptions | undefined;
}

export type ApprovalOptions = Omit<
  NonNullable<ConstructorParameters<typeof RequestApprovals>[1]>,
  "clock"
>;

interface EquipmentParts {
  store: TeamStore;
  /** What must not be stored or shown. */
  secrets: Secrets;
  /** The secrets that no command may have in its environment. */
  keys: Secrets;
  recording: Recording | undefined;
}

/** All that the members of a team share: store, models, budget, and the environment of tools. */
export class Equipment implements AsyncDisposable {
  readonly place: TeamPlace;
  readonly layout: TeamLayout<string>;
  /** The workspace of the lead. */
  readonly cwd: string;
  readonly store: TeamStore;
  readonly models: TeamModels;
  readonly budget: Budget;
  readonly secrets: Secrets;
  readonly tools: readonly Tool[];
  readonly systemPrompt: OwnSystemPrompt | undefined;
  readonly #programHooks: TeamHooks;
  readonly #hookSources: readonly HookSource[];
  #commandHooks: CommandTeamHooks | undefined;
  #hooks: TeamHooks;
  readonly guidance: GuidanceOptions;
  readonly roles: TeamRoles;
  readonly approvals: ApprovalOptions;
  readonly outputFiles: OutputFiles;
  readonly imageFiles: ImageFiles;
  readonly pipes: Pipes;
  readonly sandbox: TeamSandbox;
  readonly checkouts: MemberCheckouts;
  readonly programs: Programs;
  readonly mcp: TeamMcp;
  /** Gets pages of the web for members. */
  readonly web: WebAccess;
  readonly running = new RunningCommands();
  readonly fileLocks = new FileLocks();
  readonly sharedFiles = new SharedFiles();
  readonly changes: ChangeKeepers;
  /** Of every command that a member runs: without provider keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #budgets = new Map<MemberName, Budget>();
  readonly #opened: Disposables;
  readonly #warned = new Set<string>();

  private constructor(options: EquipmentOptions, parts: EquipmentParts) {
    const { place, env, providers, budget = {}, provider = {} } = options;
    const { store, secrets, recording } = parts;
    this.place = place;
    this.cwd = options.cwd;
    this.layout = teamLayout(place.directory);
    this.#opened = new Disposables();
    this.store = this.#opened.use(store);
    const { clock } = place;
    this.models = new TeamModels({
      ...{ clock, recording, provider, providers: { env, providers } },
      ...{ ownModels: options.models, maxOutputTokens: options.maxOutputTokens },
      ...{ openModel: options.openModel, onWarning: (message) => place.onWarning(message) },
    });
    this.tools = (options.tools ?? []).map((tool) => ownTool(tool, clock));
    this.systemPrompt = options.systemPrompt;
    this.#programHooks = options.hooks ?? {};
    this.#hookSources = options.commandHooks ?? [];
    this.#hooks = this.#programHooks;
    this.guidance = options.guidance ?? {};
    this.roles = new TeamRoles({ roles: options.roles, aliases: options.modelAliases });
    this.approvals = options.approvals ?? {};
    this.budget = new Budget("The team's", budget);
    this.secrets = secrets;
    this.changes = new ChangeKeepers(store.history, secrets);
    const { outputs: directory } = this.layout;
    this.outputFiles = new OutputFiles({ directory, secrets: this.secrets });
    this.imageFiles = new ImageFiles(this.layout.images);
    this.environment = commandEnvironment(
      // A proxy's password stays: commands need the proxy, too.
      childEnvironment(env, {
        names: [...providerKeyNames(providers), ...telemetryHeaderNames],
        secrets: parts.keys,
      }),
    );
    this.web = lateWeb(env);
    this.programs = new Programs({
      ...{ path: this.environment.PATH, workspace: options.cwd, writable: options.sandbox?.write },
    });
    this.pipes = this.#opened.use(
      new Pipes({ directory: pipesDirectory(place.keyPlace), programs: this.programs, clock }),
    );
    this.checkouts = this.#opened.use(
      new MemberCheckouts({
        ...{ equipment: this, options: options.checkouts ?? {}, root: options.cwd },
      }),
    );
    this.sandbox = this.#opened.use(
      new TeamSandbox({
        ...{ options: options.sandbox ?? {}, place, programs: this.programs },
        checkouts: options.checkouts?.directory,
        credentials: secretsNamedBy(env),
        teamId: async () => (await store.roster.read()).team_id,
        askHost: this.approvals.unattended
          ? undefined
          : (member, host, signal) => askHost(this, { member, host, signal }),
      }),
    );
    const { mcp, cwd: root } = options;
    this.mcp = this.#opened.use(new TeamMcp({ equipment: this, options: mcp, root, env }));
  }

  /** Throws `lead-alive` while another process has the team, and `sandbox-missing` where a sandbox is required. */
  static async open(options: EquipmentOptions): Promise<Equipment> {
    const equipment = await Equipment.#make(options);
    try {
      await equipment.sandbox.check();
      if (equipment.#hookSources.length > 0) await equipment.openCommandHooks();
      return equipment;
    } catch (error) {
      await equipment[Symbol.asyncDispose]();
      throw error;
    }
  }

  static async #make(options: EquipmentOptions): Promise<Equipment> {
    const { place, recordTo } = options;
    const keys = new Secrets(providerKeys(options));
    const { env, mcp } = options;
    const ofServers = serverSecrets(mcp?.servers ?? {}, env);
    const secrets = new Secrets([...environmentSecrets(options), ...ofServers]);
    const store = options.store ?? (await FileTeamStore.open(place, options));
    try {
      // Last, so that no recording is begun of a run that never is.
      const recording = recordTo ? await startRecording(recordTo, secrets) : undefined;
      return new Equipment(options, { store, secrets, keys, recording });
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The functions of the program, and the commands that are hooks. */
  get hooks(): TeamHooks {
    return this.#hooks;
  }

  /** The commands that are hooks, where there are any. */
  get commandHooks(): CommandTeamHooks | undefined {
    return this.#commandHooks;
  }

  /** Whether hooks decide about the calls of a member, and so may permit any that creates files. */
  hasOwnPolicy({ hooks }: Pick<MemberDefinition, "hooks">): boolean {
    const isOfRole = hooks?.configuration.PreToolUse !== undefined;
    const isOfProgram = this.#programHooks.beforeCall !== undefined;
    return isOfProgram || isOfRole || (this.#commandHooks?.has("PreToolUse") ?? false);
  }

  /** Makes hooks ready that are commands. Their code is loaded only where there are some. */
  async openCommandHooks(): Promise<CommandTeamHooks> {
    const [{ openCommandHooks }, { combineHooks }] = await Promise.all([
      import("./hooks/open-command-hooks.ts"),
      import("./hooks/combine-hooks.ts"),
    ]);
    this.#commandHooks ??= openCommandHooks(this, this.#hookSources);
    this.#hooks = combineHooks(this.#programHooks, this.#commandHooks);
    return this.#commandHooks;
  }

  /** The budget of a member's name: what it has spent counts, however often it is spawned. */
  budgetOf(name: MemberName, limits: BudgetLimits): Budget {
    const known = this.#budgets.get(name) ?? new Budget(`${name}'s`, limits);
    known.limit(limits);
    this.#budgets.set(name, known);
    return known;
  }

  /** Warns the person of what every member that is opened would find again. */
  warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.place.onWarning(message);
  }

  /** Makes ready what is slow when it is used for the first time. */
  async warmUp(lead: LeadSettings): Promise<void> {
    this.pipes.prepare();
    await this.models.warmUp(lead);
  }

  commandOwner(member: MemberName): CommandOwner {
    return { team: this.layout.directory, member };
  }

  /** Ends what commands of a process that was killed have left running: one member's, or all. */
  async endOrphans(member?: MemberName): Promise<void> {
    const { place, running, layout } = this;
    const count = await endOrphans({
      isOrphan: (marker) =>
        member
          ? isMarkerOf(marker, this.commandOwner(member))
          : isMarkerOfTeam(marker, layout.directory),
      running,
      clock: place.clock,
    });
    if (count > 0) place.onWarning(endedOrphans(count, member));
  }

  /** The directories of the team's key and the dashboards' secrets: commands there need approval. */
  async keyDirectories(): Promise<readonly string[]> {
    const { team_id: teamId } = await this.store.roster.read();
    const { keyPlace } = this.place;
    return [
      dirname(teamKeyPath({ teamId, ...keyPlace })),
      dirname(headPath({ teamId, ...keyPlace }, lead)),
      dashboardsDirectory(keyPlace),
    ];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened[Symbol.asyncDispose]();
  }
}

/** What fetches pages is loaded for the first one. */
function lateWeb(env: EnvironmentVariables): WebAccess {
  let fetcher: Promise<WebAccess> | undefined;
  const open = async () => {
    const { PageFetcher } = await import("../fetching/page-fetcher.ts");
    return new PageFetcher({ env });
  };
  return {
    async fetch(url, signal) {
      fetcher ??= open();
      return (await fetcher).fetch(url, signal);
    },
  };
}

async function startRecording(path: string, secrets: Secrets): Promise<Recording> {
  const { Recording } = await import("../model/recording.ts");
  return Recording.create(path, secrets);
}

function endedOrphans(count: number, member: MemberName | undefined): string {
  const were = count === 1 ? "1 process was" : `${count} processes were`;
  const whose = member ? `${member}'s commands` : "the team's commands";
  return `${were} still running from ${whose} when Troupe was last killed, and were ended now.`;
}
