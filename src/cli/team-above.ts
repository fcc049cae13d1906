import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The nearest directory above this one that has a team; undefined if there is none. */
export function teamAbove(directory: string): string | undefined {
  const above = dirname(directory);
  if (above === directory) return undefined;
  return hasTeam(above) ? above : teamAbove(above);
}

/** What to know before a team is started in a workspace that is within the directory of another one. */
export function secondTeamNote(workspace: string): string | undefined {
  const above = hasTeam(workspace) ? undefined : teamAbove(workspace);
  return (
    above &&
    `There is a team in ${above}. To continue it, change to that directory: a new one starts here.`
  );
}

function hasTeam(directory: string): boolean {
  return existsSync(join(directory, ".team", "config.json"));
}
