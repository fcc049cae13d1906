import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { troupeIn } from "../../cli/troupe.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { teamPlace, viewTeam } from "../../support/team.ts";
import { shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch, never, nextQuestion, nothingUnderWay, spawns } from "./scenes.ts";

/** Stands still, but for short waits, such as those for a process that has been asked to end. */
class PatientClock extends ManualClock {
  override schedule(delayMs: number, run: () => void): () => void {
    if (delayMs < 1_000) return systemClock.schedule(delayMs, run);
    return super.schedule(delayMs, run);
  }
}

const waitMs = 12_000;

/** A lead with a command in the background, at the moment at which that alone is waited for. */
async function waitingFor(wire: TeamOnWire) {
  const clock = new PatientClock();
  const team = await wire.open({
    place: teamPlace(wire.root, { clock, onWarning: (it) => wire.warnings.push(it) }),
    mode: "bypassPermissions",
  });
  const watched = new Watched(team);
  await team.prompt("Go.");
  await watched.until(({ type, member }) => type === "run-end" && member === "lead");
  const quiet = team.quiet({ backgroundWaitMs: waitMs });
  await nothingUnderWay(wire);
  return { clock, quiet };
}

test("P22 a background command is awaited for the configured time", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("background_run", { command: "until [ -e enough ]; do sleep 0.1; done; echo made it" }),
      says("Started."),
      says("Over."),
    ],
  });
  const { clock, quiet } = await waitingFor(wire);

  clock.advance(waitMs - 1);
  await writeFile(join(wire.root, "enough"), "");

  // Whoever has not waited says that it still runs, and has not shown its end to the lead.
  expect(await quiet).toMatchObject({ background: [], result: "Over." });
  expect(wire.shownTo("lead")).toContain("made it");
});

test("P22 a background command is awaited no longer, even if members keep looking for mail", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("background_run", { command: "sleep 60" }), says("Over.")],
  });
  const { clock, quiet } = await waitingFor(wire);

  for (let passedMs = 0; passedMs < waitMs; passedMs += 1_000) {
    clock.advance(1_000);
    await nothingUnderWay(wire);
  }

  // No time passes any more: what does not end now waits for longer than was said.
  expect((await quiet).background).toEqual([{ member: "lead", commands: 1 }]);
});

test("P22 waiting for a team to be quiet ends when the team is closed", async () => {
  await using wire = await TeamOnWire.start({ lead: [never] });
  const team = await wire.open();
  await team.prompt("Go.");
  await wire.requested("lead", 1);
  const quiet = team.quiet();

  await team.close();

  await Promise.allSettled([quiet]);
});

test("P09 waiting for a team to be quiet ends when this process is no longer its lead", async () => {
  const anotherLead = new AbortController();
  class LosableStore extends MemoryTeamStore {
    override readonly lost = anotherLead.signal;
  }
  await using wire = await TeamOnWire.start({ lead: [never] });
  const team = await wire.open({ store: new LosableStore({ clock: systemClock }) });
  await team.prompt("Go.");
  await wire.requested("lead", 1);
  const quiet = team.quiet();

  anotherLead.abort();

  await Promise.allSettled([quiet]);
  expect(wire.warnings.join()).toContain("Another process has become the lead");
});

test("P05 the result of talk among teammates is shown to the lead, also when an order came after it", async () => {
  const [carolsCall, carolsEnd] = [new Latch(), new Latch()];
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("alice"), spawns("bob"), spawns("carol")]), says("Noted.")],
    alice: [says("Alice is ready."), says("What came of it.")],
    bob: [
      async () => {
        await wire.server.until(() => wire.shownTo("lead").includes("Alice is ready."));
        return calls("send_message", { to: "alice", content: "Hello." });
      },
      says(""),
    ],
    carol: [
      after(carolsCall, calls("bash", { command: "touch made" })),
      after(carolsEnd, says("")),
    ],
  });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.prompt("Go.");
  await watched.until(
    (event) => event.type === "message-sent" && event.member === "alice" && event.to === "lead",
    2,
  );
  const question = nextQuestion(team, "permission");
  carolsCall.open();

  await team.answer(await question, { decision: "allow-always" });
  await watched.until(
    (event) => event.type === "message-sent" && event.message_type === "team_permission_update",
    4,
  );
  // By the time bob has read something, the lead has had the time to look at its order.
  await team.message("bob", "Anything new?");
  await wire.requested("bob", 3);
  expect(wire.shownTo("lead")).not.toContain("What came of it.");
  carolsEnd.open();
  await team.quiet();

  expect(wire.shownTo("lead")).toContain("What came of it.");
});

test.each([
  ["wait", { code: 0, made: "text" }],
  ["deny", { code: 3, made: "" }],
])(
  "P22 with --approvals %s and plans for the person, a run is over with %o",
  async (approvals, expected) => {
    await using wire = await TeamOnWire.start({
      lead: [
        reply([spawns("alice", { plan_required: true }), calls("wait_for_teammates", {})]),
        says("Over."),
      ],
      alice: [
        calls("plan_approval", { plan: "Make it." }),
        says("I wait."),
        calls("write_file", { path: "made.txt", content: "text" }),
        says("Made."),
      ],
    });
    const world = { root: wire.root, env: providerEnvironment(wire.server) };
    const flags = ["--plan-approval", "user", "--permission-mode", "acceptEdits"];
    const argv = [
      "run",
      "Go.",
      "--model",
      "anthropic/scripted",
      ...flags,
      "--approvals",
      approvals,
    ];

    const run = troupeIn(world, ...argv);
    await wire.server.until(() => shownIn(wire.requestsOf("lead").at(-1)).includes("I wait."));
    await nothingUnderWay(wire);
    const person = viewTeam(wire.root, { onWarning: () => undefined });
    const [plan] = await person.requests({ state: "pending" });
    await person.answer(plan?.id ?? "", { decision: "allow-once" });
    const { code } = await run;

    const made = await readFile(join(wire.root, "made.txt"), "utf8").catch(() => "");
    expect({ code, made }).toEqual(expected);
  },
);

test("a teammate that the lead has written to in the same reply is waited for", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), calls("wait_for_teammates", {})]),
      says("Ready."),
      reply([
        calls("send_message", { to: "alice", content: "Now work." }),
        calls("wait_for_teammates", {}),
      ]),
      says("Over."),
    ],
    alice: [says("I am here."), says("I have worked.")],
  });
  const team = await wire.open();
  await team.prompt("Go.");
  await team.quiet();
  await team.prompt("Go on.");
  await team.quiet();

  const waited = wire.requestsOf("lead").at(-1);
  expect(shownIn(waited)).toContain("alice has ended its run.");
  expect(shownIn(waited)).toContain("I have worked.");
});
