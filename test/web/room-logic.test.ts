import { expect, test } from "vitest";
import type { MessageView } from "../../src/protocol/dashboard.ts";
import { roomOf } from "../../web/src/state/known-room.ts";
import {
  cssColor,
  everybody,
  filteredNames,
  neighbour,
  spendOf,
  standingCounts,
  standingOf,
  waitingText,
} from "../../web/src/state/members.ts";
import {
  announcement,
  answerBody,
  decisionText,
  questionsOf,
  titleOf,
} from "../../web/src/state/questions.ts";
import { newestMessages, pressingTasks, taskLine } from "../../web/src/views/room/glance.ts";
import { member, request, state, task } from "./views.ts";

const members = [
  member({ name: "lead", status: "idle" }),
  member({ name: "zoe", status: "working", role: "reviews" }),
  member({ name: "alice", status: "failed" }),
];

test("no member works if the team is not running, but ended members stay ended", () => {
  expect(standingOf("working", true)).toBe("working");
  expect(standingOf("working", false)).toBe("not-running");
  expect(standingOf("idle", false)).toBe("not-running");
  expect(standingOf("failed", false)).toBe("failed");
});

test("filters reduce the roster and keep its order", () => {
  const room = roomOf(state({ members, requests: [request({ from: "alice", is_open: true })] }));

  expect(filteredNames(room, everybody)).toEqual(["lead", "zoe", "alice"]);
  expect(filteredNames(room, { text: " RevieW ", standing: null })).toEqual(["zoe"]);
  expect(filteredNames(room, { text: "", standing: "idle" })).toEqual(["lead"]);
  expect(filteredNames(room, { text: "", standing: "asks" })).toEqual(["alice"]);
});

test("a filter whose chip disappears with the running team hides nobody", () => {
  const room = roomOf(state({ members, running: null }));

  expect(filteredNames(room, { text: "", standing: "working" })).toEqual(["lead", "zoe", "alice"]);
  expect(filteredNames(room, { text: "", standing: "not-running" })).toEqual(["lead", "zoe"]);
});

test("every state has its number, including zero", () => {
  const running = roomOf(state({ members }));
  const left = roomOf(state({ members, running: null }));

  expect(standingCounts(running)).toEqual([
    ["asks", 0],
    ["working", 1],
    ["idle", 1],
    ["failed", 1],
    ["shutdown", 0],
  ]);
  expect(standingCounts(left)).toEqual([
    ["asks", 0],
    ["not-running", 2],
    ["failed", 1],
    ["shutdown", 0],
  ]);
});

test("the next member is the one below, and the list does not wrap around", () => {
  const names = ["lead", "zoe", "alice"];

  expect(neighbour(names, null, 1)).toBe("lead");
  expect(neighbour(names, null, -1)).toBe("alice");
  expect(neighbour(names, "lead", 1)).toBe("zoe");
  expect(neighbour(names, "alice", 1)).toBe("alice");
  expect(neighbour(names, "gone", 1)).toBe("lead");
  expect(neighbour([], null, 1)).toBeNull();
});

test("an unknown colour becomes the text colour", () => {
  expect(cssColor("cyan")).toBe("var(--cyan)");
  expect(cssColor("red; background: url(x)")).toBe("var(--ink)");
  expect(cssColor(null)).toBe("var(--ink)");
});

test("a member that waits for the person waits for you", () => {
  expect(waitingText("the person")).toBe("waits for you");
  expect(waitingText("the lead")).toBe("waits for the lead");
});

test("the team's cost is the sum of its members'", () => {
  const spent = [
    member({ tokens: 5, cost_usd: 1 }),
    member({ tokens: 7, cost_usd: 2, unpriced_calls: 3 }),
  ];

  expect(spendOf(spent)).toEqual({ tokens: 12, usd: 3, unpricedCalls: 3 });
});

