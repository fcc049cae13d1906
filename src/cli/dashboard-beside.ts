import { join, relative, resolve } from "node:path";
import { TeamError } from "../errors.ts";
import type { DashboardEntrance } from "../server/serve-dashboard.ts";
import type { Io } from "./command.ts";
import { oneLine } from "./render/one-line.ts";
import type { ResolvedSettings } from "./settings/resolve-settings.ts";

interface Beside {
  /** The value of --team-dir. */
  teamDir: string | undefined;
  io: Io;
  onWarning(message: string): void;
}

/**
 * Serves the dashboard beside a run if --web asks for it and no other process serves it. A failure
 * does not stop the run. The printed address grants no access, because output of a run is often
 * logged.
 */
export async function serveBeside(
  settings: Pick<ResolvedSettings, "web" | "cwd" | "env" | "providers" | "models">,
  { teamDir = join(settings.cwd ?? ".", ".team"), io, onWarning }: Beside,
): Promise<AsyncDisposable | undefined> {
  const { web, env, providers, models } = settings;
  if (!web) return undefined;
  const directory = resolve(io.processInfo.cwd, teamDir);
  try {
    const running = await io.dashboards.find({ teamDir: directory, port: undefined });
    const served = running
      ? undefined
      : await io.dashboards.serve({
          ...{ teamDir: directory, port: undefined },
          ...{ env, providers, models, onWarning },
        });
    const entrance = running ?? served;
    if (entrance) io.err(oneLine(lineOf(entrance, directory, io)));
    return served;
  } catch (error) {
    if (!isExpected(error)) throw error;
    const hint = error instanceof TeamError && error.hint ? ` ${error.hint}` : "";
    onWarning(`The dashboard could not be started: ${error.message}.${hint}`);
    return undefined;
  }
}

function isExpected(error: unknown): error is Error {
  return error instanceof TeamError || (error instanceof Error && "errno" in error);
}

function lineOf({ address }: DashboardEntrance, teamDir: string, { processInfo }: Io): string {
  const isHere = relative(processInfo.cwd, teamDir) === ".team";
  const call = isHere ? "troupe web" : `troupe web --team-dir ${teamDir}`;
  return `The dashboard is at ${address} (\`${call}\` prints the address to open).`;
}
