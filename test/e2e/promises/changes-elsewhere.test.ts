import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../../support/team-on-wire.ts";
import { coder } from "./scenes.ts";

test("P10 a task that another process creates is assigned to an idle teammate", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Ready."), calls("complete_task", { task_id: "1" }), says("Done.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.quiet();

  await writeRecords(wire.root, "task");
  await wire.requested("alice", 3);
  await team.quiet();

  expect(await team.tasks()).toMatchObject([{ status: "completed", owner: "alice" }]);
  expect(wire.shownTo("alice")).toContain("Task 1 is yours: Mend the fence");
});

test("P11 a decision that another process writes ends the wait of the call", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: "touch allowed.txt" }), says("Done.")],
  });
  const team = await wire.open();
  const events = team.events()[Symbol.asyncIterator]();
  await team.prompt("Go.");
  for (let event = await events.next(); !event.done; event = await events.next()) {
    if (event.value.type === "request-change") break;
  }

  await writeRecords(wire.root, "approve");
  await wire.requested("lead", 2);
  await team.quiet();

  expect(await team.requests()).toMatchObject([{ state: "approved" }]);
  expect(wire.shownTo("lead")).toContain("(no output)");
});

async function writeRecords(root: string, what: "task" | "approve"): Promise<void> {
  const program = "test/e2e/promises/programs/record-writer.ts";
  await promisify(execFile)(process.execPath, ["--import", "tsx", program, root, what]);
}
