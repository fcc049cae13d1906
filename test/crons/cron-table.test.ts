import fc from "fast-check";
import { expect, test } from "vitest";
import type { CronBook } from "../../src/crons/cron-book.ts";
import { newCronId } from "../../src/protocol/cron.ts";
import { outside } from "../../src/protocol/ids.ts";
import { at, dayMs, draft, hourMs, minuteMs, TableFixture } from "./table-fixture.ts";

test("a recurring prompt is fired at its minute, each time", async () => {
  const fixture = new TableFixture(at(8, 59));
  await using table = await fixture.open();
  const entry = await table.schedule(draft({ cron: "0 9 * * *", member: "alice" }));

  await fixture.pass(minuteMs - 1);
  expect(fixture.fired).toEqual([]);
  await fixture.pass(1);
  expect(fixture.fired).toEqual([{ entry, at: at(9) }]);
  await fixture.pass(dayMs - 1);
  expect(fixture.fired).toHaveLength(1);
  await fixture.pass(1);

  expect(fixture.times()).toEqual([at(9), at(9, 0, 2)]);
  expect(await table.list()).toMatchObject([{ next_at: at(9, 0, 3).toISOString() }]);
  expect(await fixture.book.list()).toEqual(await table.list());
});

test("a one-time entry is fired once and removed", async () => {
  const fixture = new TableFixture(at(8, 59));
  const table = await fixture.open();
  await table.schedule(draft({ once: true }));

  fixture.clock.advance(dayMs);
  await table[Symbol.asyncDispose]();

  expect(fixture.times()).toEqual([at(9)]);
  expect(await table.list()).toEqual([]);
  expect(await fixture.book.list()).toEqual([]);
});

test("each of several entries is fired at its own time, even if another firing hangs", async () => {
  const fixture = new TableFixture(at(8, 59));
  await using table = await fixture.open();
  const release = fixture.hold();
  await table.schedule(draft({ cron: "0 9 * * *" }));
  await table.schedule(draft({ cron: "1 9 * * *" }));

  fixture.clock.advance(2 * minuteMs);

  expect(fixture.times()).toEqual([at(9), at(9, 1)]);
  release();
});

test("an entry cancelled before its time is not fired", async () => {
  const fixture = new TableFixture(at(8, 58));
  const table = await fixture.open();
  const { id } = await table.schedule(draft({ cron: "0 9 * * *" }));
  await fixture.pass(minuteMs);

  await table.cancel(id);

  fixture.clock.advance(dayMs);
  await table[Symbol.asyncDispose]();
  expect(fixture.fired).toEqual([]);
});

test("an entry cancelled while it is fired does not come back", async () => {
  const fixture = new TableFixture(at(8, 59));
  const table = await fixture.open();
  const release = fixture.hold();
  const { id } = await table.schedule(draft());
  fixture.clock.advance(minuteMs);

  await table.cancel(id);
  release();

  await table[Symbol.asyncDispose]();
  expect(await fixture.book.list()).toEqual([]);
});

test("a closed table fires nothing", async () => {
  const fixture = new TableFixture(at(8, 59));
  const table = await fixture.open();
  await table.schedule(draft());

  await table[Symbol.asyncDispose]();
  fixture.clock.advance(hourMs);

  expect(fixture.fired).toEqual([]);
});

test("after a restart a missed one-time entry is fired at once, a recurring one is skipped", async () => {
  const fixture = new TableFixture(at(8));
  const first = await fixture.open();
  await first.schedule(draft({ cron: "0 9 * * *", prompt: "recurring" }));
  const once = await first.schedule(draft({ cron: "0 9 * * *", prompt: "once", once: true }));
  await first[Symbol.asyncDispose]();
  fixture.clock.advance(hourMs + minuteMs);

  const second = await fixture.open();
  await second[Symbol.asyncDispose]();

  expect(fixture.fired).toEqual([{ entry: once, at: at(9) }]);
  expect(await fixture.book.list()).toMatchObject([
    { prompt: "recurring", next_at: at(9, 0, 2).toISOString() },
  ]);
});

test("a one-time entry scheduled after its time because of a restart is fired at once", async () => {
  const fixture = new TableFixture(at(9, 1));
  const table = await fixture.open();

  await table.schedule(draft({ cron: "0 9 1 1 *", once: true, askedAt: at(8, 59) }));
  const recurring = draft({ cron: "0 9 * * *", askedAt: at(8, 59) });
  expect(await table.schedule(recurring)).toMatchObject({ next_at: at(9, 0, 2).toISOString() });
  await table[Symbol.asyncDispose]();

  expect(fixture.times()).toEqual([at(9)]);
  expect(await fixture.book.list()).toHaveLength(1);
});

