import { existsSync } from "node:fs";
import { readdir, rename, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasErrno } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { sideDirectory } from "../lib/segments.ts";
import { lastGoodFile, rosterFile } from "../roster/team-file.ts";
import type { TeamLayout } from "./team-layout.ts";

export interface SetAsideOptions {
  layout: TeamLayout;
  clock: Clock;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
  onWarning(message: string): void;
  fresh: boolean;
}

/**
 * Moves the team in the directory into its archive where a start is to be `fresh`, and the remains
 * of one that has no roster any more before any start: a new team would take them for its own. Mail
 * that waits for a team's very first start stays.
 */
export async function setTeamAside(options: SetAsideOptions): Promise<void> {
  const { layout, fresh, onWarning } = options;
  if (hasRoster(layout)) {
    if (fresh) await moveAll(options);
    return;
  }
  const remains = await findRemains(layout);
  if (remains.length === 0) return;
  const archive = await moveAll(options);
  if (fresh) return;
  const names = remains.map((path) => basename(path)).join(", ");
  onWarning(`${layout.directory} had ${names} of a team without a roster; they are in ${archive}`);
}

function hasRoster({ directory }: TeamLayout): boolean {
  return [rosterFile, lastGoodFile].some((name) => existsSync(join(directory, name)));
}

/** What a team that has run leaves, as far as there is something in it. */
async function findRemains(layout: TeamLayout): Promise<string[]> {
  const remains: string[] = [];
  if (await hasBeenRead(layout.inbox)) remains.push(layout.inbox);
  for (const path of teamParts(layout)) {
    if (await hasContent(path)) remains.push(path);
  }
  return remains;
}

/** Where nobody but a team's lead writes. */
function teamParts(layout: TeamLayout): string[] {
  const { transcripts, tasks, requests, background, crons, outputs, events, usage } = layout;
  const segments = [events, usage].map(sideDirectory);
  return [transcripts, tasks, requests, background, crons, outputs, events, usage, ...segments];
}

/** Only who opens a mailbox as a member makes a side directory; mail alone may be from anybody. */
async function hasBeenRead(inbox: string): Promise<boolean> {
  return (await readdir(inbox)).some((name) => name.startsWith("."));
}

async function hasContent(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return found.size > 0;
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.some((entry) => entry.isFile());
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return false;
    throw error;
  }
}

/** Returns the directory in the archive that has everything now. */
async function moveAll({ layout, clock, check }: SetAsideOptions): Promise<string> {
  const archive = await makeArchive(layout.archive, clock.now());
  for (const name of await inOrder(layout)) {
    await check();
    await rename(join(layout.directory, name), join(archive, name));
  }
  return archive;
}

/** A new directory in the archive, named after the time. */
export async function makeArchive(archive: string, now: Date): Promise<string> {
  await ensurePrivateDirectory(archive);
  const path = join(archive, now.toISOString().replaceAll(":", "-"));
  let free = path;
  for (let number = 2; existsSync(free); number++) free = `${path}-${number}`;
  await ensurePrivateDirectory(free);
  return free;
}

/**
 * Everything that is to be moved. The roster goes first, and then what it would be restored from:
 * without them the team is no more, and whoever dies then leaves remains. What these are known by
 * goes last.
 */
async function inOrder(layout: TeamLayout): Promise<string[]> {
  const staying = [layout.fence, layout.archive, layout.gitignore].map((path) => basename(path));
  const known = [layout.inbox, ...teamParts(layout)].map((path) => basename(path));
  const rank = (name: string) => {
    if (name === rosterFile) return 0;
    if (name === lastGoodFile) return 1;
    return known.includes(name) ? 3 : 2;
  };
  return (await readdir(layout.directory))
    .filter((name) => !staying.includes(name))
    .sort((a, b) => rank(a) - rank(b));
}
