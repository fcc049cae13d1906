import type { ListedCheckout } from "../../checkouts/listed-checkouts.ts";
import type { FenceHolder } from "../../fence/fence.ts";
import type { FollowLogOptions } from "../../logs/event-log.ts";
import type { MailState } from "../../mailbox/mailbox.ts";
import type { StoredEvent } from "../../protocol/events.ts";
import type { LandingId, MemberName, MessageId, RequestId } from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { Message, PermissionMode } from "../../protocol/message.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Task } from "../../protocol/task.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import type { UsageLine, UsageReport } from "../../protocol/usage.ts";
import type { RequestFilter } from "../../requests/requests.ts";
import type { KnownChanges } from "../../workspace/change-history.ts";
import type { BroughtWork } from "../landings/bring-landed.ts";
import type { LandingChanges } from "../landings/landing-changes.ts";
import type { LandingDecision } from "../landings/landing-order.ts";
import type { MemberMode } from "../protocols/member-modes.ts";
import type { PersonsAnswer } from "../protocols/persons-answer.ts";
import type { RuleDraft, TeamRule } from "../protocols/team-rules.ts";
import type { ArchivedTeam } from "./archived-team.ts";

/**
 * A place in something that is read in pages, from the view that gave it, in any process. It has
 * only letters, digits, `-` and `_`, and no more than 120 of them.
 */
export type PageCursor = string;

/**
 * A team as seen and acted on from outside: from any process, whether or not the team runs. The
 * commands and the dashboard use nothing else, so they work with every store that has a view.
 *
 * Looking changes nothing. What a person does from outside is mail, which the process that runs
 * the team carries out. Every method that needs a team throws `team-missing` where there is none.
 *
 * Every backend promises, and src/testing/conformance/team-view.ts checks, that:
 * - pages give each record once, whatever is added meanwhile;
 * - what is stored when a method is called is in its answer;
 * - a listener of `onChange` is called after each change, by whichever process.
 */
export interface TeamView extends TeamActions {
  /**
   * Where the team is kept: the absolute path of its directory, or a URL. Teams that exist at the same time have
   * different ones.
   */
  readonly location: string;
  /** A view of the same team with its own memory of what it has read. `onWarning` gets what a person should know of the records. */
  reopen(onWarning: (message: string) => void): TeamView;

  /** Whether it was made with a key of the person; anybody's team can be looked at. */
  isOwn(): Promise<boolean>;
  /** The teams that were set aside for this one or for one before it, as far as they can be read, newest first. */
  archives(): Promise<ArchivedTeam[]>;
  /** Opens one of them, by its name. Throws `team-missing` where none has it. */
  archive(name: string): Promise<ArchivedTeamView>;

  /** The roster as it is now. */
  team(): Promise<TeamRecord>;
  /** The process that runs the team; undefined while nobody does. */
  lead(): Promise<FenceHolder | undefined>;
  /** All tasks of the team, oldest first. */
  tasks(): Promise<Task[]>;
  /** The work that members have handed in to land, oldest first. Empty if it cannot be verified. */
  landings(): Promise<Landing[]>;
  /**
   * What a landing would change in its target, or has changed there: its files, with their texts. Throws
   * `landing-unknown`, `git-missing`, and `repository-unusable` where the person's repository does not have the work.
   */
  landingChanges(id: LandingId): Promise<LandingChanges>;
  /** The checkouts of members, with those of earlier lives, as far as their files are there. Empty if they cannot be verified. */
  checkouts(): Promise<ListedCheckout[]>;
  /** Looks through the files of a checkout, which can take seconds. Throws `checkout-failed` for an unknown path. */
  inspectCheckout(path: string): Promise<CheckoutContents>;

  /** The questions of the team's protocols, open and decided, oldest first. */
  requests(filter?: RequestFilter): Promise<TeamRequest[]>;
  /** The ids of all requests, oldest first. Empty if they cannot be verified. */
  requestIds(): Promise<RequestId[]>;
  /** One question; undefined if it is missing, or cannot be verified. */
  request(id: RequestId): Promise<TeamRequest | undefined>;

  /**
   * The permission rules that the person added for all members, by answers or otherwise, oldest first.
   * Those of settings and flags are known only to the process that was started with them. Empty if
   * they cannot be verified.
   */
  rules(): Promise<TeamRule[]>;