test("P25 if there are too many entries, the oldest are scheduled, the others stay, and that is reported", async () => {
  const fixture = new TableFixture(at(8));
  const first = await fixture.open();
  const entry = await first.schedule(draft());
  await first[Symbol.asyncDispose]();
  const created_at = at(9).toISOString();
  for (let i = 0; i < 100; i++) await fixture.book.put({ ...entry, id: newCronId(), created_at });

  await using second = await fixture.open();

  expect(await second.list()).toHaveLength(100);
  expect(await second.list()).toContainEqual(entry);
  expect(await fixture.book.list()).toHaveLength(101);
  expect(fixture.warnings).toEqual([expect.stringContaining("There are 101 crons, more than 100")]);
});

test("P25 if there are too many entries, those that troupe wrote come first", async () => {
  const fixture = new TableFixture(at(8));
  const first = await fixture.open();
  const entry = await first.schedule(draft());
  await first[Symbol.asyncDispose]();
  const others = { ...entry, created_by: outside, created_at: at(7).toISOString() };
  for (let i = 0; i < 100; i++) await fixture.book.put({ ...others, id: newCronId() });

  await using second = await fixture.open();

  expect(await second.list()).toHaveLength(100);
  expect(await second.list()).toContainEqual(entry);
});

test("after a restart before their time all entries are fired at their time", async () => {
  const fixture = new TableFixture(at(8));
  const first = await fixture.open();
  await first.schedule(draft({ cron: "0 9 * * *" }));
  await first.schedule(draft({ cron: "0 9 * * *", once: true }));
  await first[Symbol.asyncDispose]();
  fixture.clock.advance(hourMs - 1);

  const second = await fixture.open();
  expect(fixture.fired).toEqual([]);
  fixture.clock.advance(1);
  await second[Symbol.asyncDispose]();

  expect(fixture.times()).toEqual([at(9), at(9)]);
});

test.each([
  { fate: "dies before it has recorded a firing", times: 2 },
  { fate: "has recorded a firing", times: 1 },
])("a process that $fate fires for the same time $times× over its restart", async ({ times }) => {
  const fixture = new TableFixture(at(8, 59));
  const first = await fixture.open(times === 2 ? diesAtRemoval(fixture.book) : fixture.book);
  const entry = await first.schedule(draft({ once: true }));
  fixture.clock.advance(minuteMs);
  await first[Symbol.asyncDispose]();

  const second = await fixture.open();
  await second[Symbol.asyncDispose]();

  expect(fixture.fired).toEqual(Array(times).fill({ entry, at: at(9) }));
  expect(await fixture.book.list()).toEqual([]);
});

test.each([1, 2, 3])(
  "a process that dies before change %s leaves a scheduled `once` to the next start",
  async (deathAt) => {
    const fixture = new TableFixture(at(8, 59));
    const sent = new Set<string>();
    let changes = 0;
    const change = async () => {
      if (++changes >= deathAt) throw new Error("dead");
    };
    const { book } = fixture;
    const dying: CronBook = {
      put: (entry) => change().then(() => book.put(entry)),
      list: () => book.list(),
      remove: (id) => change().then(() => book.remove(id)),
    };
    const send = () => void sent.add(JSON.stringify(fixture.fired.at(-1)));
    fixture.answer = () => change().then(send);
    const first = await fixture.open(dying);
    const isScheduled = await first.schedule(draft({ once: true })).then(
      () => true,
      () => false,
    );
    fixture.clock.advance(minuteMs);
    await first[Symbol.asyncDispose]();

    fixture.answer = async () => send();
    const second = await fixture.open();
    await second[Symbol.asyncDispose]();

    expect(isScheduled).toBe(deathAt > 1);
    expect(sent.size).toBe(isScheduled ? 1 : 0);
    expect(await book.list()).toEqual([]);
  },
);

test("a failed firing is reported; a one-time entry is tried again a minute later, for its time", async () => {
  const fixture = new TableFixture(at(8, 59));
  const table = await fixture.open();
  const { id } = await table.schedule(draft({ once: true }));
  fixture.answer = () => Promise.reject(new Error("the disk is full"));
  await fixture.pass(minuteMs);

  fixture.answer = async () => {};
  fixture.clock.advance(minuteMs - 1);
  expect(fixture.times()).toEqual([at(9)]);
  fixture.clock.advance(1);
  await table[Symbol.asyncDispose]();

  expect(fixture.times()).toEqual([at(9), at(9)]);
  expect(fixture.warnings).toEqual([`Cron ${id} for 'lead' could not be fired: the disk is full`]);
  expect(await fixture.book.list()).toEqual([]);
});

test("a failed recurring firing is reported, and the next one is at its time", async () => {
  const fixture = new TableFixture(at(8, 59));
  await using table = await fixture.open();
  await table.schedule(draft());
  fixture.answer = () => Promise.reject(new Error("the disk is full"));
  await fixture.pass(minuteMs);

  fixture.answer = async () => {};
  await fixture.pass(minuteMs);

  expect(fixture.times()).toEqual([at(9), at(9, 1)]);
  expect(fixture.warnings).toHaveLength(1);
});

