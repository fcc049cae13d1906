import type { Landing } from "./landing.ts";
import type { Message, PermissionMode, RunOutcome } from "./message.ts";
import type { RequestState, RequestType } from "./request.ts";
import type { Task } from "./task.ts";
import type { MemberStatus } from "./team.ts";
import type { StopReason } from "./transcript.ts";
import type { TokenUsage } from "./usage.ts";

/**
 * What the dashboard's server sends to its page. The server makes these views, so they are only
 * types. Names of members are plain text here: the claim of a file is shown, but nothing depends on
 * it.
 */

/** A member as the page shows it. */
export interface MemberView {
  name: string;
  role: string;
  is_lead: boolean;
  status: MemberStatus;
  model: string | null;
  color: string | null;
  /** The mode in force; null where that is not known, and for a member that has ended. */
  permission_mode: PermissionMode | null;
  /** True for a teammate whose mode changes with the lead's. */
  follows_lead: boolean;
  plan_required: boolean;
  cwd: string | null;
  /** What it does at this moment; null if its status says everything. */
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
  /** Such as `writes`, `thinks`, or the main argument of its tool call. */
  text: string;
  tool: string | null;
  since: string;
}

/** A message, and how far its delivery has got. */
export interface MessageView {
  id: string;
  /** The type `set-aside` is for a line that is not a message. */
  type: Message["type"] | "set-aside";
  from: string;
  to: string;
  /** Null for a line that was set aside: it has no trusted time. */
  sent_at: string | null;
  /** When its recipient saw it; null if it has not, or if that is not known. */
  seen_at: string | null;
  state: "queued" | "delivered" | "undelivered" | "withdrawn" | "set-aside";
  /** How its text begins; `is_cut` when there is more. */
  text: string;
  is_cut: boolean;
  /** Further fields of its type, such as `outcome`, `approve` or `task_id`. */
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
  /** The hash of the exact question; an answer must name it. */
  hash: string;
  /** True if the person may answer it and nobody has yet. */
  is_open: boolean;
  tool: string | null;
  /** The main argument, such as the file's path, or what the tool says about the call. */
  summary: string | null;
  /** The exact call, after what its tool says about it, or the plan. Hidden characters are spelled out. */
  shown: string;
  /** What it would change in a file. */
  diff: readonly DiffLine[] | null;
  reason: string | null;
  /** What the answer "always" would allow from then on. */
  rule: string | null;
  decision: { by: string; at: string; reason: string | null; rule: string | null } | null;
}

