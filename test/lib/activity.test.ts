import { expect, test } from "vitest";
import { type Activity, afterEvent, noActivity } from "../../src/lib/activity.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { MemberName } from "../../src/protocol/ids.ts";

const member = MemberName.parse("alice");
const call = (call_id: string, command: string): Happening => ({
  ...{ type: "tool-call", call_id, name: "bash", input: { command } },
});
const result = (call_id: string): Happening => ({
  ...{ type: "tool-result", call_id, output: "", is_error: false },
});

type Happening = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, "at" | "member">
    : never
  : never;

/** What a member is at after this has happened to it, one thing a second. */
function after(...events: Happening[]): Activity {
  return events.reduce<Activity>((activity, event, second) => {
    return afterEvent(activity, { ...event, member, at: timeOf(second) });
  }, noActivity);
}

const timeOf = (second: number) => `2026-01-01T09:00:${String(second).padStart(2, "0")}.000Z`;

test("a member thinks, then writes, each with its start time", () => {
  const text: Happening = { type: "text-delta", text: "a" };
  const activity = after({ type: "run-start" }, { type: "turn-start", turn: 1 }, text, text);

  expect(activity).toMatchObject({
    isRunning: true,
    doing: { text: "writes", tool: null, since: timeOf(2) },
    lastActivity: timeOf(3),
  });
});

test("the newest of several calls is shown, and the previous one when it has ended", () => {
  const both = after(call("1", "npm test"), call("2", "npm run lint"));
  const one = after(call("1", "npm test"), call("2", "npm run lint"), result("2"));
  const none = after(call("1", "npm test"), call("2", "npm run lint"), result("2"), result("1"));

  expect(both.doing).toEqual({ tool: "bash", text: "npm run lint", since: timeOf(1) });
  expect(one.doing).toEqual({ tool: "bash", text: "npm test", since: timeOf(0) });
  expect(none.doing).toEqual({ tool: null, text: "thinks", since: timeOf(3) });
});

test("a member that waits for the provider does nothing else until it answers", () => {
  const waiting: Happening = { type: "model-wait", reason: "rate limit", delay_ms: 2_000 };

  expect(after({ type: "turn-start", turn: 1 }, waiting)).toMatchObject({
    ...{ doing: null, waitsFor: "its provider (rate limit)" },
  });
  expect(after(waiting, { type: "thinking-delta", text: "" }).waitsFor).toBeNull();
});

test.each<Happening>([
  { type: "run-end", outcome: "done" },
  { type: "member-change", status: "idle" },
  { type: "member-change", status: "failed" },
])("after $type a member does nothing", (end) => {
  expect(after({ type: "run-start" }, call("1", "x"), end)).toMatchObject({
    ...{ isRunning: false, doing: null, waitsFor: null, calls: [] },
  });
});

test("the context size is that of the last turn, and unknown after a summary", () => {
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
  const end: Happening = { type: "turn-end", turn: 1, usage };

  expect(after(end).contextTokens).toBe(10);
  expect(after(end, { type: "compaction-end", summary: "" }).contextTokens).toBeUndefined();
});

test("actions of others on a member are not its own activity", () => {
  const warning: Happening = { type: "warning", message: "odd" };

  expect(after({ type: "run-start" }, warning).lastActivity).toBe(timeOf(0));
});