test("a clock set forward by a day skips recurring entries and fires one-time entries", async () => {
  const fixture = new TableFixture(at(8));
  await using table = await fixture.open();
  await table.schedule(draft({ cron: "0 9 * * *", prompt: "recurring" }));
  await table.schedule(draft({ cron: "0 9 * * *", prompt: "once", once: true }));

  fixture.clock.jump(dayMs);
  await fixture.pass(minuteMs);

  expect(fixture.fired).toMatchObject([{ entry: { prompt: "once" }, at: at(9) }]);
  await fixture.pass(hourMs);
  expect(fixture.fired[1]).toMatchObject({ entry: { prompt: "recurring" }, at: at(9, 0, 2) });
});

test("a machine that wakes up late fires only for the newest time", async () => {
  const fixture = new TableFixture(at(8, 59));
  await using table = await fixture.open();
  await table.schedule(draft());

  fixture.clock.jump(4 * minuteMs);
  await fixture.pass(minuteMs);

  expect(fixture.times()).toEqual([at(9, 4)]);
});

test("a clock set back by an hour fires nothing twice and continues after it has caught up", async () => {
  const fixture = new TableFixture(at(8, 59));
  await using table = await fixture.open();
  await table.schedule(draft());
  await fixture.pass(minuteMs);

  fixture.clock.jump(-hourMs);
  await fixture.pass(hourMs);
  expect(fixture.times()).toEqual([at(9)]);
  await fixture.pass(minuteMs);

  expect(fixture.times()).toEqual([at(9), at(9, 1)]);
});

test("a clock corrected by days is accepted at the next check", async () => {
  const fixture = new TableFixture(at(8, 59, 20));
  await using table = await fixture.open();
  await table.schedule(draft({ cron: "0 9 * * *", prompt: "recurring" }));
  await table.schedule(draft({ cron: "0 9 * * *", prompt: "once", once: true }));

  fixture.clock.jump(-10 * dayMs);
  fixture.clock.advance(2 * minuteMs);

  expect(fixture.times()).toEqual([]);
  expect(await table.list()).toMatchObject(Array(2).fill({ next_at: at(9, 0, 11).toISOString() }));
});

test("an invalid edit of a pattern is reported, and blocks no other entry", async () => {
  const fixture = new TableFixture(at(8, 59));
  const first = await fixture.open();
  const bad = await first.schedule(draft());
  await first.schedule(draft());
  await first[Symbol.asyncDispose]();
  await fixture.book.put({ ...bad, cron: "whenever" });

  await using second = await fixture.open();
  await fixture.pass(minuteMs);

  expect(fixture.warnings).toEqual([expect.stringContaining(`Cron ${bad.id} does not run`)]);
  expect(fixture.times()).toEqual([at(9)]);
  expect((await second.list()).find(({ id }) => id === bad.id)).toMatchObject({ next_at: null });
  await second.cancel(bad.id);
});

test("a book that cannot be written is reported, and firing continues", async () => {
  const fixture = new TableFixture(at(8, 59));
  await using table = await fixture.open();
  await table.schedule(draft());
  fixture.book.put = () => Promise.reject(new Error("the disk is full"));

  await fixture.pass(minuteMs);
  await fixture.pass(minuteMs);

  expect(fixture.times()).toEqual([at(9), at(9, 1)]);
  expect(fixture.warnings[0]).toMatch(/could not be recorded: the disk is full$/);
});

test("for any change of the clock, no time is fired twice, early, or after it was missed", async () => {
  const step = fc.record({
    jumpMs: fc.integer({ min: -2 * hourMs, max: 3 * dayMs }),
    passMs: fc.integer({ min: minuteMs, max: 2 * hourMs }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const fixture = new TableFixture(at(8, 59));
      await using table = await fixture.open();
      await table.schedule(draft({ cron: "*/7 * * * *" }));
      const latenessMs: number[] = [];
      fixture.answer = async () => {
        const due = fixture.fired.at(-1)?.at ?? at(0);
        latenessMs.push(fixture.clock.now().getTime() - due.getTime());
      };

      for (const { jumpMs, passMs } of steps) {
        fixture.clock.jump(jumpMs);
        await fixture.pass(passMs);
      }

      const times = fixture.times().map((time) => time.getTime());
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      expect(fixture.times().filter((time) => time.getMinutes() % 7 !== 0)).toEqual([]);
      expect(latenessMs.filter((late) => late < 0 || late > 5 * minuteMs)).toEqual([]);
    }),
  );
});

/** A book as it is left by a process that dies right before it would remove an entry. */
function diesAtRemoval(book: CronBook): CronBook {
  return {
    put: (entry) => book.put(entry),
    list: () => book.list(),
    remove: () => Promise.reject(new Error("dead")),
  };
}
