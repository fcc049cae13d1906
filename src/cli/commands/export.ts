import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { TeamError } from "../../errors.ts";
import { systemClock } from "../../lib/clock.ts";
import { environmentSecrets } from "../../model/environment-secrets.ts";
import type { RunSource } from "../../server/export/export-run.ts";
import { type ExportSummary, RunExport } from "../../server/export/export-run.ts";
import { SecretMask } from "../../server/export/mask-secrets.ts";
import { readBuiltPage, recordedPage } from "../../server/export/recorded-page.ts";
import { alreadyThere, writePieces } from "../../server/export/write-once.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { ownFactsFor } from "../settings/configuration.ts";

const Flags = z.object({ force: z.boolean().default(false), all: z.boolean().default(false) });

/** The default limits: a browser must be able to hold the page. */
const usual = { entries: 5_000, messages: 20_000 };
const everything = { entries: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY };

const standardOutput = "-";

export const exportRun: Command = {
  name: "export",
  group: "look",
  summary: "Write the team to one HTML file to share, with secrets masked",
  parameters: ["[<file>]"],
  options: {
    all: { summary: "include everything, however large the file gets" },
    force: { summary: "overwrite an existing file" },
    "team-dir": teamDirOption,
  },
  examples: [
    { call: "troupe export", does: "writes troupe-<team>-<date>.html here; open it in a browser" },
    { call: "troupe export - | gzip > run.html.gz", does: "to standard output" },
  ],
  notes: [
    "The file needs no server and no network. It has the newest 5000 entries of each transcript and the newest 20000 messages (everything with --all), and lists what it leaves out.",
    "The keys in your environment, everything that looks like a key, token or password, and the path of your home directory are masked. Masking cannot find every secret: read the file before you share it.",
  ],

  async run({ positionals, teamDir = ".team", values }, io) {
    const flags = parseOptions(Flags, values, exportRun);
    const { cwd, home } = io.processInfo;
    const directory = resolve(cwd, teamDir);
    const configuration = await ownFactsFor(dirname(directory), io.processInfo);
    const { room, pageDirectory } = await io.dashboards.record({
      teamDir: directory,
      ...configuration,
    });
    await using source = room;
    const page = recordedPage(await readBuiltPage(pageDirectory));
    const mask = new SecretMask({ known: environmentSecrets(configuration), home });
    const now = systemClock.now();
    const most = flags.all ? everything : usual;
    const team = await teamName(source);
    const name = positionals[0] ?? fileName(team, now);
    const run = new RunExport({ source, page, mask, most, now });
    await write(name, run, { replaces: flags.force, io });
    return 0;
  },
};

async function write(
  name: string,
  run: RunExport,
  { replaces, io }: { replaces: boolean; io: Io },
): Promise<void> {
  if (name === standardOutput) return print(run, io);
  const path = resolve(io.processInfo.cwd, name);
  // Checked before the export as well, which can take a while.
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw isDirectory(path);
  if (!replaces && there) throw alreadyThere(path);
  const { bytes, result } = await writePieces(path, run.pieces(), {
    replaces,
    signal: io.signal,
  });
  tell(`Wrote ${path} (${sizeText(bytes)})`, result, io);
}

function isDirectory(path: string): TeamError {
  return new TeamError("write-failed", `${path} is a directory`, { hint: "Name a file in it." });
}

async function print(run: RunExport, io: Io): Promise<void> {
  const pieces = run.pieces();
  let bytes = 0;
  let next = await pieces.next();
  while (!next.done) {
    io.signal.throwIfAborted();
    bytes += Buffer.byteLength(next.value) + 1;
    io.out(next.value);
    next = await pieces.next();
  }
  tell(`Wrote ${sizeText(bytes)}`, next.value, io);
}

function tell(beginning: string, summary: ExportSummary, io: Io): void {
  const { members, messages, entries, masked, leftOut } = summary;
  const counts = `Members: ${members}, messages: ${messages}, transcript entries: ${entries}`;
  io.err(oneLine(`${beginning}. ${counts}, masked secrets: ${masked}.`));
  io.err("Read the file before you share it: masking cannot find every secret.");
  for (const left of leftOut) io.err(oneLine(`Left out: ${left}`));
  if (leftOut.length > 0) io.err("Use --all to include everything.");
}

async function teamName(source: RunSource): Promise<string> {
  const { team, obstacle, directory } = await source.state();
  if (team && !obstacle) return team.name;
  throw new TeamError("team-missing", obstacle?.message ?? `There is no team in ${directory}`, {
    hint: obstacle?.hint ?? "Give its directory with --team-dir.",
  });
}

function fileName(team: string, now: Date): string {
  const name = team.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80);
  return `troupe-${name}-${now.toISOString().slice(0, 10)}.html`;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
