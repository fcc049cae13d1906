import { expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("the warm-up during the first request makes no request and prints nothing", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: "echo warm" }), says("It is.")],
  });
  const team = await wire.open({ allow: ["bash(echo:*)"] });

  await team.prompt("Is it warm?");
  const { result } = await team.quiet();

  expect(result).toBe("It is.");
  expect(wire.requestsOf("lead")).toHaveLength(2);
  expect(wire.server.requests).toHaveLength(2);
  expect(wire.server.refusals).toEqual([]);
  expect(wire.warnings).toEqual([]);
});
