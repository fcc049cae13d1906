import { FileCronBook } from "../crons/file-cron-book.ts";
import { FileFence } from "../fence/file-fence.ts";
import type { Signature } from "../keys/signature.ts";
import { headPath, mailHead, openTeamKey, type TeamKey, teamKeyPath } from "../keys/team-key.ts";
import { isProven, proveTeam } from "../keys/team-proof.ts";
import { DirectoryWatch } from "../lib/directory-watch.ts";
import { Disposables } from "../lib/disposables.ts";
import { type FilePath, nameOf, within } from "../lib/file-path.ts";
import { fileSystemWarning } from "../lib/file-system-warning.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { Inventory } from "../lib/inventory.ts";
import { LogHead } from "../lib/log-head.ts";
import { makeOnce } from "../lib/make-once.ts";
import { moveMisplaced } from "../lib/misplaced.ts";
import type { OwnDirectory } from "../lib/own-directory.ts";
import { FileEventLog } from "../logs/file-event-log.ts";
import { FileUsageLedger } from "../logs/file-usage-ledger.ts";
import { FileMailbox } from "../mailbox/file-mailbox.ts";
import { MailWriter } from "../mailbox/mail-writer.ts";
import { newestQueued, type ReaderOptions } from "../mailbox/mailbox.ts";
import { FileJobRecords } from "../processes/job-records.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { StoredRequests } from "../requests/stored-requests.ts";
import { FileRoster } from "../roster/file-roster.ts";
import { newTeam } from "../roster/team-file.ts";
import { StoredTaskBoard } from "../tasks/stored-task-board.ts";
import { EntryChain } from "../transcript/entry-chain.ts";
import { FileTranscript } from "../transcript/file-transcript.ts";
import { HeadFile } from "../transcript/head-file.ts";
import { deliveredIn } from "./delivered-in.ts";
import { findRecipient } from "./find-member.ts";
import { withSignedMembers } from "./members/signed-fields.ts";
import { findOwnership, foreignTeam } from "./ownership.ts";
import { holdDirectory, makeDirectories, removeLeftovers } from "./prepare-directory.ts";
import { makeArchive, setTeamAside } from "./set-team-aside.ts";
import { askAgain, takeOver } from "./take-over.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import type { MemberStore, TeamStore } from "./team-store.ts";
import { FileTeamView } from "./view/file-team-view.ts";

/** Everything a team keeps, as files in its directory. One process at a time can open it. */
export class FileTeamStore implements TeamStore {
  readonly roster: FileRoster;
  readonly tasks: StoredTaskBoard;
  readonly requests: StoredRequests;
  readonly events: FileEventLog;
  readonly usage: FileUsageLedger;
  readonly jobs: FileJobRecords;
  readonly crons: FileCronBook;
  readonly signature: Signature;
  readonly #place: TeamPlace;
  readonly #layout: TeamLayout;
  readonly #parts: StoreParts;
  readonly #mailboxes = new Map<MemberName, FileMailbox>();
  readonly #members = new Map<MemberName, Promise<MemberStore>>();
  readonly #transcripts = new Map<MemberName, Promise<FileTranscript>>();

  private constructor(place: TeamPlace, layout: TeamLayout, parts: StoreParts) {
    this.#place = place;
    this.#layout = layout;
    this.#parts = parts;
    this.roster = parts.roster;
    this.tasks = parts.tasks;
    this.requests = parts.requests;
    this.events = parts.events;
    this.usage = parts.usage;
    this.jobs = parts.jobs;
    this.crons = parts.crons;
    this.signature = parts.key.signature;
  }

  /**
   * Opens a team as its lead, and begins one where there is none; with `fresh`, in any case, and the
   * old one is archived. Throws `lead-alive` while another process has it open, and `team-foreign`
   * where it is not the person's, unless it is to be taken over.
   */
  static async open(place: TeamPlace, options: OpenOptions = {}): Promise<FileTeamStore> {
    const opened = new Disposables();
    const held = opened.use(await holdDirectory(place.directory));
    const layout = teamLayout(held.to());
    try {
      await refuseForeign(place, held.to(), options);
      await makeDirectories(layout);
      const warning = await fileSystemWarning(held.path);
      if (warning) place.onWarning(warning);
      const parts = await openParts({ place, held, layout, ...options }, opened);
      return new FileTeamStore(place, layout, parts);
    } catch (error) {
      await opened[Symbol.asyncDispose]().catch((further: unknown) =>
        place.onWarning(`The team could not be closed either: ${String(further)}`),
      );
      throw error;
    }
  }

  get lost(): AbortSignal {
    return this.#parts.fence.lost;
  }

