import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { rewriteTranscript, viewTeam } from "../../support/team.ts";
import {
  type Line,
  occurrences,
  type Part,
  shownIn,
  TeamOnWire,
} from "../../support/team-on-wire.ts";
import { after, Latch } from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

type Ending = "kill" | "leave";

/** Approves the plan it was asked about, as soon as the person says so. */
const approvesWhenTold: Line = (request) => {
  const isTold = JSON.stringify(request.body.messages.at(-1)).includes("Decide the plan.");
  const id = /plan_approval_request[^>]*request_id=\\"([^"\\]+)/.exec(shownIn(request))?.[1];
  return isTold ? calls("plan_approval", { request_id: id, approve: true }) : says("Noted.");
};

/** What each member does before the process ends, and what it says afterwards. */
function parts(again: Latch): Record<string, Part> {
  return {
    lead: [approvesWhenTold],
    // In the middle of a model call. The same request is made again after the restart.
    thinker: [after(again, says("Thought in vain.")), says("Thought it over.")],
    // Idle, and written to while nobody runs.
    reader: [says("I remember the word xyzzy."), says("Read.")],
    // Waiting for the person.
    asker: [calls("write_file", { path: "asked.txt", content: "yes" }), says("Wrote it.")],
    // Waiting for its plan's approval.
    planner: [
      calls("plan_approval", { plan: "Paint it blue." }),
      says("Waiting."),
      says("Thanks."),
    ],
    // In a command that must not run twice.
    worker: [
      calls("bash", { command: "echo ran >> ran; echo $$ > worker.pid; exec sleep 3600" }),
      says("I looked what it had done."),
    ],
    // With a command in the background.
    keeper: [
      calls("background_run", { command: "echo $$ > keeper.pid; exec sleep 3600" }),
      says("It runs."),
      says("It ran."),
    ],
  };
}

/** A team of all of them whose process has ended while each was in the midst of it. */
async function endedTeam(ending: Ending): Promise<{ wire: TeamOnWire; pids: number[] }> {
  const again = new Latch();
  const wire = await TeamOnWire.start(parts(again));
  await using running = startTeamProcess(wire);
  const spawn = (name: string, more: object = {}) =>
    running.order({ type: "spawn", name, role: "coder", prompt: `You are ${name}.`, ...more });
  for (const name of ["reader", "worker", "keeper"]) spawn(name);
  spawn("asker", { mode: "default" });
  spawn("planner", { planRequired: true });
  spawn("thinker");

  for (const name of ["reader", "planner", "keeper"]) {
    await running.said(({ type, member }) => type === "run-end" && member === name);
  }
  await running.said((it) => it.type === "request-change" && it.request_type === "permission");
  await wire.requested("thinker", 1);
  const files = ["worker.pid", "keeper.pid"].map((name) => wire.made(name));
  const pids = (await Promise.all(files)).map(Number);
  await running[ending]();
  again.open();
  return { wire, pids };
}

test.each(["kill", "leave"] as const)(
  "P08 a team that ended by a %s continues, each member where it was",
  async (ending) => {
    const { wire: ended, pids } = await endedTeam(ending);
    await using wire = ended;
    await viewTeam(wire.root).send("reader", "Written while nobody runs.");
    const asked = wire.requestsOf("asker").length;

    const team = await wire.open({ mode: "bypassPermissions" });
    await wire.requested("thinker", 2);
    await wire.requested("worker", 2);

    // What waits for an answer waits on, under the same id, and has not begun.
    const open = await team.openRequests();
    expect(open.map(({ type, from }) => `${type} of ${from}`).sort()).toEqual([
      "permission of asker",
      "plan of planner",
    ]);
    expect(existsSync(join(wire.root, "asked.txt"))).toBe(false);
    expect(wire.requestsOf("asker")).toHaveLength(asked);
    for (const pid of pids) expect(await systemProcesses.startOf(pid)).toBeUndefined();

    await team.answer(open.find(({ type }) => type === "permission")?.id ?? "", {
      decision: "allow-once",
    });
    await team.quiet();

    expect(await readFile(join(wire.root, "asked.txt"), "utf8")).toBe("yes");
    expect(wire.requestsOf("asker")).toHaveLength(asked + 1);
    expect(wire.shownTo("asker")).toContain("Wrote 3 bytes to asked.txt");
    const read = wire.shownTo("reader");
    expect(occurrences(read, "xyzzy")).toBe(1);
    expect(occurrences(read, "Written while nobody runs.")).toBe(1);
    expect(shownIn(wire.requestsOf("thinker")[1])).toBe(shownIn(wire.requestsOf("thinker")[0]));
    expect(await readFile(join(wire.root, "ran"), "utf8")).toBe("ran\n");
    expect(wire.shownTo("keeper")).toMatch(/Background task \S+ was ended when troupe stopped/);
    expect(occurrences(wire.shownTo("keeper"), "was ended when troupe stopped")).toBe(1);
    expect(wire.shownTo("lead")).toContain("Thought it over.");
    expect(wire.server.refusals).toEqual([]);
  },
);

test("P08 a command that was running at a kill is reported with an unknown outcome", async () => {
  const { wire: ended } = await endedTeam("kill");
  await using wire = ended;

  await wire.open({ mode: "bypassPermissions" });

  expect(shownIn(await wire.requested("worker", 2))).toMatch(
    /"content":"Outcome unknown[^}]*"is_error":true/,
  );
});

test("P08 a plan that was undecided at a kill is decided afterwards, and its member continues", async () => {
  const { wire: ended } = await endedTeam("kill");
  await using wire = ended;
  const team = await wire.open({ mode: "bypassPermissions" });
  const [plan] = (await team.openRequests()).filter(({ type }) => type === "plan");

  await team.prompt("Decide the plan.");

  expect(shownIn(await wire.requested("planner", 3))).toMatch(
    new RegExp(`plan_approval_response[^>]*request_id=\\\\"${plan?.id}\\\\" approve=\\\\"true`),
  );
});

test("control: without a record that a command had started, it runs a second time", async () => {
  const { wire: ended } = await endedTeam("kill");
  await using wire = ended;
  await rewriteTranscript(wire.root, "worker", (entries) =>
    entries.filter(({ type }) => type !== "tool-start"),
  );
  await writeFile(join(wire.root, "worker.pid"), "");

  await wire.open({ mode: "bypassPermissions" });
  await wire.made("worker.pid");

  expect(await readFile(join(wire.root, "ran"), "utf8")).toBe("ran\nran\n");
});