test("questions for the person are in the order in which they were asked", () => {
  const room = roomOf(
    state({
      requests: [
        request({ id: "late", is_open: true, created_at: "2026-01-01T09:05:00Z" }),
        request({ id: "early", is_open: true, created_at: "2026-01-01T09:00:00Z" }),
        request({ id: "plan", type: "plan", to: "lead" }),
        request({ id: "done", state: "approved" }),
      ],
    }),
  );

  const { open, elsewhere, decided } = questionsOf(room);

  expect(open.map(({ id }) => id)).toEqual(["early", "late"]);
  expect(elsewhere.map(({ id }) => id)).toEqual(["plan"]);
  expect(decided.map(({ id }) => id)).toEqual(["done"]);
});

test("a question is announced once", () => {
  const open = [request({ id: "r1" }), request({ id: "r2", from: "bob", type: "plan" })];

  expect(announcement(open, new Set(["r1"]))).toBe("bob submits a plan. 2 questions wait for you.");
  expect(announcement(open, new Set(["r1", "r2"]))).toBeNull();
  expect(announcement([], new Set())).toBeNull();
});

test("a decided question shows its decision and who made it", () => {
  const by = { by: "user", at: "2026-01-01T09:00:00Z", reason: null, rule: null };

  expect(decisionText(request({ state: "approved", decision: by }))).toBe("allowed by you");
  expect(
    decisionText(request({ state: "approved", decision: { ...by, rule: "bash(npm *)" } })),
  ).toBe("allowed always by you");
  expect(
    decisionText(request({ type: "plan", state: "rejected", decision: { ...by, by: "lead" } })),
  ).toBe("rejected by lead");
  expect(decisionText(request({ state: "cancelled" }))).toBe("withdrawn");
});

test("an answer names what was shown, and has a reason only for a denial", () => {
  const command = request({ hash: "h" });

  expect(answerBody(command, "deny", " not here ")).toEqual({
    hash: "h",
    decision: "deny",
    reason: "not here",
  });
  expect(answerBody(command, "deny", " ")).toEqual({ hash: "h", decision: "deny" });
  expect(answerBody(command, "allow-once", "not here")).toEqual({
    hash: "h",
    decision: "allow-once",
  });
  expect(answerBody(request({ type: "plan" }), "allow-once", "small steps").reason).toBe(
    "small steps",
  );
});

test("the title begins with the number of open questions", () => {
  expect(titleOf(2, "default")).toBe("(2) default · Troupe");
  expect(titleOf(0, "default")).toBe("default · Troupe");
  expect(titleOf(0, null)).toBe("Troupe");
});

test("the overview shows the newest messages, without those for the runtime only", () => {
  const messages = Array.from({ length: 20 }, (_, index) => ({
    ...message,
    id: `m${index}`,
    sent_at: new Date(Date.UTC(2026, 0, 1, 9, index)).toISOString(),
  }));
  const quiet: MessageView = { ...message, id: "q", type: "idle_notification", sent_at: "2027" };
  const aside: MessageView = { ...message, id: "s", type: "set-aside", sent_at: null };

  const newest = newestMessages(roomOf(state({ messages: [...messages, quiet, aside] })));

  expect(newest.map(({ id }) => id)).toEqual(["m19", "m18", "m17", "m16", "m15", "m14", "m13"]);
});

test("tasks in progress come first, then failed ones, and all are counted", () => {
  const tasks = [
    task({ id: "1", status: "completed" }),
    task({ id: "2", status: "failed" }),
    task({ id: "3", status: "in_progress", updated_at: "2026-01-01T09:01:00Z" }),
    task({ id: "4", status: "in_progress", updated_at: "2026-01-01T09:02:00Z" }),
  ];
  const room = roomOf(state({ tasks }));

  expect(pressingTasks(room).map(({ id }) => id)).toEqual(["4", "3", "2", "1"]);
  expect(taskLine(room)).toBe("2 in progress, 1 failed, 1 completed");
});

const message: MessageView = {
  id: "m",
  type: "message",
  from: "lead",
  to: "alice",
  sent_at: null,
  seen_at: null,
  state: "delivered",
  text: "",
  is_cut: false,
  facts: {},
};
