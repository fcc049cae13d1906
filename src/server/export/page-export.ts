import { lstatSync } from "node:fs";
import { TeamError } from "../../errors.ts";
import type { TeamExport, WriteExportOptions } from "../export-team.ts";
import { type ExportSummary, RunExport, type RunSource } from "./export-run.ts";
import type { SecretMask } from "./mask-secrets.ts";
import { readBuiltPage, recordedPage } from "./recorded-page.ts";
import { alreadyThere, writePieces } from "./write-once.ts";

/** The default limits: a browser must be able to hold the page. */
const usual = { entries: 5_000, messages: 20_000 };
const everything = { entries: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY };

interface PageExportOptions {
  /** Everything that a dashboard would show; closed with the export. */
  room: RunSource & AsyncDisposable;
  /** Where the built page is. */
  pageDirectory: string;
  mask: SecretMask;
  /** Whether nothing is left out, however large the page gets. */
  all: boolean;
  now: Date;
}

/** The dashboard's page with the records of a team in it. */
export class PageExport implements TeamExport {
  readonly fileName: string;
  readonly #run: RunExport;
  readonly #room: AsyncDisposable;

  private constructor(fileName: string, run: RunExport, room: AsyncDisposable) {
    this.fileName = fileName;
    this.#run = run;
    this.#room = room;
  }

  static async open({ room, pageDirectory, all, ...options }: PageExportOptions) {
    try {
      const page = recordedPage(await readBuiltPage(pageDirectory));
      const name = fileName(await teamName(room), options.now);
      const most = all ? everything : usual;
      return new PageExport(name, new RunExport({ source: room, page, most, ...options }), room);
    } catch (error) {
      await room[Symbol.asyncDispose]();
      throw error;
    }
  }

  pieces(): AsyncGenerator<string, ExportSummary> {
    return this.#run.pieces();
  }

  async writeTo(
    path: string,
    { overwrite = false, signal = new AbortController().signal }: WriteExportOptions = {},
  ): Promise<ExportSummary & { bytes: number }> {
    // Checked before the export as well, which can take a while.
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory()) throw isDirectory(path);
    if (!overwrite && there) throw alreadyThere(path);
    if (there && !there.isFile()) throw notRegular(path);
    const { bytes, result } = await writePieces(path, this.pieces(), {
      replaces: overwrite,
      signal,
    });
    return { ...result, bytes };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#room[Symbol.asyncDispose]());
  }
}

async function teamName(source: RunSource): Promise<string> {
  const { team, obstacle, directory } = await source.state();
  if (team && !obstacle) return team.name;
  throw new TeamError("team-missing", obstacle?.message ?? `There is no team in ${directory}`, {
    hint: obstacle?.hint ?? "Give the directory of a team: --team-dir on the command line.",
  });
}

function fileName(team: string, now: Date): string {
  const name = team.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80);
  return `troupe-${name}-${now.toISOString().slice(0, 10)}.html`;
}

function isDirectory(path: string): TeamError {
  return new TeamError("write-failed", `${path} is a directory`, { hint: "Name a file in it." });
}

/** It would not be overwritten, but replaced: a device, for example, by a file. */
function notRegular(path: string): TeamError {
  return new TeamError("write-failed", `${path} is a link, a pipe or a device`, {
    hint: "Choose another file.",
  });
}
