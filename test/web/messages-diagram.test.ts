import { expect, test } from "vitest";
import { arrowPaths, reach } from "../../web/src/views/messages/arrow-paths.ts";
import { arrowOf, columnsOf, participantsOf } from "../../web/src/views/messages/columns.ts";
import { mergedInto } from "../../web/src/views/messages/merging.ts";
import { rowIndexOf, rowsOf } from "../../web/src/views/messages/rows.ts";
import { leadIn, rowHeight, Scrolling } from "../../web/src/views/messages/scrolling.ts";
import { isAtEnd, scrollTopFor, windowOf } from "../../web/src/views/messages/windowing.ts";
import { headText, rowHeadText, sentenceOf } from "../../web/src/views/messages/words.ts";
import { at, mail, message } from "./messages.ts";

const broadcast = (id: string, to: string, fields = {}) =>
  message({ id, to, type: "broadcast", text: "frozen", ...fields });

test("copies of one broadcast become one row", () => {
  const copies = [broadcast("a", "bob"), broadcast("b", "carol"), broadcast("c", "dave")];

  const rows = rowsOf([...mail(0, 1), ...copies]);

  expect(rows.map(({ messages }) => messages.length)).toEqual([1, 3]);
  expect(rowIndexOf(rows, "c")).toBe(1);
});

test.each([
  ["another sender", { from: "erin" }],
  ["another text", { text: "thawed" }],
  ["more than a second later", { sent_at: at(1.5) }],
  ["the same recipient again", { to: "bob" }],
  ["other facts", { facts: { task_id: "1" } }],
])("a message is a row of its own with %s", (_, fields) => {
  expect(rowsOf([broadcast("a", "bob"), broadcast("b", "carol", fields)])).toHaveLength(2);
});

test("lines that were set aside are never combined", () => {
  const line = { type: "set-aside", sent_at: null, state: "set-aside" } as const;

  expect(
    rowsOf([message({ ...line, id: "a" }), message({ ...line, id: "b", to: "c" })]),
  ).toHaveLength(2);
});

test("unchanged rows stay the same objects when mail arrives", () => {
  const known = mail(0, 5);
  const before = rowsOf(known);

  const after = rowsOf([...known, ...mail(5, 2)], before);

  expect(after.map(({ key }) => key)).toEqual(
    rowsOf([...known, ...mail(5, 2)]).map(({ key }) => key),
  );
  expect(after.slice(0, 4).every((row, index) => row === before[index])).toBe(true);
});

test("a later copy joins the row of the others", () => {
  const copies = [broadcast("a", "bob"), broadcast("b", "carol")];
  const before = rowsOf([...mail(-5, 3), ...copies]);

  const after = rowsOf([...mail(-5, 3), ...copies, broadcast("c", "dave")], before);

  expect(after.at(-1)?.messages).toHaveLength(3);
});

test("older mail is inserted before, and changed mail in place", () => {
  const known = mail(5, 5);
  const changed = message({ ...known[2], state: "delivered" });

  const merged = mergedInto(known, [changed, ...mail(3, 2)], ({ sent_at }) => sent_at ?? "");

  expect(merged.map(({ id }) => id)).toEqual(mail(3, 7).map(({ id }) => id));
  expect(merged[4]).toBe(changed);
});

test("only participants have a column: the person, members in order, others, the runtime", () => {
  const messages = [
    message({ from: "system", to: "lead" }),
    message({ from: "stranger", to: "bob" }),
    message({ from: "bob", to: "user" }),
  ];

  expect(participantsOf(messages, ["lead", "alice", "bob"])).toEqual([
    ...["user", "lead", "bob", "stranger", "system"],
  ]);
});

test("few columns share the width, many keep a readable minimum", () => {
  const few = columnsOf(["user", "lead", "alice"], 1_000);
  const many = columnsOf(
    Array.from({ length: 200 }, (_, index) => `m${index}`),
    1_000,
  );

  expect(few).toMatchObject({ isWide: false, width: 1_000 });
  expect(columnsOf(["user", "lead", "a", "b", "c", "system"], 710)).toMatchObject({ width: 710 });
  expect(many.isWide).toBe(true);
  expect(many.columnWidth).toBeGreaterThanOrEqual(100);
  expect(many.width).toBeGreaterThan(200 * many.columnWidth);
});

test("an arrow spans its sender and all its recipients", () => {
  const columns = columnsOf(["a", "b", "c", "d"], 1_000);
  const centre = (name: string) => columns.centre.get(name);

  expect(arrowOf(columns, { from: "b", to: ["a", "d"] })).toMatchObject({
    from: centre("b"),
    left: centre("a"),
    right: centre("d"),
    anchor: "left",
  });
  expect(arrowOf(columns, { from: "d", to: ["c"] }).anchor).toBe("left");
  expect(arrowOf(columnsOf(["a", "b", "c", "d"], 500), { from: "d", to: ["c"] }).anchor).toBe(
    "right",
  );
});

