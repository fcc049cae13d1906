import { expect, test } from "vitest";
import { exitCodeOf, unfinishedLines } from "../../src/team/exit-code.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("a summary is judged as a headless run is: 0 only if nothing is left to do", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const team = await wire.open();
  await team.prompt("Go.");
  const summary = await team.quiet();

  expect(exitCodeOf(summary)).toBe(0);
  expect(unfinishedLines(summary)).toEqual([]);
  const members = summary.members.map((member) => ({ ...member, status: "failed" as const }));
  expect(exitCodeOf({ ...summary, members })).toBe(3);
  const end = summary.end && { ...summary.end, outcome: "budget" as const };
  expect(exitCodeOf({ ...summary, end })).toBe(4);
});

test("a task is unfinished until it is completed or cancelled", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply(["one", "two", "three"].map((subject) => calls("create_task", { subject }))),
      reply([
        calls("update_task", { task_id: "2", status: "cancelled" }),
        calls("complete_task", { task_id: "3", result: "Painted." }),
      ]),
      says("Done."),
    ],
  });
  const team = await wire.open();
  await team.prompt("Go.");

  const summary = await team.quiet();

  expect(summary.tasks.map(({ status }) => status)).toEqual(["pending", "cancelled", "completed"]);
  expect(unfinishedLines(summary)).toEqual(["task 1 is pending: one"]);
});
