import { hasErrno, TeamError } from "../errors.ts";
import type { Holder } from "../fence/fence.ts";
import { FileFence } from "../fence/file-fence.ts";
import type { Signature } from "../keys/signature.ts";
import { headPath, mailHead } from "../keys/team-key.ts";
import { appearanceOf } from "../lib/appearance.ts";
import { DirectoryWatch } from "../lib/directory-watch.ts";
import { within } from "../lib/file-path.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { Damage } from "../lib/json-lines.ts";
import { LogHead } from "../lib/log-head.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import { pacedWakes } from "../lib/paced-wakes.ts";
import type { FollowOptions } from "../logs/event-log.ts";
import { FileEventReader } from "../logs/file-event-reader.ts";
import { FileUsageReader } from "../logs/file-usage-reader.ts";
import { UsageHistory } from "../logs/usage-history.ts";
import { UsageTail } from "../logs/usage-tail.ts";
import { FileMailbox } from "../mailbox/file-mailbox.ts";
import {
  type HistoryOptions,
  lookAtLive,
  type MailLine,
  readMailLines,
  readRecords,
} from "../mailbox/mail-history.ts";
import { mailLayout } from "../mailbox/mail-layout.ts";
import { MailTail } from "../mailbox/mail-tail.ts";
import { MailWriter } from "../mailbox/mail-writer.ts";
import type { MailRecord } from "../mailbox/mailbox.ts";
import type { StoredEvent } from "../protocol/events.ts";
import {
  type MemberName,
  newRequestId,
  parseMemberName,
  type RequestId,
  user,
} from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import type { Request } from "../protocol/request.ts";
import type { Task } from "../protocol/task.ts";
import type { TeamRecord } from "../protocol/team.ts";
import type { UsageTotal } from "../protocol/usage.ts";
import { FileRequests } from "../requests/file-requests.ts";
import type { RequestFilter } from "../requests/requests.ts";
import { rosterFile } from "../roster/team-file.ts";
import { FileTaskBoard } from "../tasks/file-task-board.ts";
import { EntryChain } from "../transcript/entry-chain.ts";
import { MailWatch } from "./mail-watch.ts";
import { ObservedKey } from "./observed-key.ts";
import { answerMessage, findQuestion, type PersonsAnswer } from "./protocols/persons-answer.ts";
import { readTeam } from "./read-team.ts";
import { findRecipient } from "./recipient.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import { TranscriptView } from "./transcript-view.ts";

/**
 * A team as seen from any other process, running or not. It looks at everything and changes
 * nothing, but that it can leave mail, as the person, like anybody with the team's key.
 */
export class TeamObserver {
  readonly team: TeamRecord;
  readonly #place: TeamPlace;
  readonly #layout: TeamLayout;
  readonly #key: ObservedKey;
  #tasks: FileTaskBoard | undefined;
  #seenRequests: FileRequests | undefined;
  readonly #onDamage = ({ reason }: Damage) => this.#place.onWarning(reason);

  private constructor(place: TeamPlace, layout: TeamLayout, team: TeamRecord) {
    this.team = team;
    this.#place = place;
    this.#layout = layout;
    this.#key = new ObservedKey(place, team);
  }

  static async open(place: TeamPlace): Promise<TeamObserver> {
    // Closed when nobody looks through it any more.
    const held = openIfExists(place.directory);
    const team = held && (await readTeam(held.to(), place));
    if (team) return new TeamObserver(place, teamLayout(held.to()), team).#tellIfForeign();
    throw new TeamError("team-missing", `There is no team in ${place.directory}`, {
      hint: "Go to the directory of a team, or name its directory with --team-dir.",
    });
  }

  /** Whoever runs the team; undefined when nobody does. */
  async lead(): Promise<Holder | undefined> {
    const { clock, processes, onWarning } = this.#place;
    const directory = this.#layout.fence;
    const fence = new FileFence({ directory, clock, processes, onNotice: onWarning });
    const holder = await fence.look();
    return holder?.isAlive ? holder : undefined;
  }

  async tasks(): Promise<Task[]> {
    const { clock, onWarning: onDamage } = this.#place;
    const directory = this.#layout.tasks;
    const signature = await this.#key.toSee();
    this.#tasks ??= new FileTaskBoard({ directory, clock, signature, onDamage });
    return this.#tasks.list();
  }

