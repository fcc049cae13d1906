import { TeamRoles } from "../../src/team/roles/team-roles.ts";

/** For a team that has none. */
export const noRoles = new TeamRoles({ roles: undefined, aliases: undefined });
