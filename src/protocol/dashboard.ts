import type { Message, Outcome } from "./message.ts";
import type { RequestState, RequestType } from "./request.ts";
import type { Task } from "./task.ts";
import type { MemberStatus } from "./team.ts";
import type { StopReason } from "./transcript.ts";
import type { Usage } from "./usage.ts";

/**
 * What the dashboard's server tells its page. The server makes the views, so they are types alone.
 * Names of members are plain text here: what a file claims is shown, and decides nothing.
 */

/** A member as a person wants to see it. */
export interface MemberView {
  name: string;
  role: string;
  is_lead: boolean;
  status: MemberStatus;
  model: string | null;
  color: string | null;
  permission_mode: string | null;
  plan_required: boolean;
  cwd: string | null;
  /** What it does at this moment; null where its status says it all. */
  doing: Doing | null;
  /** Whom or what it waits for: the person, the lead, its provider. */
  waits_for: string | null;
  tokens: number;
  cost_usd: number;
  /** Calls that have no price in `cost_usd`. */
  unpriced_calls: number;
  /** How full its model's context was at the last turn. `window` is null where it is not known. */
  context: { tokens: number; window: number | null } | null;
  /** When it last did anything. */
  last_activity: string | null;
  /** Mail in its mailbox that has not been seen. */
  unread: number;
}

export interface Doing {
  /** Such as `writes`, `thinks`, or what its tool is called with. */
  text: string;
  tool: string | null;
  since: string;
}

/** Mail between two, and how far it has got. */
export interface MessageView {
  id: string;
  /** A line that is no mail is `set-aside`. */
  type: Message["type"] | "set-aside";
  from: string;
  to: string;
  /** Null for what was set aside: it has no time that could be trusted. */
  sent_at: string | null;
  /** When its recipient saw it; null where it has not, or where that is not known. */
  seen_at: string | null;
  state: "queued" | "delivered" | "undelivered" | "set-aside";
  /** How its text begins; `is_cut` when there is more. */
  text: string;
  is_cut: boolean;
  /** What else its type says, such as `outcome`, `approve` or `task_id`. */
  facts: Readonly<Record<string, string>>;
}

/** A line of a change to a file. */
export interface DiffLine {
  type: "same" | "added" | "removed" | "skipped";
  text: string;
}

/** A question of one of the protocols. */
export interface RequestView {
  id: string;
  type: RequestType;
  from: string;
  to: string;
  created_at: string;
  state: RequestState;
  /** The hash of exactly what is asked: an answer names it. */
  hash: string;
  /** True where the person may answer it, and nobody has. */
  is_open: boolean;
  tool: string | null;
  /** The argument that says most, such as the file's path. */
  summary: string | null;
  /** Exactly what would run, or the plan, with hidden characters spelt out. */
  shown: string;
  /** What it would change in a file. */
  diff: readonly DiffLine[] | null;
  reason: string | null;
  /** What the answer "always" would allow from then on. */
  rule: string | null;
  decision: { by: string; at: string; reason: string | null; rule: string | null } | null;
}

export type TaskView = Pick<
  Task,
  | "id"
  | "subject"
  | "description"
  | "status"
  | "owner"
  | "blocked_by"
  | "result"
  | "created_by"
  | "created_at"
  | "updated_at"
>;

/** Why there is nothing to see: what is wrong with the directory, and what to do about it. */
export interface Obstacle {
  code: string;
  message: string;
  hint: string | null;
}

/** Everything that the first screen shows. */
export interface RoomState {
  /** The program's own; a page of another version reloads itself. */
  version: string;
  /** The team directory. */
  directory: string;
  /** Null until there is a team. */
  team: { id: string; name: string } | null;
  obstacle: Obstacle | null;
  /** Who runs the team; null when nobody does. */
  running: { pid: number; host: string } | null;
  members: readonly MemberView[];
  tasks: readonly TaskView[];
  /** All that are open, and the newest of those that were decided. */
  requests: readonly RequestView[];
  /** The newest, oldest first. `GET /api/messages` has the others. */
  messages: readonly MessageView[];
  /** Records that are damaged, and what else a person should know. */
  problems: readonly string[];
}

