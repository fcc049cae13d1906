import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { troupeIn } from "../../cli/troupe.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { observe, teamPlace } from "../../support/team.ts";
import { shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, anotherTeamsWork, Latch, never, nextQuestion, spawns } from "./scenes.ts";

/**
 * Tells when somebody begins to wait for `delayMs`. Short waits, such as those for a process that
 * has been asked to end, are real.
 */
class TimerWatch extends ManualClock {
  readonly isSet: Promise<void>;
  readonly #delayMs: number;
  #set = () => {};

  constructor(delayMs: number) {
    super();
    this.#delayMs = delayMs;
    this.isSet = new Promise((resolve) => {
      this.#set = resolve;
    });
  }

  override schedule(delayMs: number, run: () => void): () => void {
    if (delayMs < 1_000) return systemClock.schedule(delayMs, run);
    if (delayMs === this.#delayMs) this.#set();
    return super.schedule(delayMs, run);
  }
}

test("P22 a background command is waited for as long as was said, however often everybody looks for mail", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("background_run", { command: "sleep 60" }), says("Over.")],
  });
  const waitMs = 12_000;
  const clock = new TimerWatch(waitMs);
  const team = await wire.open({
    place: teamPlace(wire.root, { clock, onWarning: (it) => wire.warnings.push(it) }),
    mode: "bypassPermissions",
  });
  const watched = new Watched(team);
  await team.prompt("Go.");
  await watched.until(({ type, member }) => type === "run-end" && member === "lead");

  let isQuiet = false;
  const quiet = team.quiet({ backgroundWaitMs: waitMs }).then((summary) => {
    isQuiet = true;
    return summary;
  });
  await clock.isSet;
  for (let passedMs = 1_000; passedMs < waitMs; passedMs += 1_000) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  await anotherTeamsWork();
  expect(isQuiet).toBe(false);
  clock.advance(1_000);

  // No time passes any more: what does not end now waits for longer than was said.
  expect((await quiet).background).toEqual([{ member: "lead", commands: 1 }]);
}, 20_000);

test("P22 whoever waits for a team to be quiet waits no longer than it is open", async () => {
  await using wire = await TeamOnWire.start({ lead: [never] });
  const team = await wire.open();
  await team.prompt("Go.");
  await wire.requested("lead", 1);
  const quiet = team.quiet();

  await team.close();

  await Promise.allSettled([quiet]);
}, 20_000);

test("P09 whoever waits for a team to be quiet waits no longer than this process is its lead", async () => {
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
}, 20_000);

test("P05 what came of talk among teammates is shown to the lead, also when an order came after it", async () => {
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
    await anotherTeamsWork();
    const person = await observe(wire.root, { onWarning: () => undefined });
    const [plan] = await person.openRequests();
    await person.answer(plan?.id ?? "", { decision: "allow-once" });
    const { code } = await run;

    const made = await readFile(join(wire.root, "made.txt"), "utf8").catch(() => "");
    expect({ code, made }).toEqual(expected);
  },
  20_000,
);
