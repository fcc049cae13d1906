import { join } from "node:path";
import type { HookSource } from "../../hooks/command-hooks.ts";
import { hookRunner } from "../command-runner-of.ts";
import type { Equipment } from "../equipment.ts";
import type { MemberDefinition } from "../members/member-definition.ts";
import { CommandTeamHooks, type HookedMember } from "./command-team-hooks.ts";

/** The hooks of a team that are commands. */
export function openCommandHooks(
  equipment: Equipment,
  sources: readonly HookSource[],
): CommandTeamHooks {
  const { store, layout, place } = equipment;
  let team: Promise<{ id: string; name: string }> | undefined;
  const readTeam = async () => {
    const { team_id: id, team_name: name } = await store.roster.read();
    return { id, name };
  };
  return new CommandTeamHooks({
    sources,
    team: () => {
      team ??= readTeam();
      return team;
    },
    transcriptPath: (name) => join(layout.transcripts, `${name}.jsonl`),
    runnerIn: (name, cwd) => hookRunner(equipment, { name, cwd, root: cwd }),
    onWarning: place.onWarning,
  });
}

/** A member as its hooks are told about it. */
export function hookedMember(
  equipment: Equipment,
  definition: Pick<
    MemberDefinition,
    "name" | "role" | "sandbox" | "checkout" | "cwd" | "root" | "hooks"
  >,
  { mode }: Pick<HookedMember, "mode">,
): HookedMember {
  const { name, role, cwd } = definition;
  return {
    ...{ name, cwd, mode, runner: hookRunner(equipment, definition) },
    role: role.type === "lead" ? "lead" : role.role,
    own: sourcesOf(equipment, definition),
  };
}

/** The file of a role is the repository's, unless it is in a directory of the person's own. */
function sourcesOf(
  { place, environment }: Equipment,
  { hooks }: Pick<MemberDefinition, "hooks">,
): HookSource[] {
  if (!hooks) return [];
  const { configuration, path, roleName } = hooks;
  const { home } = place.keyPlace;
  const own = [
    join(environment.XDG_CONFIG_HOME || join(home, ".config"), "troupe"),
    join(home, ".claude"),
  ];
  const isOwn = path === undefined || own.some((directory) => path.startsWith(`${directory}/`));
  return [{ origin: path ?? `the role ${roleName}`, hooks: configuration, isRepository: !isOwn }];
}
