import { mailHead } from "../keys/team-key.ts";
import { Disposables } from "../lib/disposables.ts";
import { nameOf, within } from "../lib/file-path.ts";
import { fileSystemWarning } from "../lib/file-system-warning.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { LogHead } from "../lib/log-head.ts";
import { makeOnce } from "../lib/make-once.ts";
import { FileMailbox } from "../mailbox/file-mailbox.ts";
import { type MailboxReaderOptions, newestQueued } from "../mailbox/mailbox.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { EntryChain } from "../transcript/entry-chain.ts";
import { FileTranscript } from "../transcript/file-transcript.ts";
import { HeadFile } from "../transcript/head-file.ts";
import { FileChangeHistory } from "../workspace/file-change-history.ts";
import { deliveredIn } from "./delivered-in.ts";
import { findRecipient } from "./find-member.ts";
import {
  type OpenStoreOptions,
  openStoreParts,
  refuseForeign,
  type StoreParts,
} from "./open-store-parts.ts";
import { holdDirectory, makeDirectories } from "./prepare-directory.ts";
import { makeArchive } from "./set-team-aside.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import type { MemberStore, TeamStore } from "./team-store.ts";
import { FileTeamView } from "./view/file-team-view.ts";
/** Everything a team keeps, as files in its directory. One process at a time can open it. */
export class FileTeamStore implements TeamStore {
  readonly roster: TeamStore["roster"];
  readonly tasks: TeamStore["tasks"];
  readonly requests: TeamStore["requests"];
  readonly landings: TeamStore["landings"];
  readonly checkouts: TeamStore["checkouts"];
  readonly events: TeamStore["events"];
  readonly usage: TeamStore["usage"];
  readonly jobs: TeamStore["jobs"];
  readonly crons: TeamStore["crons"];
  readonly history: TeamStore["history"];
  readonly signature: TeamStore["signature"];
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
    this.landings = parts.landings;
    this.checkouts = parts.checkouts;
    this.events = parts.events;
    this.usage = parts.usage;
    this.jobs = parts.jobs;
    this.crons = parts.crons;
    this.signature = parts.key.signature;
    this.history = new FileChangeHistory({
      ...{ directory: teamLayout(place.directory).checkpoints, signer: this.signature },
      ...{ clock: place.clock, onWarning: place.onWarning },
    });
  }

  /**
   * Opens a team as its lead, and begins one where there is none; with `fresh`, in any case, and the
   * old one is archived. Throws `lead-alive` while another process has it open, and `team-foreign`
   * where it is not the person's, unless it is to be taken over.
   */
  static async open(place: TeamPlace, options: OpenStoreOptions = {}): Promise<FileTeamStore> {
    const opened = new Disposables();
    const held = opened.use(await holdDirectory(place.directory));
    const layout = teamLayout(held.to());
    try {
      await refuseForeign(place, held.to(), options);
      await makeDirectories(layout);
      const warning = await fileSystemWarning(held.path);
      if (warning) place.onWarning(warning);
      const parts = await openStoreParts({ place, held, layout, ...options }, opened);
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

  openMember(
    name: MemberName,
    options: Pick<MailboxReaderOptions, "onSetAside">,
  ): Promise<MemberStore> {
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
    { onSetAside }: Pick<MailboxReaderOptions, "onSetAside">,
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
      return findRecipient(this.#parts.roster.known, to);
    } catch {
      return findRecipient(await this.roster.read(), to);
    }
  }

  /** What came before was for another life of that name. */
  #spawnedAt(name: MemberName): Date | undefined {
    const at = this.#parts.roster.known.members.find((member) => member.name === name)?.spawned_at;
    return at === undefined ? undefined : new Date(at);
  }

  #transcript(member: MemberName): Promise<FileTranscript> {
    const { team_id: teamId } = this.#parts.roster.known;
    const path = within(this.#layout.transcripts, `${member}.jsonl`);
    return makeOnce(this.#transcripts, member, async () =>
      FileTranscript.open(path, {
        chain: new EntryChain(this.signature, { teamId, member }),
        head: await this.#parts.openHead(member, HeadFile.open),
        onDamage: ({ reason }) => this.#place.onWarning(reason),
        check: () => this.#parts.fence.check(),
        files: this.#parts.files,
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
