import { expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("P22 the summary of a quiet team says how everybody and everything stands", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        calls("spawn_teammate", { name: "alice", role: "coder", prompt: "Begin." }),
        calls("create_task", { subject: "Paint" }),
        calls("wait_for_teammates", {}),
      ]),
      says("Over."),
    ],
    alice: [says("Done.")],
  });
  const team = await wire.open();
  const before = await team.summary();
  expect(before).toMatchObject({
    ...{ result: "", members: [{ name: "lead", role: "lead", status: "idle" }], tasks: [] },
    ...{ denied: [], undecided: [], background: [], cost_usd: 0, undelivered: [] },
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
  });
  expect(before.end).toBeUndefined();
  expect(before.members[0]?.outcome).toBeUndefined();

  await team.prompt("Go.");
  const summary = await team.quiet();

  expect(summary).toMatchObject({
    result: "Over.",
    members: [
      { name: "lead", model: "anthropic/scripted", outcome: "done" },
      { name: "alice", role: "coder", model: "anthropic/scripted", status: "idle" },
    ],
    ...{ denied: [], undecided: [], background: [], undelivered: [] },
    end: { outcome: "done" },
  });
  expect(summary.tasks.map(({ subject }) => subject)).toEqual(["Paint"]);
  const [ofLead, ofAlice] = summary.members.map(({ usage }) => usage);
  if (!ofLead || !ofAlice) throw new Error("Not everybody has made a call");
  for (const count of ["input_tokens", "output_tokens", "cache_read_tokens"] as const) {
    expect(summary.usage[count]).toBe(ofLead[count] + ofAlice[count]);
  }
  expect(summary.cost_usd).toBe(ofLead.cost_usd + ofAlice.cost_usd);
  expect(summary.duration_ms).toBeGreaterThanOrEqual(0);
  expect(summary.duration_ms).toBeLessThan(60_000);
});

test("a broadcast reaches everybody who is alive but its sender, and says how many", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("broadcast", { content: "to all" }), says("Sent.")],
    alice: [says("Ready.")],
    bob: [says("Ready.")],
  });
  const team = await wire.open();
  for (const name of ["alice", "bob"]) {
    await team.spawn({ name, role: "coder", prompt: "Begin." });
  }
  await team.quiet();
  await team.stop("bob");

  expect(await team.broadcast("Stop for a moment.")).toBe(2);
  await team.quiet();

  expect(wire.shownTo("alice")).toContain("Stop for a moment.");
  expect(wire.shownTo("alice")).toContain("to all");
  expect(wire.shownTo("bob")).not.toContain("Stop for a moment.");
});
