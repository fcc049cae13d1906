import { expect, test } from "vitest";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { status } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { teamPlace } from "../../support/team.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, memberOnDisk, nextEvent, onceTold, resultsIn, spawns } from "./scenes.ts";

test("P17 a pause that the provider asks for applies to the whole team, and the person sees why each member waits", async () => {
  await using wire = await TeamOnWire.start({
    lead: [status(429, undefined, { "retry-after": "30" }), says("Over.")],
    alice: [says("Over.")],
    bob: [says("Over.")],
  });
  const clock = new ManualClock();
  const onWarning = (message: string) => void wire.warnings.push(message);
  const team = await wire.open({ place: teamPlace(wire.root, { clock, onWarning }) });
  const waits = (member: string) =>
    nextEvent(team, (event) => event.type === "model-wait" && event.member === member);
  const leadWaits = waits("lead");
  await team.prompt("Go.");
  expect(await leadWaits).toMatchObject({ reason: expect.stringMatching(/limits the rate/) });

  const othersWait = Promise.all([waits("alice"), waits("bob")]);
  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  await othersWait;
  clock.advance(29_000);
  expect(wire.server.requests).toHaveLength(1);

  const quiet = team.quiet();
  clock.advance(60_000);
  expect((await quiet).members.map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
});

test("P17 a provider failure affects only that member: the others continue, the lead gets the reason, and its message starts it again", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), spawns("bob"), calls("wait_for_teammates", {})]),
      reply([
        calls("send_message", { to: "alice", content: "Try again." }),
        calls("wait_for_teammates", {}),
      ]),
      says("All is well."),
    ],
    alice: [status(400, { error: { type: "invalid_request_error", message: "No." } }), says("Up.")],
    bob: [says("I am here.")],
  });
  const team = await wire.open();
  const failed = nextEvent(
    team,
    (event) => event.type === "member-change" && event.status === "failed",
  );
  await team.prompt("Go.");
  expect(await failed).toMatchObject({ member: "alice" });
  const summary = await team.quiet();

  const told = shownIn(wire.requestsOf("lead")[1]);
  expect(told).toContain('from=\\"alice\\" type=\\"result\\"');
  expect(told).toContain('outcome=\\"failed\\"');
  expect(told).toContain("I am here.");
  expect(summary.result).toBe("All is well.");
  expect(summary.members.map(({ name, status, outcome }) => [name, status, outcome])).toEqual([
    ["lead", "idle", "done"],
    ["alice", "idle", "done"],
    ["bob", "idle", "done"],
  ]);
  expect(shownIn(wire.requestsOf("lead").at(-1))).toContain("Up.");
});

test("P17 a failed member is not started by a peer, and the peer is notified", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [status(400)],
    bob: [
      onceTold(
        "Write to alice",
        calls("send_message", { to: "alice", content: "Hello?" }),
        says("Over."),
      ),
    ],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.quiet();
  await team.spawn({ ...coder("bob"), prompt: "Write to alice." });
  await team.quiet();

  expect(resultsIn(wire.requestsOf("bob").at(-1))[0]?.text).toContain("alice has failed");
  expect(wire.requestsOf("alice")).toHaveLength(1);
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ status: "failed" });
});