  view(): FileTeamView {
    return new FileTeamView(this.#place);
  }

  async send(to: string, draft: MessageDraft): Promise<Message> {
    return this.#mailbox(await this.#recipient(to)).append(draft);
  }

  newestUnread(name: MemberName): Promise<MessageId | undefined> {
    return newestQueued(this.#mailbox(name));
  }

  openMember(name: MemberName, options: Pick<ReaderOptions, "onSetAside">): Promise<MemberStore> {
    return makeOnce(this.#members, name, () => this.#openMember(name, options));
  }

  async forget(name: MemberName): Promise<void> {
    const { transcripts, archive } = this.#layout;
    await this.#parts.fence.check();
    const made = await makeArchive(archive, this.#place.clock.now());
    const aside = within(made, nameOf(transcripts));
    await ensurePrivateDirectory(aside);
    const transcript = await this.#transcript(name);
    await transcript.moveTo(within(aside, `${name}.jsonl`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.opened[Symbol.asyncDispose]();
  }

  async #openMember(
    name: MemberName,
    { onSetAside }: Pick<ReaderOptions, "onSetAside">,
  ): Promise<MemberStore> {
    const transcript = await this.#transcript(name);
    const mailbox = this.#mailbox(name);
    const reader = await mailbox.openReader({
      delivered: await deliveredIn(transcript, { owner: name, since: this.#spawnedAt(name) }),
      onSetAside: (line) => {
        const at = this.#place.clock.now().toISOString();
        const { id, reason } = line;
        this.events.append({ type: "line-set-aside", at, member: name, id, reason });
        onSetAside(line);
      },
    });
    return {
      ...{ transcript, mailbox, reader, lost: this.lost },
      [Symbol.asyncDispose]: async () => {
        this.#members.delete(name);
        await reader[Symbol.asyncDispose]();
      },
    };
  }

  /** Nobody is refused by what this process knows alone: another one may know more. */
  async #recipient(to: string): Promise<MemberName> {
    try {
      return findRecipient(this.roster.known, to);
    } catch {
      return findRecipient(await this.roster.read(), to);
    }
  }

  /** What came before was for another life of that name. */
  #spawnedAt(name: MemberName): Date | undefined {
    const at = this.roster.known.members.find((member) => member.name === name)?.spawned_at;
    return at === undefined ? undefined : new Date(at);
  }

  #transcript(member: MemberName): Promise<FileTranscript> {
    const { team_id: teamId } = this.roster.known;
    const path = within(this.#layout.transcripts, `${member}.jsonl`);
    return makeOnce(this.#transcripts, member, async () =>
      FileTranscript.open(path, {
        chain: new EntryChain(this.signature, { teamId, member }),
        head: await this.#parts.openHead(member, HeadFile.open),
        onDamage: ({ reason }) => this.#place.onWarning(reason),
        check: () => this.#parts.fence.check(),
      }),
    );
  }

  #mailbox(owner: MemberName): FileMailbox {
    const known = this.#mailboxes.get(owner);
    if (known) return known;
    const { opened, fence, writer, inboxWatch, openHead } = this.#parts;
    const { signature } = this;
    const mailbox = new FileMailbox({
      inbox: this.#layout.inbox,
      owner,
      signature,
      clock: this.#place.clock,
      writer,
      watch: inboxWatch,
      openHead: () => openHead(mailHead(owner), LogHead.open),
      check: () => fence.check(),
      onWarning: this.#place.onWarning,
    });
    this.#mailboxes.set(owner, opened.use(mailbox));
    return mailbox;
  }
}

/** Returns what opens the memory, outside the team directory, of how far a log has come. */
function headOpener({ keyPlace, onWarning }: TeamPlace, { key, roster }: OpenedRoster) {
  return async <T>(
    name: string,
    open: (path: string, onWarning: (message: string) => void) => Promise<T>,
  ): Promise<T | undefined> => {
    // A key that ends with this process signs nothing that counts at the next start.
    if (key.origin === "memory") return undefined;
    return open(headPath({ teamId: roster.known.team_id, ...keyPlace }, name), onWarning);
  };
}

type StoreParts = Awaited<ReturnType<typeof openParts>>;

interface OpenOptions {
  /** Sets the team that is there aside, and begins a new one. */
  fresh?: boolean | undefined;
  /** Makes a team that is not the person's their own. */
  takeOver?: boolean | undefined;
}

interface PartsOptions extends OpenOptions {
  place: TeamPlace;
  held: OwnDirectory;
  layout: TeamLayout;
}

/** Before anything is made or changed in the directory. */
async function refuseForeign(
  place: TeamPlace,
  directory: FilePath,
  { fresh, takeOver }: OpenOptions,
): Promise<void> {
  if (fresh || takeOver) return;
  const ownership = await findOwnership(directory, place);
  if (ownership.type === "foreign") throw foreignTeam(place.directory, ownership);
}

/** Opens all parts. Those that must be closed again are in `opened`, also where a later part fails. */
async function openParts(options: PartsOptions, opened: Disposables) {
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
  for (const path of [directory, inbox, transcripts, background]) {
    await moveMisplaced(path, report);
  }
  await removeLeftovers(layout);
  await setTeamAside({ layout, clock, check, onWarning, fresh });
  await makeDirectories(layout);
  const watch = opened.use(watchDirectory(place, layout.directory));
  const inboxWatch = opened.use(watchDirectory(place, layout.inbox));
  const { roster, key, isTakenOver } = await openRoster(options, { watch, check });
  opened.use(roster);
  const openHead = headOpener(place, { roster, key });
  const records = await openRecords(place, layout, {
    ...{ opened, key, check, openList: (name) => openHead(name, Inventory.open) },
  });
  if (isTakenOver) await askAgain(records.requests, roster.known);
  const writer = opened.use(new MailWriter());
  const events = opened.use(await FileEventLog.open({ path: layout.events, clock }));
  const usage = await FileUsageLedger.open({
    path: layout.usage,
    clock,
    onDamage: ({ reason }) => onWarning(reason),
    head: await openHead("bill.usage", LogHead.open),
    check,
  });
  return { opened, fence, inboxWatch, writer, key, roster, openHead, ...records, events, usage };
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
  for (const records of [tasks, requests, jobs, crons]) await records.repair();
  return { tasks, requests, jobs, crons };
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
    vouchFor: (team: TeamRecord, known: TeamRecord | undefined) =>
      key ? withSignedMembers(team, known, { signature: key.signature, onWarning }) : team,
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
