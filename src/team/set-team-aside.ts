import { lstatSync } from "node:fs";
import type { Clock } from "../lib/clock.ts";
import { type FilePath, locationOf, nameOf, within } from "../lib/file-path.ts";
import { ensurePrivateDirectory, listEntries, listNames, moveFile } from "../lib/files.ts";
import { moveInto } from "../lib/move-into.ts";
import { sideDirectory } from "../lib/segments.ts";
import { lastGoodFile, rosterFile } from "../roster/team-file.ts";
import type { TeamLayout } from "./team-layout.ts";
import { foreignNames, inWords, isTeamName } from "./team-shape.ts";

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
 * of one that no longer has a roster before any start: a new team would take them for its own, and
 * anybody may have put them there. What is not a team's stays.
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
  const names = remains.map(nameOf).join(", ");
  onWarning(
    `${layout.directory} had ${names} of a team without a roster; they were moved to ${archive}`,
  );
}

export function hasRoster({ directory }: TeamLayout): boolean {
  return [rosterFile, lastGoodFile].some((name) => isThere(within(directory, name)));
}

function isThere(path: FilePath): boolean {
  return lstatSync(locationOf(path), { throwIfNoEntry: false }) !== undefined;
}

/** What a team that has run leaves, as far as there is something in it. */
async function findRemains(layout: TeamLayout): Promise<FilePath[]> {
  const remains: FilePath[] = [];
  for (const path of [layout.inbox, ...teamParts(layout)]) {
    if (await hasContent(path)) remains.push(path);
  }
  return remains;
}

/** Where nobody but a team's lead writes. */
function teamParts(layout: TeamLayout): FilePath[] {
  const { transcripts, tasks, requests, background, crons, events, usage } = layout;
  const { landings, checkouts, checkpoints, outputs, images } = layout;
  const segments = [events, usage].map(sideDirectory);
  const records = [transcripts, tasks, requests, landings, checkouts, background, crons];
  return [...records, checkpoints, outputs, images, events, usage, ...segments];
}

async function hasContent(path: FilePath): Promise<boolean> {
  const found = lstatSync(locationOf(path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found !== undefined && found.size > 0;
  for (const entry of await listEntries(path)) {
    if (entry.isFile()) return true;
    if (entry.isDirectory() && (await hasContent(within(path, entry.name)))) return true;
  }
  return false;
}

async function moveAll(options: SetAsideOptions): Promise<FilePath> {
  const archive = await makeArchive(options.layout.archive, options.clock.now());
  await moveTeam(archive, options);
  return archive;
}

/** Moves everything of the team into a directory of the archive. To repeat it moves the rest. */
export async function moveTeam(
  archive: FilePath,
  options: Omit<SetAsideOptions, "fresh" | "clock">,
): Promise<void> {
  const { layout, onWarning } = options;
  const foreign = await foreignNames(layout.directory, await listEntries(layout.directory));
  for (const name of await inOrder(layout)) {
    const isMixed = foreign.some((path) => path.startsWith(`${name}/`));
    await (isMixed ? moveOwn(name, archive, options) : move(name, archive, options));
  }
  if (foreign.length > 0) {
    onWarning(
      `${inWords(foreign)} in ${layout.directory} does not belong to the team, and stays there`,
    );
  }
}

type MoveOptions = Pick<SetAsideOptions, "layout" | "check">;

async function move(name: string, archive: FilePath, options: MoveOptions): Promise<void> {
  const { layout, check } = options;
  await moveInto(within(layout.directory, name), within(archive, name), check);
}

/** Moves what is the team's in a directory that has other things in it, too. */
async function moveOwn(name: string, archive: FilePath, options: MoveOptions): Promise<void> {
  await ensurePrivateDirectory(within(archive, name));
  for (const inner of await listNames(within(options.layout.directory, name))) {
    if (!isTeamName(inner, name)) continue;
    await options.check();
    await moveFile(within(options.layout.directory, name, inner), within(archive, name, inner));
  }
}

/** A new directory in the archive, named after the time. */
export async function makeArchive(archive: FilePath, now: Date): Promise<FilePath> {
  await ensurePrivateDirectory(archive);
  const name = now.toISOString().replaceAll(":", "-");
  let free = within(archive, name);
  for (let number = 2; isThere(free); number++) free = within(archive, `${name}-${number}`);
  await ensurePrivateDirectory(free);
  return free;
}

/**
 * Everything that is to be moved. The roster goes first, then its backup: without them there is no
 * team, and a crash afterwards leaves recognizable remains. The files by which remains are
 * recognized go last.
 */
async function inOrder(layout: TeamLayout): Promise<string[]> {
  const { fence, archive, gitignore, restore } = layout;
  const staying = [fence, archive, gitignore, restore].map(nameOf);
  const known = [layout.inbox, ...teamParts(layout)].map(nameOf);
  const rank = (name: string) => {
    if (name === rosterFile) return 0;
    if (name === lastGoodFile) return 1;
    return known.includes(name) ? 3 : 2;
  };
  return (await listNames(layout.directory))
    .filter((name) => isTeamName(name) && !staying.includes(name))
    .sort((a, b) => rank(a) - rank(b));
}
