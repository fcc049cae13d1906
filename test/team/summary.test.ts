import { expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { never } from "../e2e/promises/scenes.ts";
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
    ...{ denied: [], undecided: [], background: [], undelivered: [] },
    ...{ cost_usd: 0, unpriced_calls: 0 },
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
  expect(summary.duration_ms).toBeGreaterThanOrEqual(0);
  expect(summary.duration_ms).toBeLessThan(60_000);
});

test("P18 a cost that nobody knows is null and never 0, and the calls without a price are counted", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  const models = { "anthropic/priced": { price: { input: 1, output: 2 } } };
  const team = await wire.open({ models });
  const costs = async () => {
    const { cost_usd, unpriced_calls, members } = await team.summary();
    return { cost_usd, unpriced_calls, members: members.map((it) => it.cost_usd) };
  };

  await team.prompt("Go.");
  await team.quiet();
  expect(await costs()).toEqual({ cost_usd: null, unpriced_calls: 1, members: [null] });

  const alice = { name: "alice", role: "coder", prompt: "Go.", model: "anthropic/priced" };
  await team.spawn(alice);
  await team.quiet();
  const { cost_usd, unpriced_calls, members } = await team.summary();
  expect(cost_usd).toBeGreaterThan(0);
  expect(unpriced_calls).toBe(2);
  expect(members.map((it) => it.cost_usd)).toEqual([null, cost_usd]);
  expect(members.map(({ usage }) => usage?.cost_usd)).toEqual([null, cost_usd]);
  for (const usage of [await team.usage(), await team.view().usage()]) {
    expect([...usage.values()]).toMatchObject([
      { cost_usd: null, unpriced_calls: 2 },
      { cost_usd, unpriced_calls: 0 },
    ]);
  }
});

test("a lead that works is shown as working", async () => {
  await using wire = await TeamOnWire.start({ lead: [never] });
  const team = await wire.open();
  await team.prompt("Go.");
  await wire.requested("lead", 1);

  const { members } = await team.quiet({ signal: AbortSignal.abort() });

  expect(members).toMatchObject([{ name: "lead", status: "working" }]);
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
