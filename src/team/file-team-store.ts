import { join } from "node:path";
import type { HeldFence } from "../fence/fence.ts";
import { FileFence } from "../fence/file-fence.ts";
import type { Signature } from "../keys/signature.ts";
import { openTeamKey, teamKeyPath } from "../keys/team-key.ts";
import { DirectoryWatch } from "../lib/directory-watch.ts";
import { fileSystemWarning } from "../lib/file-system-warning.ts";
import { FileEventLog } from "../logs/file-event-log.ts";
import { FileUsageLedger } from "../logs/file-usage-ledger.ts";
import { FileMailbox } from "../mailbox/file-mailbox.ts";
import type { ReaderOptions } from "../mailbox/mailbox.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { FileRequests } from "../requests/file-requests.ts";
import { FileRoster } from "../roster/file-roster.ts";
import { FileTaskBoard } from "../tasks/file-task-board.ts";
import { FileTranscript } from "../transcript/file-transcript.ts";
import { deliveredIn } from "./delivered-in.ts";
import { newTeam } from "./new-team.ts";
import { prepareDirectory, removeLeftovers } from "./prepare-directory.ts";
import { findRecipient } from "./recipient.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import type { MemberStore, TeamStore } from "./team-store.ts";

/** Everything a team keeps, as files in its directory. One process at a time can open it. */
export class FileTeamStore implements TeamStore {
  readonly roster: FileRoster;
  readonly tasks: FileTaskBoard;
  readonly requests: FileRequests;
  readonly events: FileEventLog;
  readonly usage: FileUsageLedger;
  readonly #place: TeamPlace;
  readonly #layout: TeamLayout;
  readonly #parts: StoreParts;
  readonly #mailboxes = new Map<MemberName, FileMailbox>();
  readonly #members = new Map<MemberName, Promise<MemberStore>>();

  private constructor(place: TeamPlace, layout: TeamLayout, parts: StoreParts) {
    this.#place = place;
    this.#layout = layout;
    this.#parts = parts;
    this.roster = parts.roster;
    this.tasks = parts.tasks;
    this.requests = parts.requests;
    this.events = parts.events;
    this.usage = parts.usage;
  }

  /**
   * Opens a team as its lead, and begins one where there is none. Throws `lead-alive` while
   * another process has it open.
   */
  static async open(place: TeamPlace): Promise<FileTeamStore> {
    const layout = teamLayout(place.directory);
    await prepareDirectory(layout);
    const warning = await fileSystemWarning(layout.directory);
    if (warning) place.onWarning(warning);

    const { clock, processes, onWarning: onNotice } = place;
    const fence = await new FileFence({
      directory: layout.fence,
      clock,
      processes,
      onNotice,
    }).acquire();
    try {
      await removeLeftovers(layout);
      return new FileTeamStore(place, layout, await openParts(place, layout, fence));
    } catch (error) {
      await fence[Symbol.asyncDispose]();
      throw error;
    }
  }

  get lost(): AbortSignal {
    return this.#parts.fence.lost;
  }

  async send(to: string, draft: MessageDraft): Promise<Message> {
    const recipient = findRecipient(await this.roster.read(), to);
    return this.#mailbox(recipient).append(draft);
  }

  openMember(name: MemberName, options: Pick<ReaderOptions, "onSetAside">): Promise<MemberStore> {
    const opened = this.#members.get(name) ?? this.#openMember(name, options);
    this.#members.set(name, opened);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { fence, inboxWatch, watch } = this.#parts;
    for (const mailbox of this.#mailboxes.values()) await mailbox[Symbol.asyncDispose]();
    inboxWatch[Symbol.dispose]();
    watch[Symbol.dispose]();
    this.roster[Symbol.dispose]();
    await this.events[Symbol.asyncDispose]();
    await fence[Symbol.asyncDispose]();
  }

  async #openMember(
    name: MemberName,
    { onSetAside }: Pick<ReaderOptions, "onSetAside">,
  ): Promise<MemberStore> {
    const { onWarning } = this.#place;
    const path = join(this.#layout.transcripts, `${name}.jsonl`);
    const transcript = await FileTranscript.open(path, {
      onDamage: ({ reason }) => onWarning(reason),
      check: () => this.#parts.fence.check(),
    });
    const mailbox = this.#mailbox(name);
    const delivered = deliveredIn(await transcript.tail());
    return { transcript, mailbox, reader: await mailbox.openReader({ delivered, onSetAside }) };
  }

  #mailbox(owner: MemberName): FileMailbox {
    const known = this.#mailboxes.get(owner);
    if (known) return known;
    const { signature, fence, inboxWatch } = this.#parts;
    const mailbox = new FileMailbox({
      inbox: this.#layout.inbox,
      owner,
      signature,
      clock: this.#place.clock,
      watch: inboxWatch,
      check: () => fence.check(),
    });
    this.#mailboxes.set(owner, mailbox);
    return mailbox;
  }
}

type StoreParts = Awaited<ReturnType<typeof openParts>>;

async function openParts(place: TeamPlace, layout: TeamLayout, fence: HeldFence) {
  const { clock, onWarning } = place;
  const check = () => fence.check();
  const onFallback = (reason: string) =>
    onWarning(`No file events, so changes made elsewhere are seen within a second: ${reason}`);
  const watch = new DirectoryWatch({ directory: layout.directory, clock, onFallback });
  const inboxWatch = new DirectoryWatch({ directory: layout.inbox, clock, onFallback });
  const roster = await FileRoster.open(
    { directory: layout.directory, clock, watch, check, onWarning },
    () => newTeam(clock.now()),
  );
  const signature = await openSignature(place, roster);
  const tasks = new FileTaskBoard({ directory: layout.tasks, clock, onDamage: onWarning, check });
  const requests = new FileRequests({
    directory: layout.requests,
    signature,
    clock,
    onDamage: onWarning,
    onForgery: onWarning,
    check,
  });
  await tasks.repair();
  await requests.repair();
  const events = await FileEventLog.open({ path: layout.events, clock });
  const usage = await FileUsageLedger.open({
    path: layout.usage,
    clock,
    onDamage: ({ reason }) => onWarning(reason),
    check,
  });
  return { fence, watch, inboxWatch, roster, signature, tasks, requests, events, usage };
}

async function openSignature(place: TeamPlace, roster: FileRoster): Promise<Signature> {
  const { team_id: teamId } = await roster.read();
  const key = await openTeamKey({ path: teamKeyPath({ teamId, ...place.keyPlace }) });
  if (key.warning) place.onWarning(key.warning);
  return key.signature;
}
