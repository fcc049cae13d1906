import { expect, test } from "vitest";
import type { CostView } from "../../src/protocol/dashboard.ts";
import { amountText } from "../../web/src/views/cost/amount-text.ts";
import { bandPaths, nearest, scaleOf } from "../../web/src/views/cost/chart-geometry.ts";
import { CostFeed, pauseMs } from "../../web/src/views/cost/cost-feed.ts";
import {
  bandColors,
  bandsOf,
  mostBands,
  totalsOf,
  usualMeasure,
} from "../../web/src/views/cost/spend.ts";
import { moneyTick, niceTicks, timeTicks } from "../../web/src/views/cost/ticks.ts";

function cost(
  members: Record<string, number[]>,
  fields: Partial<CostView["members"][number]> = {},
) {
  const lines = Object.entries(members).map(([name, values]) => ({
    name,
    cost_usd: values,
    tokens: values.map((value) => value * 1_000),
    unpriced_calls: 0,
    ...fields,
  }));
  const times = ["2026-01-01T09:00:00Z", "2026-01-01T10:00:00Z"];
  return { times, members: lines } satisfies CostView;
}

test.each([
  [0.9, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [7.6, 5, [0, 2, 4, 6, 8]],
  [10, 5, [0, 2, 4, 6, 8, 10]],
  [1_234_567, 5, [0, 250_000, 500_000, 750_000, 1_000_000, 1_250_000]],
  [0.0003, 3, [0, 0.0001, 0.0002, 0.0003]],
  [0, 5, [0, 1]],
  [Number.NaN, 5, [0, 1]],
])("ticks up to %d are round", (most, count, ticks) => {
  expect(niceTicks(most, count)).toEqual(ticks);
});

test("ticks of time are round in the person's time zone", () => {
  const from = Date.parse("2026-01-01T08:58:00Z");
  const hour = 3_600_000;

  const quarters = timeTicks({ from, to: from + hour, count: 5, offsetMs: 0 });
  const ahead = timeTicks({ from, to: from + hour, count: 3, offsetMs: 5.5 * hour });
  const seconds = timeTicks({ from, to: from + 20_000, count: 4, offsetMs: 0 });
  const days = timeTicks({ from, to: from + 72 * hour, count: 3, offsetMs: 0 });

  expect(quarters.map(({ text }) => text)).toEqual(["09:00", "09:15", "09:30", "09:45"]);
  expect(ahead.map(({ text }) => text)).toEqual(["14:30", "15:00"]);
  expect(seconds.map(({ text }) => text)).toContain("08:58:05");
  expect(days.map(({ text }) => text)).toEqual(["2 Jan", "3 Jan", "4 Jan"]);
  expect(timeTicks({ from, to: from, count: 3, offsetMs: 0 })).toEqual([]);
});

test("money has as many digits as its axis needs", () => {
  expect(moneyTick(4, 2)).toBe("$4");
  expect(moneyTick(0.5, 0.25)).toBe("$0.50");
  expect(moneyTick(0.0002, 0.0001)).toBe("$0.0002");
  expect([0.025, 0.05, 0.075].map((usd) => moneyTick(usd, 0.025))).toEqual([
    "$0.025",
    "$0.050",
    "$0.075",
  ]);
  expect(moneyTick(7.5, 2.5)).toBe("$7.50");
  expect(amountText(0.0031, "cost")).toBe("$0.0031");
  expect(amountText(12.345, "cost")).toBe("$12.35");
  expect(amountText(12_345, "tokens")).toBe("12.3k");
});

test("bands are stacked, the largest at the bottom", () => {
  const bands = bandsOf(cost({ alice: [1, 2], bob: [2, 5], idle: [0, 0] }), "cost");

  expect(bands.map(({ name, base, total }) => ({ name, base, total }))).toEqual([
    { name: "bob", base: [0, 0], total: 5 },
    { name: "alice", base: [2, 5], total: 2 },
  ]);
});

test("beyond eight, the small ones share a band", () => {
  const members = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`m${index}`, [index + 1, (index + 1) * 2]]),
  );

  const bands = bandsOf(cost(members), "tokens");

  expect(bands).toHaveLength(mostBands);
  expect(bands.at(-1)).toMatchObject({ name: "193 others", isOthers: true });
  const sum = bands.reduce((all, { total }) => all + total, 0);
  expect(sum).toBe(((200 * 201) / 2) * 2 * 1_000);
});

