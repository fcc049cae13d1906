import { expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { connectTo, eras } from "../support/mcp-client.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

const coder = { name: "alice", role: "coder", prompt: "Work." };

test.each(eras)(
  "P13 what comes with a teammate's secret is from the teammate, whatever its arguments say (%s era)",
  async (era) => {
    await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Ready.")] });
    await using team = await wire.open({ autoclaim: false });
    await team.spawn(coder);
    await team.quiet();
    const seat = await team.openSeat("alice");
    await using mcp = await connectTo(seat.url, seat.secret, era);
    const { tools } = await mcp.client.listTools();

    const input = { to: "lead", content: "The tests pass.", from: "user", member: "bob" };
    const sent = await mcp.call("send_message", input);
    const created = await mcp.call("create_task", { subject: "Paint" });
    const claimed = await mcp.call("claim_task", { task_id: "1" });
    await team.quiet();

    expect(sent).toBe("Sent message to lead");
    expect(wire.shownTo("lead")).toMatch(
      /<teammate-message from=\\"alice\\" type=\\"message\\"[^>]*>The tests pass\./,
    );
    expect([created, claimed]).toEqual(["Created task 1: Paint", "Claimed task 1: Paint"]);
    expect(await team.tasks()).toMatchObject([{ created_by: "alice" }]);
    expect(await mcp.call("read_inbox")).toBe("No mail.");
    expect(tools.map(({ name }) => name)).toEqual([
      ...["send_message", "list_teammates", "create_task", "list_tasks", "get_task", "claim_task"],
      ...["complete_task", "update_task", "plan_approval", "shutdown_response", "read_inbox"],
    ]);
  },
);

test("P13 a teammate's secret is dead once it is spawned again, and the secret of its new life works", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Ready.")] });
  await using team = await wire.open();
  await team.spawn(coder);
  await team.quiet();
  const first = await team.openSeat("alice");
  await using mcp = await connectTo(first.url, first.secret, "modern");
  await mcp.call("list_teammates");

  await team.spawn({ ...coder, prompt: "More work." });
  await team.quiet();
  const second = await team.openSeat("alice");
  await using again = await connectTo(second.url, second.secret, "modern");

  await expect(mcp.call("list_teammates")).rejects.toThrow();
  expect(await again.call("list_teammates")).toContain("alice (coder): idle");
  expect(second.url).toBe(first.url);
});

test("a secret is dead when its teammate is stopped, when its seat is closed, and when the team is closed", async () => {
  await using wire = await TeamOnWire.start({
    ...{ lead: [says("Noted.")], alice: [says("Ready.")], bob: [says("Ready.")] },
    carol: [calls("list_tasks", {}), says("Ready.")],
  });
  const team = await wire.open();
  for (const name of ["alice", "bob", "carol"]) await team.spawn({ ...coder, name });
  await team.quiet();
  const [alice, bob, carol] = await Promise.all(
    ["alice", "bob", "carol"].map(async (name) => {
      const seat = await team.openSeat(name);
      const mcp = await connectTo(seat.url, seat.secret, "legacy");
      await mcp.call("list_teammates");
      return { seat, mcp };
    }),
  );

  await team.stop("alice");
  await bob?.seat.close();

  await expect(alice?.mcp.call("list_teammates")).rejects.toThrow();
  await expect(bob?.mcp.call("list_teammates")).rejects.toThrow();
  expect(await carol?.mcp.call("list_teammates")).toContain("alice (coder): shutdown");
  await team.close();
  await expect(carol?.mcp.call("list_teammates")).rejects.toThrow();
  await expect(team.openSeat("carol")).rejects.toThrow("The team is closed");
});

test("the lead, and nobody, has no seat", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  await using team = await wire.open();

  await expect(team.openSeat("lead")).rejects.toThrow("The lead has no seat");
  await expect(team.openSeat("zoe")).rejects.toThrow("zoe");
});