/** A permission rule that was added to the running team. */
export interface RuleView {
  decision: "allow" | "ask" | "deny";
  /** The rule exactly as it was added: who removes it must name it so. */
  rule: string;
  /** The rule with hidden characters spelled out. */
  shown: string;
  /** `answer`: the person answered a question with "always"; `person`: it was added by itself. */
  from: "answer" | "person";
  since: string;
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

/** The work of a member on its way to its target. */
export type LandingView = Pick<
  Landing,
  "id" | "member" | "target" | "state" | "attempt" | "commit" | "ref" | "reason" | "replaced_by"
> & {
  /** True while a decision of the person makes it land, or try again. */
  can_land: boolean;
  can_discard: boolean;
  /** The files in conflict. */
  files: readonly string[];
  /** The check that it has not passed. */
  check: { command: string; reason: string; output: string } | null;
  created_at: string;
  updated_at: string;
};

/** What a landing would change in its target, or has changed there. */
export interface LandingChangesView {
  id: string;
  /** The commit that these are the changes of: who decides names it. */
  commit: Landing["commit"];
  files: readonly {
    path: string;
    change: "added" | "changed" | "removed";
    added: number;
    removed: number;
    diff: readonly DiffLine[] | null;
    /** Why there is no diff, such as `binary`. */
    reason: string | null;
  }[];
  /** How many more files differ. */
  more: number;
}

/** What came of bringing landed work to the person's branch, one for each target. */
export interface BroughtView {
  results: readonly {
    type: "nothing" | "brought" | "conflict" | "blocked";
    target: string;
    branch: string;
    /** Those that have changed, that are in conflict, or that stay as they are, with the reason. */
    files: readonly { path: string; reason: string | null }[];
    /** How many more files there are. */
    more: number;
  }[];
}

/** What came of removing retired checkouts. */
export interface CleanedView {
  removed: number;
  /** Those that are still there. */
  stayed: readonly { member: string; reason: string }[];
}

/** The checkouts of members, with those of earlier lives. */
export interface CheckoutsView {
  checkouts: readonly {
    member: string;
    state: "making" | "ready" | "retired";
    path: string;
    since: string;
    /** What its files take of the disk. */
    bytes: number;
    /** Ignored files that nothing keeps. */
    unkept: readonly string[];
  }[];
}

/** Why no team can be shown, and what to do about it. */
export interface Obstacle {
  code: string;
  message: string;
  hint: string | null;
}

/** Everything that the first screen shows. */
export interface RoomState {
  /** The version of the program; a page of another version reloads itself. */
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
  /** All open requests, and the newest of the decided ones. */
  requests: readonly RequestView[];
  /** The rules that were added to the team, without those that it was started with. */
  rules: readonly RuleView[];
  /** The work that members have handed in, oldest first: all that is not in its target, and the newest of the rest. */
  landings: readonly LandingView[];
  /** The newest, oldest first. `GET /api/messages` has the others. */
  messages: readonly MessageView[];
  /** Damaged records, and other problems that a person should know of. */
  problems: readonly string[];
}

/**
 * What is new since the last `state` or `change`. Records replace those of the same key (name or
 * id); a field that is absent has not changed.
 */
export interface RoomChange {
  running?: RoomState["running"];
  members?: readonly MemberView[];
  tasks?: readonly TaskView[];
  requests?: readonly RequestView[];
  /** All of them. */
  rules?: readonly RuleView[];
  /** All of them. */
  landings?: readonly LandingView[];
  messages?: readonly MessageView[];
  problems?: readonly string[];
  /** The members whose transcripts have grown. */
  grown?: readonly string[];
}

/**
 * The text that the watched member writes, or the output of its call, before it is in its
 * transcript.
 */
export interface LiveText {
  member: string;
  /** A new number starts a new text; the one before is void. */
  key: number;
  kind: "thinks" | "writes" | "runs";
  /** The position of `text`: the page has everything before it. 0 starts again. */
  from: number;
  text: string;
}

/** The names of the events of `GET /api/stream`, and what each carries. */
export interface StreamEvents {
  state: RoomState;
  change: RoomChange;
  live: LiveText;
}

/** A piece of a model's reply, without the data that only the provider reads. */
export type ReplyBlockView =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | {
      type: "tool-call";
      call_id: string;
      name: string;
      /** The main argument. */
      summary: string;
      /** The whole input as JSON, with hidden characters spelled out. */
      input: string;
      diff: readonly DiffLine[] | null;
    };

/** Something a member saw, said or did. */
export type EntryView = { cursor: string; at: string | null } & (
  | { type: "profile"; system: string; model: string }
  | { type: "mail"; message: MessageView }
  | { type: "note"; text: string }
  | { type: "run-start" }
  | { type: "run-end"; outcome: RunOutcome; reason: string | null }
  | {
      type: "reply";
      blocks: readonly ReplyBlockView[];
      stop: StopReason;
      usage: TokenUsage | null;
    }
  | {
      type: "tool-result";
      call_id: string;
      output: string;
      is_cut: boolean;
      is_error: boolean;
      /** The media types of its images. */
      images: readonly string[];
    }
  | { type: "compaction"; summary: string }
  /** A line that is not an entry. */
  | { type: "damaged"; reason: string }
);

export interface EntriesPage {
  member: string;
  /** Oldest first. */
  entries: readonly EntryView[];
  /** Cursor for the entries before these; null if there are none. */
  before: string | null;
  /** Cursor for the entries after these. */
  after: string;
  /**
   * True if another transcript has replaced the one that `after` belongs to: these are its newest
   * entries.
   */
  is_restarted: boolean;
}

export interface MessagesPage {
  /** Oldest first. */
  messages: readonly MessageView[];
  /** Cursor for the messages before these; null if there are none. */
  before: string | null;
}

/** The accumulated cost of each member over time. */
export interface CostView {
  /** The ends of equal spans of time, oldest first. */
  times: readonly string[];
  /** The accumulated cost and tokens at each of `times`. */
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

/** A whole team in one file: everything that the page would request from its server. */
export interface RecordedRun {
  exported_at: string;
  state: RoomState;
  /** Whole, oldest first. */
  messages: readonly MessageView[];
  /** Oldest first. */
  transcripts: readonly { member: string; entries: readonly EntryView[] }[];
  cost: CostView;
  /** What is missing from the file, one sentence each. */
  left_out: readonly string[];
  /** How many secrets were masked. */
  masked: number;
}

/** The body of an error response of the API. */
export interface ApiError {
  error: Obstacle;
}

/**
 * The answer of `POST /api/session` to a request that a token has signed. The session's key is
 * `HMAC(token's key, "session <id> <signature of the request>")`: it is not sent.
 */
export interface Admission {
  /** The id that every later request names in `X-Troupe-Proof`. */
  session: string;
}
