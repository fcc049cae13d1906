import { StoredCheckouts } from "../checkouts/stored-checkouts.ts";
import { FileCronBook } from "../crons/file-cron-book.ts";
import { FileFence } from "../fence/file-fence.ts";
import { headPath, openTeamKey, type TeamKey, teamKeyPath } from "../keys/team-key.ts";
import { isProven, proveTeam } from "../keys/team-proof.ts";
import { StoredLandings } from "../landing/stored-landings.ts";
import { DirectoryWatch } from "../lib/directory-watch.ts";
import type { Disposables } from "../lib/disposables.ts";
import type { FilePath } from "../lib/file-path.ts";
import { HeldFiles } from "../lib/held-files.ts";
import type { InPlaceFileOptions } from "../lib/in-place-file.ts";
import { Inventory } from "../lib/inventory.ts";
import { LogHead } from "../lib/log-head.ts";
import { moveMisplaced } from "../lib/misplaced.ts";
import type { OwnDirectory } from "../lib/own-directory.ts";
import { FileEventLog } from "../logs/file-event-log.ts";
import { FileUsageLedger } from "../logs/file-usage-ledger.ts";
import { MailWriter } from "../mailbox/mail-writer.ts";
import { FileJobRecords } from "../processes/job-records.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { StoredRequests } from "../requests/stored-requests.ts";
import { FileRoster } from "../roster/file-roster.ts";
import { newTeam } from "../roster/team-file.ts";
import { StoredTaskBoard } from "../tasks/stored-task-board.ts";
import { withSignedMembers } from "./members/signed-fields.ts";
import { withSignedPermissions } from "./members/signed-permissions.ts";
import { findOwnership, foreignTeam } from "./ownership.ts";
import { makeDirectories, removeLeftovers } from "./prepare-directory.ts";
import { finishRestore, isRestoring } from "./restore-team.ts";
import { setTeamAside } from "./set-team-aside.ts";
import { askAgain, takeOver } from "./take-over.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";

/** Returns what opens the memory, outside the team directory, of how far a log has come. */
function headOpener(
  { keyPlace, onWarning }: TeamPlace,
  { key, roster, files }: OpenedRoster & { files: HeldFiles },
) {
  return async <T>(
    name: string,
    open: (path: string, options: InPlaceFileOptions) => Promise<T>,
  ): Promise<T | undefined> => {
    // A key that ends with this process signs nothing that counts at the next start.
    if (key.origin === "memory") return undefined;
    return open(headPath({ teamId: roster.known.team_id, ...keyPlace }, name), {
      onWarning,
      files,
    });
  };
}

/** The open parts of a store. */
export type StoreParts = Awaited<ReturnType<typeof openStoreParts>>;

/** What to do with a team that is already in the directory (default: continue it, if it is the person's). */
export interface OpenStoreOptions {
  /** Sets the team that is there aside, and begins a new one. */
  fresh?: boolean | undefined;
  /** Makes a team that is not the person's their own. */
  takeOver?: boolean | undefined;
}

interface PartsOptions extends OpenStoreOptions {
  place: TeamPlace;
  held: OwnDirectory;
  layout: TeamLayout;
}

/** Before anything is made or changed in the directory. */
export async function refuseForeign(
  place: TeamPlace,
  directory: FilePath,
  { fresh, takeOver }: OpenStoreOptions,
): Promise<void> {
  if (fresh || takeOver || (await isRestoring(place, teamLayout(directory)))) return;
  const ownership = await findOwnership(directory, place);
  if (ownership.type === "foreign") throw foreignTeam(place.directory, ownership);
}

