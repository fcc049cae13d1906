import type { Dirent } from "node:fs";
import { TeamError } from "../errors.ts";
import { isLink } from "../lib/file-owner.ts";
import { type FilePath, within } from "../lib/file-path.ts";
import { listEntries } from "../lib/files.ts";
import { lastGoodFile, readTeamFile, rosterFile } from "../roster/team-file.ts";

const member = "[a-z][a-z0-9_-]{0,31}";
const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const ofMembers = new RegExp(`^(?:${member}\\.jsonl|\\.${member})$`);
const segments = /^(?:\d{6,}|torn|torn\.older)\.jsonl$/;

/** The directories of a team, and what each of them has in it. */
const directories: ReadonlyMap<string, RegExp> = new Map([
  ["inbox", ofMembers],
  ["transcripts", ofMembers],
  ["tasks", /^(?:\d{1,15}\.json|\.versions)$/],
  ["checkouts", new RegExp(`^(?:${member}\\.json|\\.versions)$`)],
  ["landings", /^(?:\d{1,15}\.json|\.versions)$/],
  ["requests", new RegExp(`^(?:${uuid}\\.json|\\.versions)$`)],
  ["background", new RegExp(`^${member}-[0-9a-f]{8}\\.json$`)],
  ["crons", /^[0-9a-f]{8}\.json$/],
  ["outputs", /\.txt$/],
  ["images", /^[0-9a-f]{64}$/],
  ["checkpoints", /^(?:[0-9a-f]{64}|changes\.jsonl|\.changes)$/],
  ["fence", /^(?:lead\.json|heartbeat|\.versions)$/],
  [".events", segments],
  [".usage", segments],
  // Only directories with a roster are read there, so a person may keep any file in it.
  ["archive", /^/],
]);

const files = new Set([
  rosterFile,
  lastGoodFile,
  "events.jsonl",
  "usage.jsonl",
  "restore.json",
  ".gitignore",
]);

/** Files that operating systems leave in any directory. */
const litter = /^(?:\.DS_Store|Thumbs\.db|lost\+found|\.nfs[0-9a-f]+|\.fuse_hidden[0-9a-f]+)$/;

/** The suffix of a file that troupe is replacing, or has moved out of the way. */
const suffix = new RegExp(`\\.(?:${uuid}\\.tmp|damaged-[0-9TZ.-]+)$`);

/** True for what a team keeps under this name in its directory, or in that directory of it. */
export function isTeamName(name: string, directory?: string): boolean {
  const base = name.replace(suffix, "");
  if (directory === undefined) return files.has(base) || directories.has(name);
  return directories.get(directory)?.test(base) ?? false;
}

/** Throws `team-unusable` where the directory has links in it, or has not been a team's. */
export async function requireTeamShape(directory: FilePath): Promise<void> {
  const entries = await listEntries(directory);
  const link = entries.find((entry) => entry.isSymbolicLink() && isTeamName(entry.name));
  if (link) throw isLink(String(within(directory, link.name)));
  if (await hasTeam(directory)) return;
  const foreign = await foreignNames(directory, entries);
  if (foreign.length === 0) return;
  throw new TeamError(
    "team-unusable",
    `${directory} is not a team's directory: it has ${inWords(foreign)}`,
    { hint: "Choose another directory with --team-dir, or move what is in this one away." },
  );
}

/** The paths in the directory that are not the team's. */
export async function foreignNames(
  directory: FilePath,
  entries: readonly Dirent[],
): Promise<string[]> {
  const foreign: string[] = [];
  for (const entry of entries) {
    if (litter.test(entry.name)) continue;
    if (!isTeamName(entry.name)) foreign.push(entry.name);
    else if (entry.isDirectory()) foreign.push(...(await foreignIn(directory, entry.name)));
  }
  return foreign;
}

async function foreignIn(directory: FilePath, name: string): Promise<string[]> {
  const entries = await listEntries(within(directory, name));
  return entries
    .map((entry) => entry.name)
    .filter((inner) => !litter.test(inner) && !isTeamName(inner, name))
    .map((inner) => `${name}/${inner}`);
}

async function hasTeam(directory: FilePath): Promise<boolean> {
  for (const name of [rosterFile, lastGoodFile]) {
    if (await isRoster(directory, name)) return true;
  }
  return false;
}

async function isRoster(directory: FilePath, name: string): Promise<boolean> {
  try {
    return (await readTeamFile(directory, name)) !== undefined;
  } catch (error) {
    // Files of a newer troupe must not be changed. A damaged roster is reported when it is opened.
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    return false;
  }
}

/** The first few. */
export function inWords(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}
