import { z } from "zod";
import { hasErrno, TeamError } from "../errors.ts";
import { FileFence } from "../fence/file-fence.ts";
import { hmacSignature, type Signature } from "../keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../keys/team-key.ts";
import { type FilePath, nameOf, within } from "../lib/file-path.ts";
import {
  ensurePrivateDirectory,
  listNames,
  moveAside,
  readTextIfExists,
  removeFile,
  replaceFile,
} from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { moveInto, removeIfEmpty } from "../lib/move-into.ts";
import { isSigned, signRecord } from "../lib/signed-record.ts";
import { TeamId } from "../protocol/ids.ts";
import { lastGoodFile, rosterFile } from "../roster/team-file.ts";
import { findOwnership, foreignTeam, type Ownership } from "./ownership.ts";
import { holdDirectory } from "./prepare-directory.ts";
import { hasRoster, makeArchive, moveTeam } from "./set-team-aside.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import { noSuchTeam } from "./view/archived-team.ts";

/** The name of a directory in the archive: the time at which a team was set aside. */
export const ArchiveName = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z(?:-\d{1,6})?$/);

/**
 * `restore.json`: two teams change places. From the moment it exists, every start finishes that. A
 * repository can bring such a file, so it counts only with a signature of the team that comes back.
 */
export const RestoreRecord = z.object({
  /** The team that comes back. */
  team_id: TeamId,
  /** Where it is in the archive. */
  from: ArchiveName,
  /** Where the team goes that is in the directory. */
  to: ArchiveName,
  /** `set-aside`: the present team is being moved; `bring-back`: it is gone, and the other one comes. */
  step: z.enum(["set-aside", "bring-back"]),
  sig: z.string(),
});
export type RestoreRecord = z.infer<typeof RestoreRecord>;

export interface RestoreOptions {
  place: TeamPlace;
  layout: TeamLayout;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
}

/** Brings an archived team back, as `TeamView.restore` promises. */
export async function restoreTeam(place: TeamPlace, name: string): Promise<void> {
  using held = await holdDirectory(place.directory);
  const layout = teamLayout(held.to());
  const { clock, processes, onWarning: onNotice } = place;
  const isInPlace = () => held.isInPlace;
  const fence = new FileFence({ directory: layout.fence, clock, processes, onNotice, isInPlace });
  await using lead = await fence.acquire();
  const options = { place, layout, check: () => lead.check() };
  if ((await finishRestore(options)) === name) return;
  const { teamId, signature } = await requireOwn(name, options);
  const to = nameOf(await makeArchive(layout.archive, clock.now()));
  await lead.check();
  await write({ team_id: teamId, from: name, to, step: "set-aside" }, { layout, signature });
  await finishRestore(options);
}

/** True while two teams of the person change places. */
export async function isRestoring(place: TeamPlace, layout: TeamLayout): Promise<boolean> {
  return (await read(place, layout)).type === "own";
}

/**
 * Completes what a process has begun that died, and returns the name of the team that came back. To
 * repeat a step moves what is left. A record that is not the person's is moved out of the way.
 */
export async function finishRestore(options: RestoreOptions): Promise<string | undefined> {
  const { layout, check, place } = options;
  const found = await read(place, layout);
  if (found.type === "none") return undefined;
  if (found.type === "unproven") return setRecordAside(options);
  const { record, signature } = found;
  const to = within(layout.archive, record.to);
  if (record.step === "set-aside") {
    if (hasRoster(layout) && !(await isComing(record, options))) return giveUp(record, options);
    await ensurePrivateDirectory(to);
    await moveTeam(to, { layout, check, onWarning: place.onWarning });
    await check();
    await write({ ...record, step: "bring-back" }, { layout, signature });
  }
  const names = await listNames(within(layout.archive, record.from));
  if (names.length > 0 && !(await isComing(record, options))) return giveUp(record, options);
  await bringBack(within(layout.archive, record.from), names, options);
  await check();
  await removeIfEmpty(to);
  await removeFile(layout.restore);
  return record.from;
}

async function setRecordAside({ layout, place, check }: RestoreOptions): Promise<undefined> {
  await check();
  const moved = await moveAside(layout.restore, "damaged", place.clock.now());
  place.onWarning(
    `${layout.restore} is damaged, or was not signed by you, so no team is brought back. It was moved to ${moved}`,
  );
}

async function giveUp(
  { from }: RestoreRecord,
  { layout, place, check }: RestoreOptions,
): Promise<undefined> {
  await check();
  place.onWarning(`The archived team ${from} is not brought back: it is missing, or not yours.`);
  await removeFile(layout.restore);
}

/** The rosters come last: until then there is no team in the directory. */
async function bringBack(from: FilePath, names: string[], options: RestoreOptions): Promise<void> {
  const rank = (name: string) => [lastGoodFile, rosterFile].indexOf(name);
  for (const name of names.sort((a, b) => rank(a) - rank(b))) {
    await moveInto(within(from, name), within(options.layout.directory, name), options.check);
  }
  await removeIfEmpty(from);
}

/** True where the team of the record is in its place in the archive. */
async function isComing(
  { from, team_id }: RestoreRecord,
  { place, layout }: RestoreOptions,
): Promise<boolean> {
  const ownership = await findOwnership(within(layout.archive, from), place);
  return ownership.type === "own" && ownership.teamId === team_id;
}

async function requireOwn(
  name: string,
  { place, layout }: RestoreOptions,
): Promise<Extract<Ownership, { type: "own" }>> {
  const directory = within(layout.archive, name);
  const isName = ArchiveName.safeParse(name).success;
  const ownership = isName ? await findOwnership(directory, place) : { type: "none" as const };
  if (ownership.type === "own") return ownership;
  if (ownership.type === "foreign") throw foreignTeam(String(directory), ownership);
  throw noSuchTeam(name, place.directory);
}

type FoundRecord =
  | { type: "none" }
  /** It is damaged, or not signed with a key of the person. */
  | { type: "unproven" }
  | { type: "own"; record: RestoreRecord; signature: Signature };

async function read({ keyPlace }: TeamPlace, { restore }: TeamLayout): Promise<FoundRecord> {
  try {
    const text = await readTextIfExists(restore);
    if (text === undefined) return { type: "none" };
    const record = parseJson(text, RestoreRecord, String(restore));
    const key = await loadTeamKey({ path: teamKeyPath({ teamId: record.team_id, ...keyPlace }) });
    const { sig, ...signed } = record;
    const signature = key && hmacSignature(key);
    if (!signature || !isSigned(signed, sig, signature)) return { type: "unproven" };
    return { type: "own", record, signature };
  } catch (error) {
    const isDamaged = error instanceof TeamError && error.code === "record-corrupt";
    if (isDamaged || hasErrno(error, "EISDIR")) return { type: "unproven" };
    throw error;
  }
}

async function write(
  { team_id, from, to, step }: Omit<RestoreRecord, "sig">,
  { layout, signature }: { layout: TeamLayout; signature: Signature },
): Promise<void> {
  const record = signRecord({ team_id, from, to, step }, signature);
  await replaceFile(layout.restore, `${JSON.stringify(record)}\n`);
}