test("no two bands have the same colour, and members keep theirs if possible", () => {
  const members = Object.fromEntries("abcdefgh".split("").map((name) => [name, [1, 2]]));
  const own: Record<string, string> = { a: "var(--red)", b: "var(--red)", c: "var(--cyan)" };

  const bands = bandsOf(cost(members), "cost");
  const colors = bandColors(bands, (name) => own[name] ?? "var(--ink)");

  expect(colors.get("a")).toBe("var(--red)");
  expect(colors.get("c")).toBe("var(--cyan)");
  expect(new Set(colors.values()).size).toBe(8);
});

test("tokens are shown if nothing has a price", () => {
  expect(usualMeasure(cost({ alice: [1, 2] }))).toBe("cost");
  expect(usualMeasure(cost({ alice: [1, 2] }, { cost_usd: [0, 0] }))).toBe("tokens");
});

test("totals are the latest usage, largest first", () => {
  const totals = totalsOf(cost({ alice: [1, 2], bob: [2, 5] }, { unpriced_calls: 3 }), "cost");

  expect(totals).toEqual([
    { name: "bob", cost: 5, tokens: 5_000, unpricedCalls: 3 },
    { name: "alice", cost: 2, tokens: 2_000, unpricedCalls: 3 },
  ]);
  expect(totalsOf(cost({ early: [] }), "cost")).toMatchObject([{ cost: 0, tokens: 0 }]);
});

test("amounts and times are converted to pixels, and pixels to times", () => {
  const frame = { width: 220, height: 120, left: 10, right: 10, top: 10, bottom: 10 };
  const times = [0, 50, 100];
  const scale = scaleOf(frame, times, 10);
  const [band] = bandsOf({ ...cost({ alice: [0, 5, 10] }), times: ["", "", ""] }, "cost");

  expect(band && bandPaths(band, times, scale)).toEqual({
    area: "M10 110L110 60L210 10L210 110L110 110L10 110Z",
    edge: "M10 110L110 60L210 10",
  });
  expect(nearest(times, scale, 150)).toBe(1);
  expect(nearest(times, scale, 999)).toBe(2);
  expect(Number.isFinite(scaleOf(frame, [7], 0).x(7))).toBe(true);
});

/** A source of costs whose pauses end when the test says so. */
class Costs {
  asked = 0;
  fails = false;
  #pause: (() => void) | null = null;
  readonly delays: number[] = [];

  feed(): CostFeed {
    const refused = () => Promise.reject(new Error("not asked for in these tests"));
    return new CostFeed(
      {
        ...{ canAct: false, listen: () => () => {}, watch: () => {} },
        ...{ messages: refused, message: refused, transcript: refused, away: refused },
        ...{ send: refused, answer: refused, changeRule: refused, setMode: refused, stop: refused },
        cost: async () => {
          this.asked += 1;
          if (this.fails) throw new Error("no answer");
          return cost({ alice: [this.asked] });
        },
      },
      (task, afterMs) => {
        this.delays.push(afterMs);
        this.#pause = task;
        return () => {
          this.#pause = null;
        };
      },
    );
  }

  endPause(): void {
    const pause = this.#pause;
    this.#pause = null;
    pause?.();
  }
}

test("many changes cause one request per pause", async () => {
  const costs = new Costs();
  const feed = costs.feed();

  for (let times = 0; times < 5; times++) feed.refresh();
  await feed.settled();
  feed.refresh();
  const beforePause = costs.asked;
  costs.endPause();
  await feed.settled();
  costs.endPause();
  await feed.settled();

  expect(beforePause).toBe(1);
  expect(costs.asked).toBe(2);
  expect(costs.delays).toEqual([pauseMs, pauseMs]);
  expect(feed.state.value.view).toEqual(cost({ alice: [2] }));
});

test("a failure is shown, known data stays, and a closed feed requests nothing", async () => {
  const costs = new Costs();
  const feed = costs.feed();
  feed.refresh();
  await feed.settled();
  costs.fails = true;
  feed.refresh();
  costs.endPause();
  await feed.settled();

  expect(feed.state.value).toEqual({ view: cost({ alice: [1] }), problem: "no answer" });

  feed.close();
  feed.refresh();
  costs.endPause();
  expect(costs.asked).toBe(2);
});
