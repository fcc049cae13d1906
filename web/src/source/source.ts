import type {
  AwayView,
  BroughtView,
  CheckoutsView,
  CleanedView,
  CostView,
  EntriesPage,
  LandingChangesView,
  LiveText,
  MessagesPage,
  MessageView,
  RoomChange,
  RoomState,
} from "../../../src/protocol/dashboard.ts";
import type {
  AnswerBody,
  LandingBody,
  ModeBody,
  RuleBody,
  SendBody,
} from "../../../src/protocol/dashboard-requests.ts";

/** There is no session; the address is no longer valid; the session has expired. */
export type LockedReason = "missing" | "expired" | "ended";

/** The state of the connection to the server. */
export type Connection =
  | { type: "connecting" }
  | { type: "connected" }
  /** The connection is lost; the next attempt is automatic. */
  | { type: "lost"; since: string }
  /** The session or the token is not valid. */
  | { type: "locked"; reason: LockedReason }
  /** A recorded team from a file, and the parts that are missing. */
  | { type: "recorded"; exportedAt: string; leftOut: readonly string[] };

export interface Listener {
  onConnection(connection: Connection): void;
  onState(state: RoomState): void;
  onChange(change: RoomChange): void;
  onLive(live: LiveText): void;
}

export interface MessagesPageQuery {
  before?: string;
  limit?: number;
  member?: string;
  types?: readonly string[];
  search?: string;
}

export interface TranscriptPageQuery {
  before?: string;
  after?: string;
  limit?: number;
  search?: string;
}

/** A refusal with the server's message. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: string;
  readonly hint: string | null;

  constructor({ code, message, hint }: { code: string; message: string; hint: string | null }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * The source of a page's team: the server of a live one, or an exported file. A failed request
 * rejects with a `SourceError`.
 */
export interface Source {
  /** False if the page cannot send messages or answers. */
  readonly canAct: boolean;
  /** Reports everything to `listener` until the returned function is called. */
  listen(listener: Listener): () => void;
  /** Chooses the member whose text is streamed; null for none. */
  watch(member: string | null): void;
  messages(wish: MessagesPageQuery): Promise<MessagesPage>;
  /** One message with its whole text. */
  message(to: string, id: string): Promise<MessageView>;
  transcript(member: string, wish: TranscriptPageQuery): Promise<EntriesPage>;
  cost(): Promise<CostView>;
  away(since: string): Promise<AwayView>;
  send(body: SendBody): Promise<void>;
  answer(request: string, body: AnswerBody): Promise<void>;
  /** Adds a permission rule, or removes one. */
  changeRule(body: RuleBody): Promise<void>;
  setMode(body: ModeBody): Promise<void>;
  landingChanges(landing: string): Promise<LandingChangesView>;
  /** Says whether the work of a landing may land. */
  decideLanding(landing: string, body: LandingBody): Promise<void>;
  /** Brings what has landed to the person's branch. */
  bringLanded(): Promise<BroughtView>;
  checkouts(): Promise<CheckoutsView>;
  /** Removes the retired ones. */
  cleanCheckouts(): Promise<CleanedView>;
  /** One member, or all of them. */
  stop(member: string | undefined): Promise<void>;
}
