import { expect, test } from "vitest";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { says } from "../../../src/testing/scripted-model.ts";
import { viewTeam } from "../../support/team.ts";
import { TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, nextEvent } from "./scenes.ts";

const hourMs = 3_600_000;

test.each([-hourMs, hourMs])(
  "P07 a stop from a shell whose clock is %d ms off ends all members, and none that is spawned later",
  async (skewMs) => {
    await using wire = await TeamOnWire.start({
      lead: [says("Noted.")],
      alice: [says("Ready.")],
      bob: [says("Ready.")],
    });
    const team = await wire.open();
    await team.spawn(coder("alice"));
    await team.quiet();

    const clock = new ManualClock(new Date(Date.now() + skewMs));
    const ended = nextEvent(
      team,
      (event) => event.type === "member-change" && event.status === "shutdown",
    );
    await viewTeam(wire.root, { clock }).stop();
    await ended;
    await team.spawn(coder("bob"));
    await team.quiet();
    await team.close();
    const again = await wire.open();
    await again.quiet();

    expect(await wire.statusOf("alice")).toBe("shutdown");
    expect(await wire.statusOf("bob")).toBe("idle");
  },
);
