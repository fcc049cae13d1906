import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import { between, durationText } from "../../state/durations.ts";
import { timeOfDay } from "../../state/times.ts";
import { typeLabel } from "./message-groups.ts";
import type { MessageRow } from "./rows.ts";

/** The text at the arrow's head: the time until it was seen, or why it was not. */
export function headText({ state, sent_at, seen_at }: MessageView): string {
  switch (state) {
    case "queued":
      return "queued";
    case "delivered": {
      const latencyMs = between(sent_at, seen_at);
      return latencyMs === null ? "seen" : `+${durationText(latencyMs)}`;
    }
    case "undelivered":
      return "returned";
    case "withdrawn":
      return "withdrawn";
    case "set-aside":
      return "set aside";
  }
}

/** The same as part of a sentence. */
export function fateText(message: MessageView): string {
  const { state, sent_at, seen_at } = message;
  const latencyMs = between(sent_at, seen_at);
  if (state === "delivered" && latencyMs !== null) return `seen after ${durationText(latencyMs)}`;
  return state === "undelivered" ? "returned unseen" : headText(message);
}

/**
 * The text at the heads of a row: the longest time if all have seen it, otherwise how many have.
 */
export function rowHeadText({ messages }: MessageRow): string {
  const [first, ...copies] = messages;
  if (copies.length === 0) return headText(first);
  const seen = messages.filter(({ state }) => state === "delivered");
  if (seen.length < messages.length) return `${seen.length}/${messages.length} seen`;
  const latencies = messages.map(({ sent_at, seen_at }) => between(sent_at, seen_at));
  const known = latencies.filter((latency) => latency !== null);
  return known.length < messages.length ? "all seen" : `+${durationText(Math.max(...known))}`;
}

/** The row as one sentence, for screen readers. */
export function sentenceOf(row: MessageRow): string {
  const [message, ...copies] = row.messages;
  const to = copies.length === 0 ? message.to : `${row.messages.length} members`;
  const time = message.sent_at === null ? "at an unknown time" : timeOfDay(message.sent_at);
  const fate =
    copies.length === 0 ? fateText(message) : rowHeadText(row).replace("+", "seen after ");
  const route = `${time} ${message.from} to ${to}`;
  return `${route}, ${typeLabel(message.type)}, ${fate}: ${firstWords(message)}`;
}

/** The message's text on one line; for a line that was set aside, the reason comes first. */
export function firstWords({ text, facts, state }: MessageView): string {
  const reason = facts.reason ?? "";
  const words = state === "set-aside" && reason ? `${reason} · ${text}` : text;
  return words.replace(/\s+/g, " ").trim();
}
