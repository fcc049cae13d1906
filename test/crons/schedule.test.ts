import { expect, test } from "vitest";
import type { CronAccess } from "../../src/tools/team/team-access.ts";
import { at, draft, TableFixture } from "./table-fixture.ts";

test("a scheduled prompt is stored, listed and cancelled by its id", async () => {
  const fixture = new TableFixture(at(8, 30));
  await using table = await fixture.open();
  const timetable: CronAccess = table;

  const entry = await timetable.schedule(
    draft({ cron: " 0  9 * * *\n", prompt: "Look at the build.", member: "Alice", once: true }),
  );

  expect(entry).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}$/),
    cron: "0 9 * * *",
    prompt: "Look at the build.",
    member: "alice",
    once: true,
    created_by: "lead",
    created_at: at(8, 30).toISOString(),
    next_at: at(9).toISOString(),
  });
  expect(await timetable.list()).toEqual([entry]);
  expect(await fixture.book.list()).toEqual([entry]);
  expect(await timetable.cancel(entry.id)).toEqual(entry);
  expect(await timetable.list()).toEqual([]);
  expect(await fixture.book.list()).toEqual([]);
});

test("the lead gets it by default", async () => {
  await using table = await new TableFixture(at(8)).open();

  expect(await table.schedule(draft())).toMatchObject({ member: "lead" });
});

test.each([
  ["@daily", at(0, 0, 2)],
  ["*/20 * * * *", at(8, 40)],
  ["0 9 * jan-mar MON", at(9, 0, 5)],
])("%s is a pattern", async (cron, next) => {
  await using table = await new TableFixture(at(8, 30)).open();

  expect(await table.schedule(draft({ cron }))).toMatchObject({ next_at: next.toISOString() });
});

test.each([
  ["", '"" is not a cron pattern: it needs 5 fields and has 1'],
  ["tomorrow at nine", '"tomorrow at nine" is not a cron pattern: it needs 5 fields and has 3'],
  ["2026-02-01T09:00:00", "is not a cron pattern: it needs 5 fields and has 1"],
  ["*/5 * * * * *", '"*/5 * * * * *" is not a cron pattern: it needs 5 fields and has 6'],
  ["0 0 9 * * * 2027", "is not a cron pattern: it needs 5 fields and has 7"],
  ["60 * * * *", '"60 * * * *" is not a cron pattern'],
  ["* * 32 * *", '"* * 32 * *" is not a cron pattern'],
  ["*/0 * * * *", '"*/0 * * * *" is not a cron pattern'],
  ["a b c d e", '"a b c d e" is not a cron pattern'],
  ["@reboot", '"@reboot" is not a cron pattern'],
  [`${"1,".repeat(100_000)}1 * * * *`, "is not a cron pattern"],
])("%.40s is refused, with an example of a valid pattern", async (cron, message) => {
  const fixture = new TableFixture(at(8));
  await using table = await fixture.open();

  await expect(table.schedule(draft({ cron }))).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining(message),
    hint: expect.stringContaining('"0 9 * * 1-5" is 9:00 from Monday to Friday'),
  });
  expect(await fixture.book.list()).toEqual([]);
});

test("a pattern that never occurs is refused", async () => {
  await using table = await new TableFixture(at(8)).open();

  await expect(table.schedule(draft({ cron: "0 9 30 2 *" }))).rejects.toMatchObject({
    code: "config-invalid",
    message: '"0 9 30 2 *" never occurs',
  });
});

test("invalid and unknown names, and a prompt that is too long, are refused", async () => {
  const fixture = new TableFixture(at(8));
  await using table = await fixture.open();
  const refusal = (fields: Parameters<typeof draft>[0]) =>
    expect(table.schedule(draft(fields))).rejects;

  await refusal({ member: "../lead" }).toMatchObject({ code: "name-invalid" });
  await refusal({ member: "bob" }).toMatchObject({ code: "member-unknown" });
  await refusal({ prompt: "é".repeat(140_000) }).toMatchObject({ code: "content-too-large" });
  expect(await fixture.book.list()).toEqual([]);
});

test("at most 100 can be scheduled, also when many are scheduled at once", async () => {
  const fixture = new TableFixture(at(8));
  await using table = await fixture.open();

  const attempts = await Promise.allSettled(
    Array.from({ length: 101 }, () => table.schedule(draft())),
  );

  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
  expect(attempts.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "config-invalid", message: "There are 100 crons already" },
  });
  const ids = (await fixture.book.list()).map(({ id }) => id);
  expect(new Set(ids).size).toBe(100);
  await table.cancel(ids[0] ?? "");
  await table.schedule(draft());
});

test("an unknown id is refused, and the hint lists the known ones", async () => {
  await using table = await new TableFixture(at(8)).open();

  await expect(table.cancel("../lead")).rejects.toMatchObject({
    code: "cron-unknown",
    message: 'There is no cron "../lead"',
    hint: "Nothing is scheduled.",
  });
  const { id } = await table.schedule(draft());
  await expect(table.cancel("1")).rejects.toMatchObject({ hint: `Crons: ${id}.` });
});
