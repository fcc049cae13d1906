import { expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { shownIn, TeamOnWire } from "../support/team-on-wire.ts";

test("a lead spawns two teammates, waits, and answers with their results", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        calls("spawn_teammate", { name: "alice", role: "coder", prompt: "Say one." }),
        calls("spawn_teammate", { name: "bob", role: "tester", prompt: "Say two." }),
        calls("wait_for_teammates", {}),
      ]),
      says("Both answered."),
    ],
    alice: [calls("send_message", { to: "bob", content: "Hello bob." }), says("One.")],
    bob: [says("Two.")],
  });
  const team = await wire.open();
  const before = Date.now();
  await team.prompt("Go.");
  const summary = await team.quiet();
  console.log(
    Date.now() - before,
    JSON.stringify(summary, null, 1),
    wire.warnings,
    wire.server.refusals,
  );
  console.log(shownIn(wire.requestsOf("lead")[1]), wire.server.requests.length);
  console.log(shownIn(wire.requestsOf("bob").at(-1)));
  expect(summary.result).toBe("Both answered.");
});
