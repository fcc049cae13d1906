import { createHash } from "node:crypto";
import { TeamError } from "../../errors.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { escapeWrapper } from "../../lib/escape-wrapper.ts";
import { nearest } from "../../lib/nearest.ts";
import type { RoleReference } from "../../protocol/team.ts";
import type { FoundRole, FoundRoles, RoleDefinition, RoleSource } from "../../roles/role.ts";
import type { ModelAliases } from "./role-model.ts";
import { type RoleSurroundings, type RoleTerms, roleTerms } from "./role-terms.ts";

/** Where the roles of a team come from: files, or a program. */
export type RolesOption = RoleSource | readonly RoleDefinition[];

export interface TeamRolesOptions {
  roles: RolesOption | undefined;
  aliases: ModelAliases | undefined;
}

/** The roles of a team, looked up again whenever they are needed. */
export class TeamRoles {
  readonly #source: RoleSource | undefined;
  readonly #aliases: ModelAliases;

  constructor({ roles, aliases = {} }: TeamRolesOptions) {
    this.#source = roles && "find" in roles && !isList(roles) ? roles : listed(roles);
    this.#aliases = aliases;
  }

  /** The role of this name as it is now, with all of it in force. Throws `spawn-refused` where that cannot be. */
  async termsOf(name: string, surroundings: Omit<RoleSurroundings, "aliases">): Promise<RoleTerms> {
    const found = await this.#find();
    const wanted = name.trim().toLowerCase();
    const role = found.roles.find((each) => each.role.name.toLowerCase() === wanted);
    if (!role) throw unknownRole(name, found);
    return roleTerms(role, { ...surroundings, aliases: this.#aliases });
  }

  /** The names of the roles with what each is for, for the lead's first turn; undefined if there are none. */
  async introduction(): Promise<string | undefined> {
    const { roles } = await this.#find();
    const usable = roles.filter(
      ({ problems, withheld }) => problems.length + withheld.length === 0,
    );
    return usable.length === 0 ? undefined : listOf(usable);
  }

  /** True if there are any, usable or not. */
  async areAny(): Promise<boolean> {
    return (await this.#find()).roles.length > 0;
  }

  /** What has become of the file of a role since a member was spawned with it; undefined if it is the same. */
  async changeOf({ path, sha256 }: RoleReference): Promise<string | undefined> {
    if (path === undefined) return undefined;
    const { roles, hidden } = await this.#find();
    const now = roles.find((role) => role.path === path);
    if (now?.sha256 === sha256) return undefined;
    if (now || hidden.some((role) => role.path === path)) return "has been changed";
    return "is no longer there, or is broken";
  }

  async #find(): Promise<FoundRoles> {
    return (await this.#source?.find()) ?? { roles: [], broken: [], hidden: [] };
  }
}

function isList(roles: RolesOption): roles is readonly RoleDefinition[] {
  return Array.isArray(roles);
}

/** The roles of a program, which is trusted. */
function listed(roles: RolesOption | undefined): RoleSource | undefined {
  if (!roles || !isList(roles) || roles.length === 0) return undefined;
  const found = roles.map(
    (role): FoundRole => ({
      role,
      sha256: createHash("sha256").update(canonicalJson(role)).digest("hex"),
      ...{ problems: [], ignored: [], withheld: [] },
    }),
  );
  return { find: async () => ({ roles: found, broken: [], hidden: [] }) };
}

function unknownRole(name: string, { roles, broken }: FoundRoles): TeamError {
  const names = roles.map(({ role }) => role.name);
  const meant = nearest(name, names);
  const known =
    names.length === 0 ? "There are no roles." : `Roles: ${names.slice(0, 50).join(", ")}.`;
  const wrong = broken.slice(0, 5).map(({ path, problem }) => ` ${path} is broken: ${problem}.`);
  const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}${known}${wrong.join("")}`;
  return new TeamError("spawn-refused", `No role is named '${name.slice(0, 64)}'`, { hint });
}

/** More would push the work itself out of the model's context. */
const maxListBytes = 4 * 1024;
const maxLineCharacters = 240;

/** Descriptions are somebody else's words: each stays in its line. */
function listOf(roles: readonly FoundRole[]): string {
  const opening =
    "<available-roles>\nRoles for teammates: spawn_teammate with agent, and role left out. Each brings its own instructions, tools and limits.\n";
  const closing = "\n</available-roles>";
  const room = maxListBytes - Buffer.byteLength(opening + closing) - 80;
  const lines: string[] = [];
  let size = 0;
  for (const { role } of roles) {
    const line = `- ${role.name}: ${inLine(role.description)}`;
    size += Buffer.byteLength(line) + 1;
    if (size > room) break;
    lines.push(line);
  }
  const left = roles.length - lines.length;
  const more = left > 0 ? [`... and ${left} more, which the person can name`] : [];
  return `${opening}${[...lines, ...more].join("\n")}${closing}`;
}

/** Its first sentences, without the examples that many descriptions go on with. */
function inLine(description: string): string {
  const [start = ""] = description.replaceAll("\\n", " ").split(/<example>/i);
  const line = escapeWrapper(start.replace(/\s+/g, " ").trim());
  return line.length > maxLineCharacters ? `${line.slice(0, maxLineCharacters - 1)}…` : line;
}