  /**
   * The permission mode of each living member, the lead first: as it is, or as it was while the team ran.
   * What cannot be verified is left out.
   */
  modes(): Promise<MemberMode[]>;

  /** A member's mail, newest first. */
  mail(owner: MemberName, query: MailQuery): Promise<MailPage>;
  /** One message or set-aside line; undefined if the mailbox no longer has one with this id. */
  message(owner: MemberName, id: MessageId): Promise<ListedMail | undefined>;
  /** How many messages wait to be seen by the member's model. */
  unread(owner: MemberName): Promise<number>;
  /**
   * The time at which each of `messages` came into its recipient's transcript. Messages that are
   * not found with reasonable effort are left out.
   */
  seenTimes(owner: MemberName, messages: readonly Message[]): Promise<Map<MessageId, string>>;

  /** A part of a member's transcript: its newest entries, those before a place, or those after one. */
  transcript(member: MemberName, query: TranscriptQuery): Promise<TranscriptPage>;
  /**
   * Each entry that is appended after `after`, until `signal` aborts: in order, none twice. If the
   * member begins a new transcript, the old one is read to its end first.
   */
  followTranscript(member: MemberName, options: FollowTranscript): AsyncIterable<ListedEntry>;

  /** The cost of each member's model calls so far. */
  usage(): Promise<Map<MemberName, MemberUsage>>;
  /** The calls themselves, oldest first, as far back as they are kept. */
  usageLines(query: UsageQuery): Promise<UsagePage>;

  /** The changes of files by the team's tools since then, from right before each. Empty if they cannot be verified. */
  fileChanges(since: Date): Promise<KnownChanges>;
  /** What a file had in it before such a change, by the SHA-256 of it; undefined where it is not kept. */
  fileContent(hash: string): Promise<Buffer | undefined>;

  /** The newest events that are kept, at most `count`, oldest first. */
  recentEvents(count: number): Promise<StoredEvent[]>;
  /** The events after number `after`, then new ones, until `signal` aborts. */
  events(options: FollowEvents): AsyncIterable<StoredEvent>;

  /**
   * Calls `listener` after each change of the team, sometimes late by a second or two, and
   * sometimes though nothing has changed. Returns how to stop it.
   */
  onChange(listener: (change: TeamChange) => void): () => void;
}

/** A team that can only be looked at. */
export type ArchivedTeamView = Omit<TeamView, keyof TeamActions>;

/**
 * What a person can do to a team from any process: each is mail, which the team carries out; but what has landed is brought
 * to the person's files at once, retired checkouts, which nobody works in, are removed at once, and teams change places at once.
 */
export interface TeamActions {
  /** Leaves a message of the person. Throws `member-unknown` or `member-ended`. */
  send(to: string, content: string): Promise<Message>;
  /** Sends a message of the person to all live members. Resolves to their number. */
  broadcast(content: string): Promise<number>;
  /** Answers a question that is put to the person. */
  answer(id: string, answer: PersonsAnswer): Promise<void>;
  /** Ends a teammate without asking it; default: all of them, and the lead's run. */
  stop(name?: string): Promise<void>;
  /** Adds a permission rule for all members. Throws `config-invalid` where it is none. */
  addRule(draft: RuleDraft): Promise<void>;
  /** Removes a permission rule that was added to the team. Throws `config-invalid` where it has none such. */
  removeRule(draft: RuleDraft): Promise<void>;
  /**
   * Changes a member's permission mode, and never to one that is wider than the lead's: then it throws
   * `config-invalid`. Throws `member-unknown` or `member-ended`.
   */
  setMode(name: string, mode: PermissionMode): Promise<void>;
  /**
   * Decides whether work may land, for exactly the commit that the person has seen. Throws `landing-unknown`,
   * `landing-changed` where it has another commit, and `landing-refused` where its state is final.
   */
  decideLanding(decision: LandingDecision): Promise<void>;
  /**
   * Brings what has landed to the branch that is checked out in `workspace` (default: where the repository of the checkouts
   * has its own files), and to its files, one answer for each target.
   * A file that is not as git last knew it stays as it is. Throws `landing-refused` and `repository-unusable` where
   * nothing can be brought.
   */
  bringLanded(workspace?: string): Promise<BroughtWork[]>;
  /**
   * Removes retired checkouts: those at `paths`, or all. One whose work cannot be kept in the person's repository before,
   * or in which something runs, stays.
   */
  cleanCheckouts(paths?: readonly string[]): Promise<CleanedCheckouts>;
  /**
   * Brings an archived team back, by its name, and sets the present one aside in its place. Throws `lead-alive` while a
   * process runs the team, `team-missing` where the archive has no such team, and `team-foreign` where it is not the
   * person's. A process that dies in the middle has changed nothing, or the next start completes the change, as does to
   * repeat the call.
   */
  restore(name: string): Promise<void>;
}

