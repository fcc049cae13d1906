import { resolve } from "node:path";
import type { ListedCheckout } from "../../checkouts/listed-checkouts.ts";
import { TeamError } from "../../errors.ts";
import type { FenceHolder } from "../../fence/fence.ts";
import type { Signature } from "../../keys/signature.ts";
import { headPath, mailHead } from "../../keys/team-key.ts";
import { within } from "../../lib/file-path.ts";
import type { Damage } from "../../lib/json-lines.ts";
import { logCursor, logPlaceAt } from "../../lib/paged-log.ts";
import type { CheckoutRecord } from "../../protocol/checkout.ts";
import type { StoredEvent } from "../../protocol/events.ts";
import type { LandingId, MemberName, MessageId, RequestId } from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { Message, MessageDraft } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Task } from "../../protocol/task.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { RequestFilter } from "../../requests/requests.ts";
import type { StoredRequests } from "../../requests/stored-requests.ts";
import type { ChangeHistory, KnownChanges } from "../../workspace/change-history.ts";
import { findRecipient, hasEnded, memberNames } from "../find-member.ts";
import type { BroughtWork } from "../landings/bring-landed.ts";
import type { LandingChanges } from "../landings/landing-changes.ts";
import type { MemberMode } from "../protocols/member-modes.ts";
import type { TeamRule } from "../protocols/team-rules.ts";
import { teamLayout } from "../team-layout.ts";
import type { TeamPlace } from "../team-place.ts";
import type { ArchivedTeam } from "./archived-team.ts";
import type { FileMail } from "./file-mail-view.ts";
import { FileTeamChanges } from "./file-team-changes.ts";
import type { FileTranscriptView } from "./file-transcript-view.ts";
import { mailedActions } from "./mailed-actions.ts";
import { isOwnTeam, type OpenedTeam, openTeam } from "./opened-team.ts";
import type {
  ArchivedTeamView,
  CheckoutContents,
  CleanedCheckouts,
  FollowEvents,
  FollowTranscript,
  ListedEntry,
  ListedMail,
  MailPage,
  MailQuery,
  MemberUsage,
  TeamChange,
  TeamView,
  TranscriptPage,
  TranscriptQuery,
  UsagePage,
  UsageQuery,
} from "./team-view.ts";
import type { TeamWork } from "./team-work.ts";

/**
 * The team in a directory, also after another team has replaced it. Each part is loaded when it is
 * first read: most commands read one or two.
 */
export class FileTeamView implements TeamView {
  readonly location: string;
  readonly send;
  readonly broadcast;
  readonly answer;
  readonly stop;
  readonly addRule;
  readonly removeRule;
  readonly setMode;
  readonly decideLanding;
  readonly #place: TeamPlace;
  readonly #isArchived: boolean;
  readonly #changes: FileTeamChanges;
  #opened: Promise<OpenedTeam> | undefined;
  #lastWarning: string | undefined;