  /**
   * What happened after event number `after`, then what happens, until `signal` aborts. With
   * `paceMs`, the log is looked at no more often than that: it costs less the more happens.
   */
  async *follow(options: FollowOptions & { paceMs?: number }): AsyncGenerator<StoredEvent> {
    const { clock, onWarning } = this.#place;
    const { directory, events: path } = this.#layout;
    using watch = new DirectoryWatch({ directory, clock, onFallback: onWarning });
    const { paceMs, ...rest } = options;
    const wakes = paceMs === undefined ? watch : pacedWakes(watch, clock, paceMs);
    yield* new FileEventReader({ path, wakes }).follow(rest);
  }

  /** The newest events that are kept, at most `count`, oldest first. */
  async recentEvents(count: number): Promise<StoredEvent[]> {
    const wakes = { subscribe: () => () => undefined };
    const newestFirst: StoredEvent[] = [];
    const reader = new FileEventReader({ path: this.#layout.events, wakes });
    for await (const stored of reader.newestFirst()) {
      if (newestFirst.push(stored) >= count) break;
    }
    return newestFirst.reverse();
  }

  /** What a member saw, said and did. */
  transcript(name: MemberName): TranscriptView {
    const { clock, onWarning } = this.#place;
    const directory = this.#layout.transcripts;
    return new TranscriptView({
      path: within(directory, `${name}.jsonl`),
      chain: () => this.#chain(name),
      onDamage: this.#onDamage,
      watch: () => new DirectoryWatch({ directory, clock, onFallback: onWarning }),
    });
  }

  /** What each member's model calls have cost so far. */
  usage(): Promise<Map<MemberName, UsageTotal>> {
    return new FileUsageReader(this.#layout.usage, { onDamage: this.#onDamage }).totals();
  }

  /** The same, to be kept up by what is new alone. */
  usageTail(): UsageTail {
    return new UsageTail({ path: this.#layout.usage, onDamage: this.#onDamage });
  }

  /** The calls themselves, as far back as they are kept, and later those that came since. */
  usageHistory(): UsageHistory {
    return new UsageHistory({ path: this.#layout.usage, onDamage: this.#onDamage });
  }

  /** The lead and everybody who is or was in the team. */
  members(): MemberName[] {
    return [this.team.lead, ...this.team.members.map(({ name }) => name)];
  }

  /** A member by the name a person typed; it may have ended. */
  findMember(name: string): MemberName {
    const member = parseMemberName(name);
    if (this.members().includes(member)) return member;
    throw new TeamError("member-unknown", `Nobody here is named '${member}'`, {
      hint: `Members: ${this.members().join(", ")}.`,
    });
  }

  /** A member's mail, newest first. What waits for a member that has ended is undelivered. */
  async *mail(owner: MemberName): AsyncGenerator<MailRecord> {
    const hasEnded = this.team.members.some(
      ({ name, status }) => name === owner && status === "shutdown",
    );
    for await (const record of readRecords(await this.#mailbox(owner))) {
      if (hasEnded && record.state === "queued") yield { ...record, state: "undelivered" };
      else yield record;
    }
  }

  /** A member's mail, newest first, by lines: each says from where it can be gone on with. */
  async *mailLines(
    owner: MemberName,
    options: Pick<HistoryOptions, "before" | "having"> = {},
  ): AsyncGenerator<MailLine> {
    yield* readMailLines({ ...(await this.#mailbox(owner)), ...options });
  }

  /** What comes into a member's mailbox from now on, and how far the member gets with it. */
  async mailTail(owner: MemberName): Promise<MailTail> {
    return MailTail.open(await this.#mailbox(owner));
  }

  /** Says when there may be new mail for somebody. */
  watchMail(): MailWatch {
    return new MailWatch(this.#layout.inbox, this.#place.clock);
  }

  /** What tells one state of the team's files from the next; undefined for those there are not. */
  async appearance(): Promise<TeamAppearance> {
    const { directory, tasks, requests, usage } = this.#layout;
    const [roster, ...others] = await Promise.all(
      [within(directory, rosterFile), tasks, requests, usage].map(appearanceOf),
    );
    return { roster, tasks: others[0], requests: others[1], usage: others[2] };
  }

  /** Leaves a message of the person. It is seen when the team runs. */
  send(to: string, content: string): Promise<Message> {
    return this.#leave(to, { type: "message", from: user, content });
  }

  /** Leaves a message of the person to everybody who is alive. Resolves to how many that are. */
  async broadcast(content: string): Promise<number> {
    const alive = this.team.members.filter(({ status }) => status !== "shutdown");
    const recipients = [this.team.lead, ...alive.map(({ name }) => name)];
    for (const to of recipients) {
      await this.#leave(to, { type: "broadcast", from: user, content });
    }
    return recipients.length;
  }

  /** What waits for an answer, approvals and plans for the person among them. */
  openRequests(): Promise<Request[]> {
    return this.requests({ state: "pending" });
  }

  /** All questions of the team's protocols, open and decided, oldest first. */
  async requests(filter: RequestFilter = {}): Promise<Request[]> {
    return this.#requests(await this.#toSign()).list(filter);
  }

  /** The ids of all questions there were, oldest first. */
  async requestIds(): Promise<RequestId[]> {
    return (await this.#requestsToSee())?.ids() ?? [];
  }

  /** One question. Undefined where there is none, or no key to tell what troupe has written. */
  async request(id: RequestId): Promise<Request | undefined> {
    return (await this.#requestsToSee())?.find(id);
  }

  /** Answers a question that is put to the person. Whoever runs the team carries it out. */
  async answer(id: string, answer: PersonsAnswer): Promise<void> {
    const request = await findQuestion(this.#requests(await this.#toSign()), id);
    await this.#leave(request.from, answerMessage(request, answer));
  }

  /** Ends a teammate without asking it; all of them, and the lead's run, unless said. */
  async stop(name: string = this.team.lead): Promise<void> {
    const request_id = newRequestId(this.#place.clock.now());
    await this.#leave(name, { type: "shutdown_request", from: user, request_id });
  }

  async #chain(member: MemberName): Promise<EntryChain | undefined> {
    const signature = await this.#key.toSee();
    return signature && new EntryChain(signature, { teamId: this.team.team_id, member });
  }

  async #mailbox(owner: MemberName) {
    const layout = mailLayout(this.#layout.inbox, owner);
    return { layout, owner, signature: await this.#key.toSee() };
  }

  async #requestsToSee(): Promise<FileRequests | undefined> {
    const signature = await this.#key.toSee();
    if (!signature) this.#place.onWarning("Without the team's key no question can be shown.");
    this.#seenRequests ??= signature && this.#requests(signature);
    return this.#seenRequests;
  }

  async #leave(to: string, draft: MessageDraft): Promise<Message> {
    const owner = findRecipient(this.team, to);
    const signature = await this.#toSign();
    await ensurePrivateDirectory(this.#layout.inbox);
    using writer = new MailWriter();
    const mailbox = new FileMailbox({
      inbox: this.#layout.inbox,
      owner,
      signature,
      clock: this.#place.clock,
      writer,
      watch: { subscribe: () => () => undefined },
      check: async () => undefined,
      onWarning: this.#place.onWarning,
    });
    const message = await mailbox.append(draft);
    await this.#markMail(owner);
    return message;
  }

  /** Nobody may read this mail for days: until then it must be missed where it gets lost. */
  async #markMail(owner: MemberName): Promise<void> {
    const { keyPlace, onWarning } = this.#place;
    const teamId = this.team.team_id;
    const layout = mailLayout(this.#layout.inbox, owner);
    const head = await LogHead.open(headPath({ teamId, ...keyPlace }, mailHead(owner)), onWarning);
    const live = await lookAtLive(layout);
    if (live) head.advance([live]);
  }

  /** A person who looks at a team should know at once whose words these are. */
  async #tellIfForeign(): Promise<this> {
    await this.#key.toSee();
    return this;
  }

  #toSign(): Promise<Signature> {
    return this.#key.toSign(() => this.lead());
  }

  #requests(signature: Signature): FileRequests {
    const { clock, onWarning } = this.#place;
    return new FileRequests({
      directory: this.#layout.requests,
      signature,
      clock,
      onDamage: onWarning,
      onForgery: onWarning,
    });
  }
}

function openIfExists(directory: string): OwnDirectory | undefined {
  try {
    return OwnDirectory.open(directory);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    if (!hasErrno(error, "ENOTDIR")) throw error;
    throw new TeamError("team-unusable", `${directory} is a file, not a team's directory`, {
      cause: error,
      hint: "Move it away, or name another directory with --team-dir.",
    });
  }
}

/** See `TeamObserver.appearance`. */
export type TeamAppearance = Record<"roster" | "tasks" | "requests" | "usage", string | undefined>;