/**
 * What is new since the last `state` or `change`. Records take the place of those of the same key
 * (name or id); the rest is what it was where it is absent.
 */
export interface RoomChange {
  running?: RoomState["running"];
  members?: readonly MemberView[];
  tasks?: readonly TaskView[];
  requests?: readonly RequestView[];
  messages?: readonly MessageView[];
  problems?: readonly string[];
  /** Whose transcripts have grown. */
  grown?: readonly string[];
}

/** What the watched member says or puts out at this moment, before it is in its transcript. */
export interface LiveText {
  member: string;
  /** Another number, another text: the one before is void. */
  key: number;
  kind: "thinks" | "writes" | "runs";
  /** Where `text` belongs: everything before is known. 0 starts again. */
  from: number;
  text: string;
}

/** The names of the events of `GET /api/stream`, and what each carries. */
export interface StreamEvents {
  state: RoomState;
  change: RoomChange;
  live: LiveText;
}

/** A piece of a model's reply. What the provider alone reads is left out. */
export type ReplyBlockView =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | {
      type: "tool-call";
      call_id: string;
      name: string;
      /** The argument that says most. */
      summary: string;
      /** Everything it was called with, as JSON, hidden characters spelt out. */
      input: string;
      diff: readonly DiffLine[] | null;
    };

/** Something a member saw, said or did. */
export type EntryView = { cursor: string; at: string | null } & (
  | { type: "profile"; system: string; model: string }
  | { type: "mail"; message: MessageView }
  | { type: "note"; text: string }
  | { type: "run-start" }
  | { type: "run-end"; outcome: Outcome; reason: string | null }
  | {
      type: "reply";
      blocks: readonly ReplyBlockView[];
      stop: StopReason;
      usage: Usage | null;
    }
  | {
      type: "tool-result";
      call_id: string;
      output: string;
      is_cut: boolean;
      is_error: boolean;
      /** What kind of pictures came with it. */
      images: readonly string[];
    }
  | { type: "compaction"; summary: string }
  /** A line that is no entry. */
  | { type: "damaged"; reason: string }
);

export interface EntriesPage {
  member: string;
  /** Oldest first. */
  entries: readonly EntryView[];
  /** For the entries before these; null where there are none. */
  before: string | null;
  /** For the entries that come after. */
  after: string;
  /** True when `after` was asked for a transcript that another one has replaced since: these are its newest entries. */
  is_restarted: boolean;
}

export interface MessagesPage {
  /** Oldest first. */
  messages: readonly MessageView[];
  /** For the messages before these; null where there are none. */
  before: string | null;
}

/** What each member has cost, added up over time. */
export interface CostView {
  /** The ends of equal spans of time, oldest first. */
  times: readonly string[];
  /** For each of `times`, what had been spent and used by then. */
  members: readonly {
    name: string;
    cost_usd: readonly number[];
    tokens: readonly number[];
    unpriced_calls: number;
  }[];
}

/** What happened since the person last looked. */
export interface AwayView {
  since: string;
  /** How many messages were sent; `has_more` when there were more than were counted. */
  messages: number;
  has_more: boolean;
  /** How teammates' runs ended. */
  results: readonly MessageView[];
  tasks: readonly TaskView[];
  /** Asked or decided since. */
  requests: readonly RequestView[];
  cost_usd: number;
}

/** A team as one file holds it: everything that the page would ask its server for. */
export interface RecordedRun {
  exported_at: string;
  state: RoomState;
  /** Whole, oldest first. */
  messages: readonly MessageView[];
  /** Oldest first. */
  transcripts: readonly { member: string; entries: readonly EntryView[] }[];
  cost: CostView;
  /** What the file does not have, a sentence each. */
  left_out: readonly string[];
  /** How many secrets were masked. */
  masked: number;
}

/** What an answer of the API looks like when it is a refusal. */
export interface ApiError {
  error: Obstacle;
}

/**
 * What `POST /api/session` answers a request that a token has signed. The session's key is
 * `HMAC(token's key, "session <id> <signature of the request>")`: it is not sent.
 */
export interface Admission {
  /** The id that every later request names in `X-Troupe-Proof`. */
  session: string;
}
