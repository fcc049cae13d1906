import { dirname, resolve } from "node:path";
import { z } from "zod";
import { sizeText } from "../../protocol/amounts.ts";
import type { ExportSummary } from "../../server/export/export-run.ts";
import type { TeamExport } from "../../server/export-team.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { ownFactsFor } from "../settings/configuration.ts";

const Flags = z.object({ force: z.boolean().default(false), all: z.boolean().default(false) });

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
    const { all, force } = parseOptions(Flags, values, exportRun);
    const { cwd, home } = io.processInfo;
    const directory = resolve(cwd, teamDir);
    const own = { home, ...(await ownFactsFor(dirname(directory), io.processInfo)) };
    await using page = await io.dashboards.export({ teamDir: directory, all, ...own });
    const name = positionals[0] ?? page.fileName;
    if (name === standardOutput) await print(page, io);
    else await write(page, resolve(cwd, name), { overwrite: force, io });
    return 0;
  },
};

async function write(
  page: TeamExport,
  path: string,
  { overwrite, io }: { overwrite: boolean; io: Io },
): Promise<void> {
  const { bytes, ...summary } = await page.writeTo(path, { overwrite, signal: io.signal });
  tell(`Wrote ${path} (${sizeText(bytes)})`, summary, io);
}

async function print(page: TeamExport, io: Io): Promise<void> {
  const pieces = page.pieces();
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
