import type { MessageView } from "../../src/protocol/dashboard.ts";

/** Mail as a server tells it, for tests that care about a few of its fields. */
export function message(fields: Partial<MessageView>): MessageView {
  return {
    id: "m1",
    type: "message",
    from: "alice",
    to: "bob",
    sent_at: "2026-01-01T09:00:00.000Z",
    seen_at: null,
    state: "queued",
    text: "hello",
    is_cut: false,
    facts: {},
    ...fields,
  };
}

/** The time of the `second`th second of the story. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 9) + second * 1_000).toISOString();
}

/** `count` messages, one each second, from the `first`th on. */
export function mail(first: number, count: number): MessageView[] {
  return Array.from({ length: count }, (_, index) => {
    const second = first + index;
    return message({
      id: `m${String(second).padStart(6, "0")}`,
      sent_at: at(second),
      text: `text ${second}`,
    });
  });
}
