import type { Clock } from "../lib/clock.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { Effort } from "../protocol/effort.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { CommandTeamHooks } from "./hooks/command-team-hooks.ts";
import type { TeamHooks } from "./hooks/team-hooks.ts";
import type { TeamLandingsOptions } from "./landings/team-landings.ts";
import type { MemberCheckouts } from "./member-checkouts.ts";
import type {
  LeadSettings,
  MemberContext,
  MemberDefinition,
  MemberParts,
} from "./members/member-definition.ts";
import type { TeamRoles } from "./roles/team-roles.ts";
import type { Supervisor } from "./supervisor.ts";
import type { TeamStore } from "./team-store.ts";

/** The team's store, the functions that make members, and the person's settings. */
export interface SupervisorOptions {
  store: TeamStore;
  clock: Clock;
  secrets: Secrets;
  lead: LeadSettings;
  /** Makes a member that can run, exactly as defined; otherwise throws. */
  openMember(definition: MemberDefinition, context: MemberContext): Promise<MemberParts>;
  /** Throws where it could not be. */
  checkMember(definition: MemberDefinition): Promise<void>;
  /** Throws where a skill or an MCP server is missing that it is to have. */
  checkGiven(definition: MemberDefinition): Promise<void>;
  /** Makes the tools by which a member works with the others. */
  teamTools(self: MemberName, supervisor: Supervisor): MemberContext["tools"];
  /** The tools to work with that teammates may have. */
  toolNames: readonly string[];
  roles: Pick<TeamRoles, "termsOf" | "changeOf">;
  checkModel(id: string): void;
  /** The whole id of a model that was asked for. Throws where it cannot be used. */
  resolveModel(id: string): Promise<string>;
  /** Why a model certainly cannot be asked for an effort; undefined if it can, or nobody knows. */
  effortProblem(list: string, effort: Effort): Promise<string | undefined>;
  /** Gives members their checkouts, and keeps what is in them. */
  checkouts: Pick<
    MemberCheckouts,
    "isolation" | "make" | "abandon" | "retire" | "tryToKeep" | "recover"
  >;
  /** The functions of the program, and the commands, that see what the team does. */
  hooks(): TeamHooks;
  /** The commands among them, where there are some. */
  commandHooks(): CommandTeamHooks | undefined;
  /** Where texts go that are too long for a message. */
  outputs: string;
  keepWhole(path: string, text: string): Promise<void>;
  /** The work of members with checkouts, on its way to the target. */
  landing: Pick<TeamLandingsOptions, "mode" | "keep" | "openWorks">;
  autoclaim: boolean;
  maxTeammates: number;
  graceMs: number;
  planApprover: MemberName;
  /** True where a person is there to answer questions. */
  waitsForPerson: boolean;
  onWarning(message: string): void;
}
