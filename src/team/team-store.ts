import type { CheckoutRecords } from "../checkouts/checkout-records.ts";
import type { CronBook } from "../crons/cron-book.ts";
import type { Signature } from "../keys/signature.ts";
import type { Landings } from "../landing/landings.ts";
import type { EventLog } from "../logs/event-log.ts";
import type { UsageLedger } from "../logs/usage-ledger.ts";
import type { Mailbox, MailboxReader, MailboxReaderOptions } from "../mailbox/mailbox.ts";
import type { JobRecords } from "../processes/job-records.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import type { Requests } from "../requests/requests.ts";
import type { Roster } from "../roster/roster.ts";
import type { TaskBoard } from "../tasks/task-board.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { ChangeHistory } from "../workspace/change-history.ts";
import type { TeamView } from "./view/team-view.ts";

/** Everything a team keeps, in the hands of the one process that runs it. */
export interface TeamStore extends AsyncDisposable {
  /** The members and the status of each. */
  readonly roster: Roster;
  /** The tasks that the team shares. */
  readonly tasks: TaskBoard;
  /** The questions of the team's protocols, and their answers. */
  readonly requests: Requests;
  /** The work of members on its way to the target. */
  readonly landings: Landings;
  /** What is known of the members' checkouts. */
  readonly checkouts: CheckoutRecords;
  /** What observers see of the team. */
  readonly events: EventLog;
  /** What each model call used and cost. */
  readonly usage: UsageLedger;
  /** The background jobs whose owners do not know of their end yet. */
  readonly jobs: JobRecords;
  /** The prompts that members have scheduled. */
  readonly crons: CronBook;
  /** What files had in them before the team's tools changed them. */
  readonly history: ChangeHistory;
  /** Signs what decides something, so that no edit of a file can. */
  readonly signature: Signature;

  /** Aborted when another process has become the lead: from then on every write is refused. */
  readonly lost: AbortSignal;

  /** The team as seen from outside, for as long as the store is kept. */
  view(): TeamView;

  /** Leaves mail for a member. Throws `member-unknown` or `member-ended`; then no file appears. */
  send(to: string, draft: MessageDraft): Promise<Message>;

  /** The newest message in a member's mailbox that its transcript does not have yet, if any. */
  newestUnread(name: MemberName): Promise<MessageId | undefined>;

  /** Opens the files of one member. Until it is closed, the same object is returned again. */
  openMember(
    name: MemberName,
    options: Pick<MailboxReaderOptions, "onSetAside">,
  ): Promise<MemberStore>;

  /** Sets a member's transcript aside: it starts again with an empty one and its unread mail. */
  forget(name: MemberName): Promise<void>;
}

/**
 * The transcript of one member, and the mail that is not in it yet. The process that opened it
 * closes it; then it can be opened again, here or in another process.
 */
export interface MemberStore extends AsyncDisposable {
  /** Aborted when another process has the member: from then on every write is refused. */
  readonly lost: AbortSignal;

  /** What the member saw, said and did so far. */
  readonly transcript: Transcript;
  /** The member's inbox, to which anybody may append. */
  readonly mailbox: Mailbox;
  /** Gives only what the transcript does not have. */
  readonly reader: MailboxReader;
}
