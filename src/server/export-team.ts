import { type Clock, systemClock } from "../lib/clock.ts";
import type { OwnModels } from "../model/model-facts.ts";
import type { TeamView } from "../team/view/team-view.ts";
import type { ExportSummary } from "./export/export-run.ts";
import { type SecretSources, secretMask } from "./secret-mask.ts";

/** How much of a team is exported, and which secrets are masked in it. */
export interface ExportTeamOptions extends SecretSources {
  /** Includes everything (default: the newest 5,000 entries of each transcript and the newest 20,000 messages). */
  all?: boolean | undefined;
  /** Limits of models that the person has set, by which the page shows how full a context is. */
  models?: OwnModels | undefined;
  /** Where the time of the export comes from (default: this machine). */
  clock?: Clock | undefined;
}

/** How the file of an export is written. */
export interface WriteExportOptions {
  /** Replaces an existing file; else it throws `write-failed`. */
  overwrite?: boolean | undefined;
  /** Aborted if the file is not to be written after all. */
  signal?: AbortSignal | undefined;
}

/** A team as one HTML page, which needs no server and no network. */
export interface TeamExport extends AsyncDisposable {
  /** `troupe-<team>-<date>.html` */
  readonly fileName: string;
  /** The page, piece by piece, each to be followed by a line break; returns what is in it. */
  pieces(): AsyncGenerator<string, ExportSummary>;
  /** Writes the page to a file that only this user can read, whole or not at all. */
  writeTo(path: string, options?: WriteExportOptions): Promise<ExportSummary & { bytes: number }>;
}

/**
 * Exports a team, as `troupe export` does, with secrets masked. Throws `team-missing` where there is none. Masking cannot find
 * every secret: read the page before you share it.
 */
export async function exportTeam(
  view: TeamView,
  { all = false, models, clock = systemClock, ...secrets }: ExportTeamOptions = {},
): Promise<TeamExport> {
  const { PageExport } = await import("./export/page-export.ts");
  const { Room } = await import("./room/room.ts");
  const { pageDirectory } = await import("./page-directory.ts");
  return PageExport.open({
    room: new Room({ view, clock, own: { models, providers: secrets.providers } }),
    pageDirectory: pageDirectory(),
    mask: await secretMask(secrets),
    all,
    now: clock.now(),
  });
}
