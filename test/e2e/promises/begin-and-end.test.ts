import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import type { Team } from "../../../src/team/team.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { fileText } from "../../support/file-text.ts";
import { TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { coder, never, nothingUnderWay, spawns } from "./scenes.ts";

/** Moments while a lead spawns alice, bob and carol with one reply. */
const moments: [string, (event: AgentEvent) => boolean][] = [
  ["its first call", ({ type }) => type === "tool-call"],
  ["the first spawn", ({ type, member }) => type === "member-change" && member === "alice"],
  ["the first run", ({ type, member }) => type === "run-start" && member === "alice"],
  ["the second spawn", ({ type, member }) => type === "member-change" && member === "bob"],
  ["the last spawn", ({ type, member }) => type === "member-change" && member === "carol"],
  ["the last run", ({ type, member }) => type === "run-start" && member === "carol"],
];

/** What a spawn came to. A refusal is as good an answer as any, a bug is not. */
async function outcomeOf(spawning: Promise<unknown>): Promise<"spawned" | "refused"> {
  try {
    await spawning;
    return "spawned";
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return "refused";
  }
}

test("P08 P21 no member starts in a team that is closing, even if the person has just spawned it", async () => {
  const stubborn = "trap '' TERM INT; echo up > bob.pid; while true; do sleep 1; done";
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [calls("bash", { command: "echo $$ > alice.pid; exec sleep 20" })],
    bob: [calls("bash", { command: stubborn })],
  });
  const team = await wire.open({ mode: "bypassPermissions" });
  await team.spawn(coder("bob"));
  await fileText(join(wire.root, "bob.pid"));
  const spawning = outcomeOf(team.spawn(coder("alice")));

  await team.close();
  await spawning;
  await nothingUnderWay(wire);

  await commandsEnded();
  expect(await isRunning(wire, "alice")).toBe(false);
});

test.each([
  ...moments,
  ["the first command", ({ type, member }) => type === "tool-call" && member === "alice"],
] satisfies typeof moments)(
  "P21 no command runs after a team is closed while its lead spawns: at %s",
  async (_, isMoment) => {
    const names = ["alice", "bob", "carol"];
    const command = (name: string) => `echo $$ > ${name}.pid; exec sleep 20`;
    await using wire = await TeamOnWire.start({
      lead: [reply(names.map((name) => spawns(name))), says("Noted.")],
      ...Object.fromEntries(
        names.map((name) => [name, [calls("bash", { command: command(name) })]]),
      ),
    });
    const team = await wire.open({ mode: "bypassPermissions" });
    const watched = new Watched(team);
    await team.prompt("Go.");
    await watched.until(isMoment);

    await team.close();
    const asked = wire.server.requests.length;
    await nothingUnderWay(wire);

    expect(wire.server.requests).toHaveLength(asked);
    await commandsEnded();
    for (const name of names) expect(await isRunning(wire, name)).toBe(false);
  },
);

/** Resolves when no command of this process runs: pipes are made by one, too, which ends at once. */
async function commandsEnded(): Promise<void> {
  const running = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === "ProcessWrap").length;
  await expect.poll(running).toBe(0);
}

async function isRunning(wire: TeamOnWire, name: string): Promise<boolean> {
  const pid = await readFile(join(wire.root, `${name}.pid`), "utf8").catch(() => undefined);
  return pid !== undefined && (await systemProcesses.startOf(Number(pid))) !== undefined;
}

test.each(moments)(
  "P07 stopping all members while the lead spawns leaves none alive: at %s",
  async (_, isMoment) => {
    const names = ["alice", "bob", "carol"];
    await using wire = await TeamOnWire.start({
      lead: [reply(names.map((name) => spawns(name))), says("Noted.")],
      ...Object.fromEntries(names.map((name) => [name, [never]])),
    });
    const team = await wire.open();
    const watched = new Watched(team);
    await team.prompt("Go.");
    await watched.until(isMoment);

    await team.stop();
    await watched.until(({ type, member }) => type === "run-end" && member === "lead");
    await nothingUnderWay(wire);

    expect(await living(team)).toEqual([]);
  },
);

async function living(team: Team): Promise<string[]> {
  const { members } = await team.roster();
  return members.filter(({ status }) => status !== "shutdown").map(({ name }) => name);
}

test.each([
  ["at once", undefined],
  ["when its record has changed", "member-change"],
  ["when its run has begun", "run-start"],
] as const)(
  "P12 a member that is spawned again and stopped %s is in the state that the roster says",
  async (_, moment) => {
    await using wire = await TeamOnWire.start({
      lead: [says("Noted.")],
      alice: [calls("plan_approval", { plan: "First this." }), says("Hello.")],
    });
    const team = await wire.open({ planApproval: "user", approvals: unattended });
    await team.spawn(coder("alice"));
    await team.quiet();

    const watched = new Watched(team);
    const spawning = outcomeOf(team.spawn(coder("alice")));
    if (moment) await watched.until(({ type, member }) => type === moment && member === "alice");
    await Promise.all([spawning, team.stop("alice")]);
    await team.quiet();

    const status = await wire.statusOf("alice");
    expect(["idle", "shutdown"]).toContain(status);
    if (status === "shutdown") return;
    const asked = wire.requestsOf("alice").length;
    await team.message("alice", "Are you there?");
    await wire.requested("alice", asked + 1);
  },
);

/** So that a plan which nobody decides keeps nobody waiting. */
const unattended = { unattended: () => "nobody is there" };
