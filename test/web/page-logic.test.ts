import { expect, test } from "vitest";
import { costText, shortCount } from "../../src/protocol/amounts.ts";
import type { AwayView } from "../../src/protocol/dashboard.ts";
import { draftFor, readdressed, suggestions } from "../../web/src/state/address.ts";
import { agoText, clockText, fillPercent } from "../../web/src/state/amounts.ts";
import { awayLine, awaySince, awaySummary, isEventful } from "../../web/src/state/away.ts";
import { BrowserStorage } from "../../web/src/state/browser-storage.ts";
import { keyCommand, keyHelp } from "../../web/src/state/keys.ts";
import { nextTheme, shownTheme, themeOf } from "../../web/src/state/theme.ts";
import { request, task } from "./views.ts";

test.each([
  [0, "0"],
  [950, "950"],
  [12_345, "12.3k"],
  [999_950, "1M"],
  [4_560_000, "4.56M"],
])("%d tokens are written %s", (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test.each([
  [0, 0, "$0.00"],
  [0, 3, "no price"],
  [0.004, 0, "$0.0040"],
  [0.00004, 0, "< $0.0001"],
  [1.239, 0, "$1.24"],
  [1.239, 2, "≥ $1.24"],
  [0.004, 2, "≥ $0.0040"],
  [0.00004, 2, "> $0.00"],
])("%d dollars with %d unpriced calls are written %s", (usd, unpriced, text) => {
  expect(costText(usd, unpriced)).toBe(text);
});

test("elapsed time is counted like a stopwatch, and a clock that is ahead counts as now", () => {
  expect([-5_000, 7_000, 750_000, 3_723_000].map(clockText)).toEqual([
    "0:00",
    "0:07",
    "12:30",
    "1:02:03",
  ]);
});

test("the age of something has one unit", () => {
  const spans = [-1, 4_999, 40_000, 200_000, 5 * 3_600_000, 50 * 3_600_000];

  expect(spans.map(agoText)).toEqual(["now", "now", "40 s", "3 min", "5 h", "2 d"]);
});

test("the fill level of a context is shown only if its size is known", () => {
  expect(fillPercent(null)).toBeNull();
  expect(fillPercent({ tokens: 5, window: null })).toBeNull();
  expect(fillPercent({ tokens: 50, window: 200 })).toBe(25);
  expect(fillPercent({ tokens: 500, window: 200 })).toBe(100);
});

test("@name at the beginning of a text chooses the recipient", () => {
  const names = ["lead", "alice"];
  const typed = (text: string) => readdressed({ to: "lead", text }, names);

  expect(typed("@alice hello")).toEqual({ to: "alice", text: "hello" });
  expect(typed("@all hello")).toEqual({ to: "all", text: "hello" });
  expect(typed("@alice")).toEqual({ to: "lead", text: "@alice" });
  expect(typed("@nobody hello")).toEqual({ to: "lead", text: "@nobody hello" });
  expect(typed("ask @alice now")).toEqual({ to: "lead", text: "ask @alice now" });
});

test("matching members are listed while a name is typed", () => {
  const names = ["lead", "alice", "albert"];

  expect(suggestions("@al", names)).toEqual(["alice", "albert", "all"]);
  expect(suggestions("@", names)).toEqual(["lead", "alice", "albert", "all"]);
  expect(suggestions("@al ", names)).toEqual([]);
  expect(suggestions("mail@al", names)).toEqual([]);
});

test("the viewed member is the recipient, but a draft keeps its recipient", () => {
  expect(draftFor({ to: "lead", text: "" }, "alice", "lead")).toEqual({ to: "alice", text: "" });
  expect(draftFor({ to: "alice", text: " " }, null, "lead")).toEqual({ to: "lead", text: " " });
  expect(draftFor({ to: "bob", text: "Stop" }, "alice", "lead").to).toBe("bob");
});

test("letters are input in a text field, and the browser keeps its own keys", () => {
  const press = { hasModifier: false, isTyping: false };

  expect(keyCommand({ ...press, key: "2" })).toEqual({ type: "view", index: 1 });
  expect(keyCommand({ ...press, key: "2", isTyping: true })).toBeNull();
  expect(keyCommand({ ...press, key: "t", hasModifier: true })).toBeNull();
  expect(keyCommand({ ...press, key: "Escape", isTyping: true })).toEqual({ type: "escape" });
  expect(keyCommand({ ...press, key: "z" })).toBeNull();
});

test("the help lists every key of the page", () => {
  const named = keyHelp.flatMap(([, keys]) => keys.flatMap(([key]) => key.split(" ")));

  for (const key of ["1", "2", "3", "4", "5", "j", "k", "q", "w", "/", "t", "?"]) {
    expect(named).toContain(key);
  }
});

test("a browser without storage works, and any other failure is reported", () => {
  const forbidden = new BrowserStorage(() => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  });
  const broken = new BrowserStorage(() => {
    throw new RangeError("broken");
  });

  forbidden.set("theme", "dark");

  expect(forbidden.get("theme")).toBeNull();
  expect(() => broken.get("theme")).toThrow("broken");
});

test("the theme follows the system until the person chooses", () => {
  expect(themeOf(null)).toBe("auto");
  expect(themeOf("blue")).toBe("auto");
  expect(shownTheme("auto", true)).toBe("dark");
  expect(shownTheme("light", true)).toBe("light");
  expect(nextTheme(nextTheme(nextTheme("auto")))).toBe("auto");
});

test("a short absence does not count as being away", () => {
  const now = Date.parse("2026-01-01T10:00:00Z");

  expect(awaySince("2026-01-01T09:58:30Z", now)).toBeNull();
  expect(awaySince("2026-01-01T09:00:00Z", now)).toBe("2026-01-01T09:00:00.000Z");
  expect(awaySince("nonsense", now)).toBeNull();
  expect(awaySince(null, now)).toBeNull();
});

test("the summary is one line, without zero counts", () => {
  const away: AwayView = {
    since: "2026-01-01T09:00:00Z",
    messages: 1,
    has_more: false,
    results: [],
    tasks: [task({ status: "completed" }), task({ id: "2", status: "in_progress" })],
    requests: [
      request({}),
      request({
        id: "r2",
        state: "approved",
        decision: { by: "user", at: "2026-01-01T09:30:00Z", reason: null, rule: null },
      }),
    ],
    cost_usd: 0,
  };

  expect(awayLine(away)).toBe("1 message, 2 tasks changed, 2 questions");
  expect(isEventful(away)).toBe(true);
  expect(isEventful({ ...away, messages: 0, tasks: [], requests: [] })).toBe(false);
  const { finished, asked, decided } = awaySummary(away);
  expect([finished, asked, decided].map(({ length }) => length)).toEqual([1, 1, 1]);
});
