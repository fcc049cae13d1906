import type {
  CostView,
  MessagesPage,
  MessageView,
  RoomState,
  TranscriptPage,
} from "../../protocol/dashboard.ts";
import type { MessagesQuery, TranscriptQuery } from "../../protocol/dashboard-requests.ts";

/** Where a run is exported from: what the dashboard's server answers its page with. */
export interface RunSource {
  state(): Promise<RoomState>;
  messages(query: MessagesQuery): Promise<MessagesPage>;
  /** One message whole. */
  message(to: string, id: string): Promise<MessageView>;
  transcript(member: string, query: TranscriptQuery): Promise<TranscriptPage>;
  cost(): Promise<CostView>;
}
