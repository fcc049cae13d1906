import { z } from "zod";
import { TeamError } from "../errors.ts";
import { FileFence } from "../fence/file-fence.ts";
import { type FilePath, nameOf, within } from "../lib/file-path.ts";
import { listNames, readTextIfExists, removeFile, replaceFile } from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { moveInto, removeIfEmpty } from "../lib/move-into.ts";
import { lastGoodFile, rosterFile } from "../roster/team-file.ts";
import { findOwnership, foreignTeam } from "./ownership.ts";
import { holdDirectory } from "./prepare-directory.ts";
import { hasRoster, makeArchive, moveTeam } from "./set-team-aside.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";

/** The name of a directory in the archive: the time at which a team was set aside. */
export const ArchiveName = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z(?:-\d{1,6})?$/);

/** `restore.json`: two teams change places. From the moment it exists, every start finishes that. */
export const RestoreRecord = z.object({
  /** The archived team that comes back. */
  from: ArchiveName,
  /** Where the team goes that is in the directory. */
  to: ArchiveName,
  /** `set-aside`: the present team is being moved; `bring-back`: it is gone, and the other one comes. */
  step: z.enum(["set-aside", "bring-back"]),
});
export type RestoreRecord = z.infer<typeof RestoreRecord>;

export interface RestoreOptions {
  place: TeamPlace;
  layout: TeamLayout;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
}

/**
 * Brings an archived team back, and sets the present one aside in its place. Throws `lead-alive` while
 * a process runs the team, `team-missing` where the archive has no such team, and `team-foreign` where
 * it is not the person's. A process that dies in the middle has changed nothing, or the next start
 * completes the change.
 */
export async function restoreTeam(place: TeamPlace, name: string): Promise<void> {
  using held = await holdDirectory(place.directory);
  const layout = teamLayout(held.to());
  const { clock, processes, onWarning: onNotice } = place;
  const isInPlace = () => held.isInPlace;
  const fence = new FileFence({ directory: layout.fence, clock, processes, onNotice, isInPlace });
  await using lead = await fence.acquire();
  const options = { place, layout, check: () => lead.check() };
  await finishRestore(options);
  await requireOwn(name, options);
  const to = nameOf(await makeArchive(layout.archive, clock.now()));
  await lead.check();
  await write({ from: name, to, step: "set-aside" }, layout);
  await finishRestore(options);
}

/** True while two teams change places. */
export async function isRestoring(layout: TeamLayout): Promise<boolean> {
  return (await read(layout)) !== undefined;
}

/** Completes what a process has begun that died. To repeat a step moves what is left. */
export async function finishRestore(options: RestoreOptions): Promise<void> {
  const { layout, check, place } = options;
  const record = await read(layout);
  if (!record) return;
  const from = within(layout.archive, record.from);
  if (record.step === "set-aside") {
    // Anybody can write such a record: it brings back nothing but a team of the person.
    if (hasRoster(layout) && !(await isOwn(record.from, options))) return giveUp(record, options);
    const { onWarning } = place;
    await moveTeam(within(layout.archive, record.to), { layout, check, onWarning });
    await check();
    await write({ ...record, step: "bring-back" }, layout);
  }
  await bringBack(from, options);
  await check();
  await removeIfEmpty(within(layout.archive, record.to));
  await removeFile(layout.restore);
}

/** Nothing has been moved yet. */
async function giveUp({ from }: RestoreRecord, { layout, place }: RestoreOptions): Promise<void> {
  place.onWarning(`The archived team ${from} is not brought back: it is missing, or not yours.`);
  await removeFile(layout.restore);
}

/** The rosters come last: until then there is no team in the directory. */
async function bringBack(from: FilePath, options: RestoreOptions): Promise<void> {
  const names = await listNames(from);
  if (names.length > 0) await requireOwn(nameOf(from), options);
  const rank = (name: string) => [lastGoodFile, rosterFile].indexOf(name);
  for (const name of names.sort((a, b) => rank(a) - rank(b))) {
    await moveInto(within(from, name), within(options.layout.directory, name), options.check);
  }
  await removeIfEmpty(from);
}

async function isOwn(name: string, { place, layout }: RestoreOptions): Promise<boolean> {
  return (await findOwnership(within(layout.archive, name), place)).type === "own";
}

async function requireOwn(name: string, { place, layout }: RestoreOptions): Promise<void> {
  const directory = within(layout.archive, name);
  const isName = ArchiveName.safeParse(name).success;
  const ownership = isName ? await findOwnership(directory, place) : { type: "none" as const };
  if (ownership.type === "own") return;
  if (ownership.type === "foreign") throw foreignTeam(String(directory), ownership);
  throw noSuchTeam(name, place);
}

export function noSuchTeam(name: string, { directory }: Pick<TeamPlace, "directory">): TeamError {
  return new TeamError("team-missing", `There is no archived team ${JSON.stringify(name)}`, {
    hint: `Take a name from the list of the archived teams in ${directory}.`,
  });
}

async function read({ restore }: TeamLayout): Promise<RestoreRecord | undefined> {
  const text = await readTextIfExists(restore);
  return text === undefined ? undefined : parseJson(text, RestoreRecord, String(restore));
}

async function write(record: RestoreRecord, { restore }: TeamLayout): Promise<void> {
  await replaceFile(restore, `${JSON.stringify(record)}\n`);
}
