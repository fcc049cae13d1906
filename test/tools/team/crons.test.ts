import { expect, test } from "vitest";
import type { CronDraft } from "../../../src/protocol/cron.ts";
import { bob, call, cron, leadsTools, textOf } from "./fixture.ts";

test("a prompt is scheduled, and the answer says when it runs", async () => {
  const { tools, scheduled } = recordingSchedules();

  expect(
    await textOf(tools, "schedule_cron", { cron: "0 9 * * 1-5", prompt: "Look at the build" }),
  ).toBe("Scheduled 0000000a: next at 2026-11-16T09:00:00.000Z");
  expect(scheduled).toEqual([
    { cron: "0 9 * * 1-5", prompt: "Look at the build", member: undefined, once: false },
  ]);
});

test("a prompt can be for a teammate, and only once", async () => {
  const { tools, scheduled } = recordingSchedules();

  const input = { cron: "0 9 1 1 *", prompt: "Happy new year", member: "bob", once: true };
  await call(tools, "schedule_cron", input);

  expect(scheduled).toEqual([input]);
});

test("each scheduled prompt is one line", async () => {
  const entries = [
    cron(),
    cron({ id: "0000000b", member: bob, once: true, next_at: null, prompt: "Wake\nup" }),
  ];
  const tools = leadsTools({ timetable: { list: async () => entries } });

  expect((await textOf(tools, "list_crons")).split("\n")).toEqual([
    "0000000a: 0 9 * * 1-5 to lead, next at 2026-11-16T09:00:00.000Z: Look at the build",
    "0000000b: 0 9 * * 1-5 once to bob, no next time: Wake up",
  ]);
});

test("an empty schedule has no crons", async () => {
  expect(await textOf(leadsTools(), "list_crons")).toBe("No crons.");
});

test("a scheduled prompt is cancelled by its id", async () => {
  const tools = leadsTools({ timetable: { cancel: async (id) => cron({ id }) } });

  expect(await textOf(tools, "cancel_cron", { id: "0000000b" })).toBe("Cancelled 0000000b");
});

test.each([
  [{ cron: "", prompt: "Look" }, "cron: must not be empty"],
  [{ cron: "* * * * *", prompt: "" }, "prompt: must not be empty"],
  [{ cron: "* * * * *", prompt: "Look", once: "true" }, "once: "],
])("the schedule %j is refused", async (input, problem) => {
  const { tools, scheduled } = recordingSchedules();

  const { text, isError } = await call(tools, "schedule_cron", input);

  expect(isError).toBe(true);
  expect(text).toContain(problem);
  expect(scheduled).toEqual([]);
});

function recordingSchedules() {
  const scheduled: CronDraft[] = [];
  const tools = leadsTools({
    timetable: {
      async schedule(entry) {
        scheduled.push(entry);
        return cron();
      },
    },
  });
  return { tools, scheduled };
}