  /** An archived team can be looked at, and takes no mail. */
  constructor(place: TeamPlace, { isArchived = false }: { isArchived?: boolean } = {}) {
    this.location = resolve(place.directory);
    this.#place = place;
    this.#isArchived = isArchived;
    this.#changes = new FileTeamChanges({
      ...{ directory: place.directory, clock: place.clock },
      members: async () => memberNames(await this.team()),
      lead: () => this.lead(),
    });
    const actions = mailedActions({
      ...{ view: this, clock: place.clock },
      requests: async () => {
        const team = await this.#readAgain();
        return this.#requests(team, await this.#signer(team));
      },
      leave: (to, draft) => this.#leave(to, draft),
    });
    this.send = actions.send;
    this.broadcast = actions.broadcast;
    this.answer = actions.answer;
    this.stop = actions.stop;
    this.addRule = actions.addRule;
    this.removeRule = actions.removeRule;
    this.setMode = actions.setMode;
    this.decideLanding = actions.decideLanding;
  }

  reopen(onWarning: (message: string) => void): FileTeamView {
    return new FileTeamView({ ...this.#place, onWarning }, { isArchived: this.#isArchived });
  }

  isOwn(): Promise<boolean> {
    return isOwnTeam(this.#place);
  }

  async archives(): Promise<ArchivedTeam[]> {
    const { listArchives } = await import("./file-archives.ts");
    return listArchives(this.#place, (place) => new FileTeamView(place));
  }

  async archive(name: string): Promise<ArchivedTeamView> {
    const { placeOfArchived } = await import("./file-archives.ts");
    return new FileTeamView(await placeOfArchived(this.#place, name), { isArchived: true });
  }

  async team(): Promise<TeamRecord> {
    return (await this.#readAgain()).team;
  }

  async lead(): Promise<FenceHolder | undefined> {
    const { layout } = await this.#last();
    const { clock, processes, onWarning: onNotice } = this.#place;
    const { FileFence } = await import("../../fence/file-fence.ts");
    const fence = new FileFence({ directory: layout.fence, clock, processes, onNotice });
    const holder = await fence.look();
    return holder?.isAlive ? holder : undefined;
  }

  async tasks(): Promise<Task[]> {
    const { layout, key, parts } = await this.#last();
    const { clock, onWarning: onDamage } = this.#place;
    const signature = await key.verifier();
    const { StoredTaskBoard } = await import("../../tasks/stored-task-board.ts");
    const board =
      parts.tasks ??
      StoredTaskBoard.inFiles({ directory: layout.tasks, clock, signature, onDamage });
    // Not cached without a key: the key may still be created.
    if (signature) parts.tasks = board;
    return board.list();
  }

  async landings(): Promise<Landing[]> {
    const { layout, key } = await this.#last();
    const signature = await key.verifier();
    if (!signature) return [];
    const { clock, onWarning: onDamage } = this.#place;
    const { StoredLandings } = await import("../../landing/stored-landings.ts");
    const { landings: directory } = layout;
    return StoredLandings.inFiles({ directory, clock, signature, onDamage }).list();
  }

  async landingChanges(id: LandingId): Promise<LandingChanges> {
    return (await this.#work()).landingChanges(id);
  }

  async checkouts(): Promise<ListedCheckout[]> {
    return (await this.#work()).checkouts();
  }

  async inspectCheckout(path: string): Promise<CheckoutContents> {
    return (await this.#work()).inspectCheckout(path);
  }

  async requests(filter: RequestFilter = {}): Promise<TeamRequest[]> {
    const team = await this.#last();
    return (await this.#requests(team, await this.#signer(team))).list(filter);
  }

  async requestIds(): Promise<RequestId[]> {
    return (await this.#seenRequests())?.ids() ?? [];
  }

  async request(id: RequestId): Promise<TeamRequest | undefined> {
    return (await this.#seenRequests())?.find(id);
  }

  async rules(): Promise<TeamRule[]> {
    const { team, key } = await this.#readAgain();
    const signature = await key.verifier();
    const requests = signature && (await this.#seenRequests());
    if (!requests) return [];
    const { addedRules, storedChanges } = await import("../protocols/added-rules.ts");
    const { permissionsOf } = await import("../members/signed-permissions.ts");
    const approved = await requests.list({ state: "approved", type: "permission" });
    return addedRules(storedChanges(approved, permissionsOf(team, signature).rules));
  }

  async modes(): Promise<MemberMode[]> {
    const { team, key } = await this.#readAgain();
    const signature = await key.verifier();
    if (!signature) return [];
    const { storedModes } = await import("../protocols/member-modes.ts");
    return storedModes(team, signature);
  }

  async mail(owner: MemberName, query: MailQuery): Promise<MailPage> {
    const { mailPage } = await import("./file-mail-view.ts");
    const { records, next } = await mailPage(await this.#mailOf(owner), query);
    const { team } = await this.#last();
    return { records: records.map((record) => withEnd(team, owner, record)), next };
  }

  async message(owner: MemberName, id: MessageId): Promise<ListedMail | undefined> {
    const { findMail } = await import("./file-mail-view.ts");
    const found = await findMail(await this.#mailOf(owner), id);
    return found && withEnd((await this.#last()).team, owner, found);
  }

  async unread(owner: MemberName): Promise<number> {
    const { team, layout, parts } = await this.#last();
    if (hasEnded(team, owner)) return 0;
    const { UnreadCount } = await import("../../mailbox/unread-count.ts");
    const { mailLayout } = await import("../../mailbox/mail-layout.ts");
    const count = parts.unread.get(owner) ?? new UnreadCount(mailLayout(layout.inbox, owner));
    parts.unread.set(owner, count);
    return count.read();
  }

  async seenTimes(
    owner: MemberName,
    messages: readonly Message[],
  ): Promise<Map<MessageId, string>> {
    const { layout } = await this.#last();
    const { findDeliveryTimes } = await import("./delivery-times.ts");
    return findDeliveryTimes(within(layout.transcripts, `${owner}.jsonl`), messages);
  }

  async transcript(member: MemberName, query: TranscriptQuery): Promise<TranscriptPage> {
    return (await this.#transcriptOf(member)).page(query);
  }

  async *followTranscript(
    member: MemberName,
    { after, signal }: FollowTranscript,
  ): AsyncGenerator<ListedEntry> {
    const transcript = await this.#transcriptOf(member);
    const { layout } = await this.#last();
    using wakes = await this.#watch(layout.transcripts);
    yield* transcript.follow(after, { wakes, signal });
  }

  async usage(): Promise<Map<MemberName, MemberUsage>> {
    return (await (await this.#usageReader()).readSums()).byMember();
  }

  async usageLines({ after, limit }: UsageQuery): Promise<UsagePage> {
    const reader = await this.#usageReader();
    const page = await reader.lines(limit, logPlaceAt(after));
    return { ...page, after: logCursor(page.after) };
  }

  async fileChanges(since: Date): Promise<KnownChanges> {
    return (await this.#history())?.since(since) ?? { changes: [], isWhole: true };
  }

  async fileContent(hash: string): Promise<Buffer | undefined> {
    return (await this.#history())?.content(hash);
  }

  async recentEvents(count: number): Promise<StoredEvent[]> {
    const wakes = { subscribe: () => () => undefined };
    const { layout } = await this.#last();
    const { FileEventReader } = await import("../../logs/file-event-reader.ts");
    const newestFirst: StoredEvent[] = [];
    for await (const stored of new FileEventReader({ path: layout.events, wakes }).newestFirst()) {
      if (newestFirst.push(stored) >= count) break;
    }
    return newestFirst.reverse();
  }

  async *events({ paceMs, ...options }: FollowEvents): AsyncGenerator<StoredEvent> {
    const { layout } = await this.#last();
    const { FileEventReader } = await import("../../logs/file-event-reader.ts");
    const { pacedWakes } = await import("../../lib/paced-wakes.ts");
    using watch = await this.#watch(layout.directory);
    const wakes = paceMs === undefined ? watch : pacedWakes(watch, this.#place.clock, paceMs);
    yield* new FileEventReader({ path: layout.events, wakes }).follow(options);
  }

  onChange(listener: (change: TeamChange) => void): () => void {
    return this.#changes.add(listener);
  }

  async bringLanded(workspace?: string): Promise<BroughtWork[]> {
    return (await this.#work()).bringLanded(workspace);
  }

  async cleanCheckouts(paths?: readonly string[]): Promise<CleanedCheckouts> {
    return (await this.#work()).cleanCheckouts(paths);
  }

  async restore(name: string): Promise<void> {
    if (this.#isArchived) throw archived(this.#place.directory);
    const { restoreTeam } = await import("../restore-team.ts");
    await restoreTeam(this.#place, name);
  }

  /** The team as it was last read. */
  #last(): Promise<OpenedTeam> {
    return this.#opened ?? this.#readAgain();
  }

  /** The current team: actions depend on the current roster. */
  async #readAgain(): Promise<OpenedTeam> {
    const known = this.#opened;
    const opened = openTeam({ ...this.#place, onWarning: this.#warnOnce }, known);
    this.#opened = opened;
    try {
      return await opened;
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  async #work(): Promise<TeamWork> {
    const { TeamWork } = await import("./team-work.ts");
    return new TeamWork(
      {
        landings: () => this.landings(),
        checkouts: () => this.#checkoutRecords(),
        teamId: async () => (await this.#last()).team.team_id,
      },
      this.#place.clock,
    );
  }

  async #checkoutRecords(): Promise<CheckoutRecord[]> {
    const { layout, key } = await this.#last();
    const signature = await key.verifier();
    if (!signature) return [];
    const { clock, onWarning: onDamage } = this.#place;
    const { StoredCheckouts } = await import("../../checkouts/stored-checkouts.ts");
    const { checkouts: directory } = layout;
    return StoredCheckouts.inFiles({ directory, clock, signature, onDamage }).list();
  }

  async #seenRequests(): Promise<StoredRequests | undefined> {
    const team = await this.#last();
    const signature = await team.key.verifier();
    if (!signature) this.#place.onWarning("Without the team's key no question can be shown.");
    return signature && this.#requests(team, signature);
  }

  async #requests({ layout, parts }: OpenedTeam, signature: Signature): Promise<StoredRequests> {
    const { clock, onWarning } = this.#place;
    const { StoredRequests } = await import("../../requests/stored-requests.ts");
    parts.requests ??= StoredRequests.inFiles({
      ...{ directory: layout.requests, signature, clock },
      ...{ onDamage: onWarning, onForgery: onWarning },
    });
    return parts.requests;
  }

  async #history(): Promise<ChangeHistory | undefined> {
    const signer = await (await this.#last()).key.verifier();
    if (!signer) return undefined;
    const { FileChangeHistory } = await import("../../workspace/file-change-history.ts");
    const { clock, onWarning, directory: team } = this.#place;
    const { checkpoints: directory } = teamLayout(team);
    return new FileChangeHistory({ directory, signer, clock, onWarning });
  }

  async #mailOf(owner: MemberName): Promise<FileMail> {
    const { layout, key } = await this.#last();
    const { mailLayout } = await import("../../mailbox/mail-layout.ts");
    return { layout: mailLayout(layout.inbox, owner), owner, signature: await key.verifier() };
  }

  async #transcriptOf(member: MemberName): Promise<FileTranscriptView> {
    const { layout, key, team } = await this.#last();
    const { FileTranscriptView } = await import("./file-transcript-view.ts");
    const { EntryChain } = await import("../../transcript/entry-chain.ts");
    const signature = await key.verifier();
    return new FileTranscriptView({
      path: within(layout.transcripts, `${member}.jsonl`),
      chain: signature && new EntryChain(signature, { teamId: team.team_id, member }),
      onDamage: this.#onDamage,
    });
  }

  async #usageReader() {
    const { layout, parts } = await this.#last();
    const { FileUsageReader } = await import("../../logs/file-usage-reader.ts");
    parts.usage ??= new FileUsageReader(layout.usage, { onDamage: this.#onDamage });
    return parts.usage;
  }

  async #leave(to: string, draft: MessageDraft): Promise<Message> {
    if (this.#isArchived) throw archived(this.#place.directory);
    const opened = await this.#readAgain();
    const owner = findRecipient(opened.team, to);
    const signature = await this.#signer(opened);
    const { leaveMail } = await import("../../mailbox/leave-mail.ts");
    const { LogHead } = await import("../../lib/log-head.ts");
    const { keyPlace, onWarning, clock } = this.#place;
    const place = { teamId: opened.team.team_id, ...keyPlace };
    const head = await LogHead.open(headPath(place, mailHead(owner)), { onWarning });
    const { inbox } = opened.layout;
    return leaveMail(draft, { inbox, owner, signature, now: clock.now(), head });
  }

  #signer({ key }: OpenedTeam): Promise<Signature> {
    return key.signer(() => this.lead());
  }

  async #watch(directory: OpenedTeam["layout"]["directory"]) {
    const { clock, onWarning } = this.#place;
    const { DirectoryWatch } = await import("../../lib/directory-watch.ts");
    return new DirectoryWatch({ directory, clock, onFallback: onWarning });
  }

  /** A roster that is damaged is so each time that it is read. */
  readonly #warnOnce = (message: string) => {
    if (this.#lastWarning === message) return;
    this.#lastWarning = message;
    this.#place.onWarning(message);
  };

  readonly #onDamage = ({ reason }: Damage) => this.#place.onWarning(reason);
}

function archived(directory: string): TeamError {
  return new TeamError("team-closed", `The team in ${directory} is archived`, {
    hint: "Bring it back first.",
  });
}

/** Mail that waits for an ended member will never be seen. */
function withEnd(team: TeamRecord, owner: MemberName, record: ListedMail): ListedMail {
  if (record.state !== "queued" || !hasEnded(team, owner)) return record;
  return { ...record, state: "undelivered" };
}