/** What is found in a checkout. */
export interface CheckoutContents {
  /** What its files take of the disk. */
  bytes: number;
  /**
   * Ignored files that `.worktreeinclude` does not name, so that nothing keeps them; directories end with a slash. Null
   * where git does not say it.
   */
  unkept: string[] | null;
}

/** What came of removing checkouts. */
export interface CleanedCheckouts {
  /** Those whose files are gone. */
  removed: ListedCheckout[];
  /** Those that are still there, each with the reason. */
  stayed: { checkout: ListedCheckout; reason: string }[];
}

/** Which part of a member's mail is wanted. */
export interface MailQuery {
  /** The record to begin with; default: the newest. */
  from?: PageCursor | undefined;
  /** The most records of the page. */
  limit: number;
}

/** A part of a member's mail. */
export interface MailPage {
  /** Newest first. */
  records: ListedMail[];
  /** Where the next page begins; null where nothing is older. */
  next: PageCursor | null;
}

/** A message, or a line that was set aside. Unread mail of an ended member is undelivered. */
export type ListedMail = { cursor: PageCursor } & (
  | { state: MailState; message: Message }
  | { state: "set aside"; id: MessageId; reason: string; text: string }
);

/** Which part of a member's transcript is wanted (default: the newest entries). */
export interface TranscriptQuery {
  /** Only entries before this place. */
  before?: PageCursor | undefined;
  /** Only entries after this place, the oldest of them first; null: from the first entry on. Not with `before`. */
  after?: PageCursor | null | undefined;
  /** A page may have fewer entries though there are more, where they are large. */
  limit: number;
}

/** A part of a member's transcript. */
export interface TranscriptPage {
  /** Oldest first. */
  entries: ListedEntry[];
  /** For the entries before these; null where there are none. */
  before: PageCursor | null;
  /** For the entries that come after these. */
  after: PageCursor;
  /** True where another transcript has replaced the one of the query: these are its newest entries. */
  isRestarted: boolean;
}

/** A record of a transcript. `entry` is null for one that is damaged, and `damage` says how. */
export type ListedEntry = { cursor: PageCursor } & (
  | { entry: TranscriptEntry; damage: null }
  | { entry: null; damage: string }
);

/** From where and until when a reader follows a transcript. */
export interface FollowTranscript {
  /** Only entries after this place are given: the `after` of a page, for example. */
  after: PageCursor;
  /** Ends the following when it is aborted. */
  signal: AbortSignal;
}

/** The usage and cost of a member's model calls, and the model that it uses. */
export interface MemberUsage extends UsageReport {
  /** The model that the member last called; null where it is no longer known. */
  model: string | null;
}

/** Which part of the list of a team's model calls is wanted (default: its beginning). */
export interface UsageQuery {
  /** Only what came after this place. */
  after?: PageCursor | undefined;
  /** The most lines of the page. */
  limit: number;
}

/** A part of the list of a team's model calls. */
export interface UsagePage {
  /** Oldest first. */
  lines: UsageLine[];
  /** For the lines that come after these. */
  after: PageCursor;
  /** True where `after` is a place in a ledger that was replaced: these are the first lines of the new one. */
  isRestarted: boolean;
}

/** From where, until when and how often a reader follows the events of a team. */
export interface FollowEvents extends FollowLogOptions {
  /** The least time between two looks: following costs less the more happens. */
  paceMs?: number;
}

/** What has changed. `mail` is about new mail, `mail-read` about how far its owner has come with it. */
export type TeamChange =
  | { type: "team" | "lead" | "tasks" | "requests" | "landings" | "usage" }
  | { type: "mail" | "mail-read"; member: MemberName };
