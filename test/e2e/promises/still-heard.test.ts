import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { status } from "../../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, endOfRun, never, nothingUnderWay, untilOnDisk } from "./scenes.ts";

/** More than a reader is given at once. */
const tooMuch = 4_200;

/** Strangers fill a member's mailbox with what wakes nobody who has failed or was interrupted. */
function flood(wire: TeamOnWire, name: string): Promise<void> {
  const line = `${JSON.stringify({ content: "Noise." })}\n`;
  return appendFile(join(wire.teamDirectory, "inbox", `${name}.jsonl`), line.repeat(tooMuch));
}

test("P03 P25 a failed teammate gets the person's mail after any amount of other mail", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [status(400), says("Here I am.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await untilOnDisk(wire, "alice", (member) => member.status === "failed");
  await flood(wire, "alice");

  await team.message("alice", "Start again.");

  await wire.requested("alice", 2);
  await wire.server.until(() => wire.shownTo("alice").includes("Start again."));
});

test("P03 P25 an interrupted lead gets the person's mail after any amount of other mail", async () => {
  await using wire = await TeamOnWire.start({ lead: [never, says("Here I am.")] });
  const team = await wire.open();
  await team.prompt("Go.");
  await wire.requested("lead", 1);
  team.interrupt("lead");
  await team.quiet();
  await flood(wire, "lead");

  await team.prompt("Are you there?");

  await wire.requested("lead", 2);
  await wire.server.until(() => wire.shownTo("lead").includes("Are you there?"));
});

test("P12 an interrupt before a run has started is effective until the person writes again", async () => {
  const answers = (request: ProviderRequest) =>
    shownIn(request).includes("Second.") ? says("Heard.") : never();
  await using wire = await TeamOnWire.start({ lead: [answers] });
  const team = await wire.open();

  await team.prompt("First.");
  team.interrupt();
  await team.quiet();
  expect(wire.shownTo("lead")).not.toContain("Heard.");
  await team.prompt("Second.");
  const { result } = await team.quiet();

  expect(result).toBe("Heard.");
  expect(wire.shownTo("lead")).toMatch(/First\..*Second\./);
});

test("P12 a member that was interrupted while it held a task stays so after a restart, until the person writes", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      reply([calls("create_task", { subject: "Paint" }), calls("claim_task", { task_id: "1" })]),
      never,
      says("Back."),
    ],
  });
  {
    await using team = await wire.open({ autoclaim: false });
    await team.spawn(coder("alice"));
    await wire.requested("alice", 2);
    const ended = endOfRun(team, "alice");
    team.interrupt("alice");
    await ended;
    await team.quiet();
    expect(await wire.recordOf("alice")).toMatchObject({ status: "idle", detail: "interrupted" });
  }

  const team = await wire.open();
  await team.quiet();
  await nothingUnderWay(wire);
  expect(wire.requestsOf("alice")).toHaveLength(2);
  expect(await wire.recordOf("alice")).toMatchObject({ status: "idle", detail: "interrupted" });
  await team.message("alice", "Go on.");
  await wire.requested("alice", 3);
});