test("each state has its own arrow head, and mail to oneself a loop", () => {
  const arrow = { from: 100, left: 100, right: 300, anchor: "left" } as const;

  const several = arrowPaths(arrow, [
    { x: 200, state: "delivered" },
    { x: 300, state: "queued" },
    { x: 250, state: "undelivered" },
  ]);
  const loop = arrowPaths({ ...arrow, right: 100 }, [{ x: 100, state: "delivered" }]);

  expect(several.seen).toContain(`M${100 + reach} `);
  expect(several.queued).toContain(`M${200 + reach} `);
  expect(several.stopped).not.toBe("");
  expect(loop.line).toMatch(/^M32 5h\d+v10H/);
});

test("only visible rows are drawn, for any number of rows", () => {
  const sight = { height: 440, rowHeight: 44, overscan: 5 };

  expect(windowOf({ ...sight, scrollTop: 0, count: 100_000 })).toEqual({ first: 0, end: 15 });
  expect(windowOf({ ...sight, scrollTop: 44_000, count: 100_000 })).toEqual({
    first: 995,
    end: 1_015,
  });
  expect(windowOf({ ...sight, scrollTop: 4_399_560, count: 100_000 }).end).toBe(100_000);
  expect(windowOf({ ...sight, scrollTop: 0, count: 0 })).toEqual({ first: 0, end: 0 });
  // Beyond the end, as when a filter has just left fewer rows.
  expect(windowOf({ ...sight, scrollTop: 9_000, count: 3 })).toEqual({ first: 3, end: 3 });
});

test("a row becomes visible with the smallest movement", () => {
  const sight = { scrollTop: 440, height: 440, rowHeight: 44 };

  expect(scrollTopFor({ ...sight, index: 12 })).toBe(440);
  expect(scrollTopFor({ ...sight, index: 5 })).toBe(220);
  expect(scrollTopFor({ ...sight, index: 20 })).toBe(484);
});

test("the end counts as visible with a rounding tolerance", () => {
  expect(isAtEnd({ scrollTop: 559.5, height: 440, contentHeight: 1_000 })).toBe(true);
  expect(isAtEnd({ scrollTop: 500, height: 440, contentHeight: 1_000 })).toBe(false);
});

test.each([
  [{ state: "delivered", seen_at: at(0.8) }, "+800 ms"],
  [{ state: "delivered", seen_at: at(75) }, "+1 min 15 s"],
  [{ state: "delivered", seen_at: null }, "seen"],
  [{ state: "queued" }, "queued"],
  [{ state: "undelivered" }, "returned"],
  [{ state: "set-aside", sent_at: null }, "set aside"],
] as const)("a head shows the state of %j", (fields, text) => {
  expect(headText(message(fields))).toBe(text);
});

test("several heads show how many have seen it, or the longest time", () => {
  const seen = (id: string, to: string, second: number) =>
    broadcast(id, to, { state: "delivered", seen_at: at(second) });

  const [partly] = rowsOf([seen("a", "bob", 1), broadcast("b", "carol")]);
  const [wholly] = rowsOf([seen("a", "bob", 1), seen("b", "carol", 4)]);

  expect(partly && rowHeadText(partly)).toBe("1/2 seen");
  expect(wholly && rowHeadText(wholly)).toBe("+4.0 s");
});

test("a row reads as a sentence", () => {
  const [row] = rowsOf([message({ state: "delivered", seen_at: at(2), text: "one\n two" })]);
  const [aside] = rowsOf([
    message({ type: "set-aside", sent_at: null, state: "set-aside", facts: { reason: "no JSON" } }),
  ]);

  expect(row && sentenceOf(row)).toMatch(
    /^\d\d:00:00 alice to bob, message, seen after 2\.0 s: one two$/,
  );
  expect(aside && sentenceOf(aside)).toBe(
    "at an unknown time alice to bob, set aside, set aside: no JSON · hello",
  );
});

/** An element that scrolls over `rows`, as high as a screen. */
function scroller(rows: readonly unknown[], scrollTop: number) {
  return { scrollTop, clientHeight: 840, scrollHeight: 40 + leadIn + rows.length * rowHeight };
}

test("older rows do not move the visible ones", () => {
  const scrolling = new Scrolling();
  const rows = rowsOf(mail(100, 100));
  scrolling.look(scroller(rows, leadIn + 10 * rowHeight + 7), rows);

  const more = rowsOf(mail(50, 150));
  const element = scroller(more, leadIn + 10 * rowHeight + 7);
  scrolling.settle(element, more);

  expect(element.scrollTop).toBe(leadIn + 60 * rowHeight + 7);
});

test("the view follows new rows only at the end, and counts them elsewhere", () => {
  const scrolling = new Scrolling();
  const rows = rowsOf(mail(0, 100));
  const element = scroller(rows, 0);
  scrolling.settle(element, rows);
  const followed = element.scrollTop;
  element.scrollTop = 40 + leadIn + rows.length * rowHeight - 840;
  const atEnd = scrolling.look(element, rows);
  element.scrollTop = 1_000;
  scrolling.look(element, rows);

  const more = rowsOf(mail(0, 103));
  const later = scroller(more, 1_000);
  scrolling.settle(later, more);

  expect(followed).toBe(element.scrollHeight);
  expect(atEnd).toMatchObject({ end: 100, unseen: 0 });
  expect(later.scrollTop).toBe(1_000);
  expect(scrolling.look(later, more)).toMatchObject({ unseen: 3 });
});