/** Opens all parts. Those that must be closed again are in `opened`, also where a later part fails. */
export async function openStoreParts(options: PartsOptions, opened: Disposables) {
  const { place, held, layout, fresh = false } = options;
  const { clock, onWarning, processes } = place;
  const report = { now: clock.now(), onWarning };
  await moveMisplaced(layout.fence, report);
  const fence = opened.use(
    await new FileFence({
      ...{ directory: layout.fence, clock, processes, onNotice: onWarning },
      isInPlace: () => held.isInPlace,
    }).acquire(),
  );
  const check = () => fence.check();
  const { directory, inbox, transcripts, background } = layout;
  const places = [directory, inbox, transcripts, background];
  await Promise.all([
    ...places.map((path) => moveMisplaced(path, report)),
    removeLeftovers(layout),
  ]);
  await finishRestore({ place, layout, check });
  await setTeamAside({ layout, clock, check, onWarning, fresh });
  await makeDirectories(layout);
  const watch = opened.use(watchDirectory(place, layout.directory));
  const inboxWatch = opened.use(watchDirectory(place, layout.inbox));
  const { roster, key, isTakenOver } = await openRoster(options, { watch, check });
  opened.use(roster);
  const files = opened.use(new HeldFiles());
  const openHead = headOpener(place, { roster, key, files });
  const records = await openRecords(place, layout, {
    ...{ opened, key, check, openList: (name) => openHead(name, Inventory.open) },
  });
  if (isTakenOver) await askAgain(records.requests, roster.known);
  const writer = opened.use(new MailWriter());
  const events = opened.use(await FileEventLog.open({ path: layout.events, clock, files }));
  const usage = await FileUsageLedger.open({
    path: layout.usage,
    clock,
    onDamage: ({ reason }) => onWarning(reason),
    head: await openHead("bill.usage", LogHead.open),
    ...{ check, files },
  });
  const parts = { opened, fence, inboxWatch, writer, files, key, roster, openHead };
  return { ...parts, ...records, events, usage };
}

interface RecordOptions {
  opened: Disposables;
  key: TeamKey;
  check(): Promise<void>;
  openList(name: string): Promise<Inventory | undefined>;
}

async function openRecords(
  place: TeamPlace,
  layout: TeamLayout,
  { opened, key, check, openList }: RecordOptions,
) {
  const { clock, onWarning } = place;
  const { signature } = key;
  const watch = (directory: FilePath) => opened.use(watchDirectory(place, directory));
  const shared = { clock, signature, onDamage: onWarning, check };
  const tasks = StoredTaskBoard.inFiles({
    ...{ ...shared, directory: layout.tasks, onEdit: onWarning },
    watch: watch(layout.tasks),
  });
  const requests = StoredRequests.inFiles({
    ...{ ...shared, directory: layout.requests, onForgery: onWarning },
    watch: watch(layout.requests),
  });
  const landings = StoredLandings.inFiles({ ...shared, directory: layout.landings });
  const checkouts = StoredCheckouts.inFiles({ ...shared, directory: layout.checkouts });
  const jobs = new FileJobRecords({
    ...{ ...shared, directory: layout.background },
    inventory: await openList("jobs.list"),
  });
  const crons = new FileCronBook({
    ...{ ...shared, directory: layout.crons },
    inventory: await openList("crons.list"),
  });
  opened.use(tasks);
  opened.use(requests);
  const records = { tasks, requests, landings, checkouts, jobs, crons };
  await Promise.all(Object.values(records).map((each) => each.repair()));
  return records;
}

function watchDirectory({ clock, onWarning }: TeamPlace, directory: FilePath): DirectoryWatch {
  return new DirectoryWatch({
    directory,
    clock,
    onFallback: (reason) =>
      onWarning(
        `File events are not available, so changes by other processes are seen within a second: ${reason}`,
      ),
  });
}

interface OpenedRoster {
  roster: FileRoster;
  key: TeamKey;
}

/** The roster and the key by which it is the person's: found, newly made, or taken over. */
async function openRoster(
  { place, layout, takeOver: isWanted = false }: PartsOptions,
  { watch, check }: { watch: DirectoryWatch; check(): Promise<void> },
): Promise<OpenedRoster & { isTakenOver: boolean }> {
  const { clock, onWarning } = place;
  const { directory } = layout;
  const ownership = await findOwnership(directory, place);
  const isForeign = ownership.type === "foreign";
  if (isForeign && !isWanted) throw foreignTeam(place.directory, ownership);
  let key: TeamKey | undefined;
  if (isForeign) key = await takeOver({ place, layout, team: ownership.team, check });
  if (ownership.type === "own") key = { signature: ownership.signature, origin: "loaded" };
  const vouchers = {
    isOurs: (team: TeamRecord) => key !== undefined && isProven(team, key.signature),
    vouchFor: (team: TeamRecord, known: TeamRecord | undefined) => {
      if (!key) return team;
      const { signature } = key;
      const vouched = withSignedMembers(team, known, { signature, onWarning });
      return withSignedPermissions(vouched, known, { signature, onWarning });
    },
  };
  const roster = await FileRoster.open(
    { directory, clock, watch, check, onWarning, ...vouchers },
    async () => {
      const team = newTeam(clock.now());
      const path = teamKeyPath({ teamId: team.team_id, ...place.keyPlace });
      key = await openTeamKey({ path });
      return proveTeam(team, key.signature);
    },
  );
  if (!key) throw new Error("A roster was opened without its key");
  if (key.warning) onWarning(key.warning);
  return { roster, key, isTakenOver: isForeign };
}
