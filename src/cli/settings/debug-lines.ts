import { join, resolve } from "node:path";
import { Secrets } from "../../lib/secrets.ts";
import { environmentSecrets } from "../../model/environment-secrets.ts";
import type { Io } from "../command.ts";
import { workspaceSettingsPath } from "./configuration.ts";
import type { ResolvedSettings } from "./resolve-settings.ts";
import { stateDirectory, userSettingsPath } from "./standard-places.ts";

/** The output of `--debug` at the start of a run: locations, and the origin of each setting. */
export function debugLines(
  settings: ResolvedSettings,
  { teamDir, io: { processInfo } }: { teamDir: string | undefined; io: Pick<Io, "processInfo"> },
): string[] {
  const workspace = resolve(processInfo.cwd, settings.cwd ?? ".");
  const team = teamDir ? resolve(processInfo.cwd, teamDir) : join(workspace, ".team");
  const secrets = new Secrets(environmentSecrets(settings));
  return [
    `debug: workspace ${workspace}`,
    `debug: team ${team}`,
    `debug: settings ${workspaceSettingsPath(workspace)}, then ${userSettingsPath(processInfo)}`,
    `debug: state ${stateDirectory(processInfo)}`,
    ...[...settings.origins].map(([name, origin]) => {
      // The path of an address can have a token in it.
      const value = name === "providers" ? Object.keys(settings.providers) : settings[name];
      return `debug: ${name} ${JSON.stringify(value)}, by ${origin}`;
    }),
  ].map((line) => secrets.mask(line));
}
