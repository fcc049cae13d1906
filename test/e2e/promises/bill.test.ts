import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { TokenUsage } from "../../../src/protocol/usage.ts";
import { mailNewestFirst } from "../../../src/team/view/read-pages.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { viewTeam } from "../../support/team.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, memberOnDisk, resultsIn, spawns } from "./scenes.ts";

const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 1.25 };
const models = { "anthropic/scripted": { price } };

/** What the provider reports for one reply. */
function usage(input: number, output: number, read = 0, write = 0): TokenUsage {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: write,
  };
}

test("P18 each member's usage adds up to what the provider reported for it, and the team's to all of it", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), spawns("bob"), calls("wait_for_teammates", {})], {
        usage: usage(1_000, 100),
      }),
      reply([says("Over.")], { usage: usage(200, 20, 1_000, 7) }),
    ],
    alice: [
      reply([calls("list_tasks", {})], { usage: usage(31, 3) }),
      reply([says("One.")], { usage: usage(5, 2, 31) }),
    ],
    bob: [reply([says("Two.")], { usage: usage(17, 1, 0, 11) })],
  });
  const team = await wire.open({ models });
  await team.prompt("Go.");
  const summary = await team.quiet();

  const usageOf = (name: string) => summary.members.find((member) => member.name === name)?.usage;
  expect(usageOf("lead")).toMatchObject({ ...usage(1_200, 120, 1_000, 7), calls: 2 });
  expect(usageOf("alice")).toMatchObject({ ...usage(36, 5, 31), calls: 2 });
  expect(usageOf("bob")).toMatchObject({ ...usage(17, 1, 0, 11), calls: 1 });
  expect(summary.usage).toEqual(usage(1_253, 126, 1_031, 18));
  const cost = (1_253 * 1 + 126 * 10 + 1_031 * 0.1 + 18 * 1.25) / 1e6;
  expect(summary.cost_usd).toBeCloseTo(cost, 12);
  const ledger = await readFile(join(wire.teamDirectory, "usage.jsonl"), "utf8");
  expect(ledger.trimEnd().split("\n")).toHaveLength(5);
  const seenElsewhere = await viewTeam(wire.root).usage();
  expect([...seenElsewhere.values()].reduce((sum, { calls: count }) => sum + count, 0)).toBe(5);
});

/** Works for ever, 50 tokens a turn. */
const toils = (request: ProviderRequest) =>
  reply([calls("create_task", { subject: `Task ${request.body.messages.length}` })], {
    usage: usage(40, 10),
  });

test("P18 the team's budget stops working members between two turns, and everything can be resumed", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([says("Noted.")], { usage: usage(0, 1) })],
    alice: [toils, toils, toils, toils, toils, toils, says("Done at last.")],
  });
  const first = await wire.open({ autoclaim: false, budget: { maxTokens: 120 } });
  await first.spawn(coder("alice"));
  const summary = await first.quiet();

  expect(summary.members.find(({ name }) => name === "alice")).toMatchObject({ outcome: "budget" });
  expect(wire.requestsOf("alice")).toHaveLength(3);
  expect(summary.tasks).toHaveLength(3);
  // The team is past its budget: nobody is woken, the lead included.
  await first.prompt("Are you there?");
  await first.quiet();
  expect(wire.requestsOf("lead")).toHaveLength(0);
  await first.close();

  const second = await wire.open({ autoclaim: false });
  await second.message("alice", "Go on.");
  await second.quiet();
  expect(shownIn(wire.requestsOf("alice").at(-1))).toContain("Go on.");
  expect(wire.requestsOf("lead").length).toBeGreaterThan(0);
  expect(wire.server.refusals).toEqual([]);
});

test("P18 money is capped too: the run that reaches the limit is the last, and a model without a price is refused at the start", async () => {
  const spends = reply([calls("list_tasks", {})], { usage: usage(500_000, 0) });
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), calls("wait_for_teammates", {})], { usage: usage(100_000, 0) }),
      says("Never said."),
    ],
    alice: [spends, reply([calls("list_teammates", {})], { usage: usage(500_000, 0) })],
  });
  const team = await wire.open({ models, budget: { maxCostUsd: 1 } });
  await team.prompt("Go.");
  const summary = await team.quiet();

  // 0.1 of the lead and twice 0.5 of alice: nothing was asked for beyond that.
  expect(summary.cost_usd).toBeCloseTo(1.1, 9);
  expect(summary.members.map(({ outcome }) => outcome)).toEqual(["budget", "budget"]);
  expect(wire.server.requests).toHaveLength(3);

  await using other = await TeamOnWire.start({ lead: [says("Over.")] });
  await expect(other.open({ budget: { maxCostUsd: 1 } })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("no known price"),
  });
});

test("P18 a member over its own budget is not woken, senders are notified, and the others continue", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), spawns("bob"), calls("wait_for_teammates", {})]),
      reply([calls("send_message", { to: "alice", content: "Go on." })]),
      says("She is out of tokens."),
    ],
    alice: [toils],
    bob: [says("I am here.")],
  });
  const team = await wire.open({ autoclaim: false, memberBudget: { maxTokens: 60 } });
  await team.prompt("Go.");
  const summary = await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(2);
  expect(summary.members.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["lead", "done"],
    ["alice", "budget"],
    ["bob", "done"],
  ]);
  const sent = resultsIn(wire.requestsOf("lead").at(-1)).find(({ text }) =>
    text.startsWith("Sent message to alice"),
  );
  expect(sent?.text).toContain("alice's budget of 60 tokens is used up");
  const alice = await memberOnDisk(wire, "alice");
  expect(alice).toMatchObject({ status: "idle", detail: expect.stringContaining("budget") });
  const mail = [];
  for await (const record of mailNewestFirst(viewTeam(wire.root), alice?.name ?? never())) {
    if (record.state === "queued") mail.push(record.message.content);
  }
  expect(mail).toContain("Go on.");
});

function never(): never {
  throw new Error("alice is not in the roster");
}

const Blocks = z.array(z.looseObject({}));

/** What a cache sees of a request: system, tools and every block of content, without marks. */
function blocksOf({ body }: ProviderRequest): string[] {
  const bare = (value: unknown) =>
    JSON.stringify(value, (key, part: unknown) => (key === "cache_control" ? undefined : part));
  const contents = body.messages.flatMap(({ role, content }) => {
    const blocks = Blocks.safeParse(content);
    const parts = blocks.success ? blocks.data : [{ type: "text", text: content }];
    return parts.map((part) => `${role} ${bare(part)}`);
  });
  return [bare(body.system), bare(body.tools), ...contents];
}

test("P18 every request of every member starts with the previous one, across mail in mid-run, tasks, plans and a restart", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        spawns("alice", { plan_required: true }),
        spawns("bob"),
        calls("create_task", { subject: "Paint", owner: "bob" }),
        calls("wait_for_teammates", {}),
      ]),
      says("One."),
      calls("broadcast", { content: "How is it going?" }),
      says("Two."),
    ],
    alice: [
      calls("send_message", { to: "bob", content: "Hello bob." }),
      reply([calls("list_tasks", {}), calls("read_inbox", {})]),
      calls("plan_approval", { plan: "Green" }),
      says("I wait."),
    ],
    bob: [
      calls("send_message", { to: "alice", content: "Hello alice." }),
      reply([calls("claim_task", { task_id: "1" }), calls("nonsense", {})]),
      calls("complete_task", { task_id: "1" }),
      says("Painted."),
    ],
  });
  const first = await wire.open({ autoclaim: false });
  await first.prompt("Go.");
  await first.quiet();
  await first.close();
  const second = await wire.open({ autoclaim: false });
  await second.broadcast("And after a restart?");
  await second.prompt("Go on.");
  await second.quiet();

  for (const name of ["lead", "alice", "bob"]) {
    const requests = wire.requestsOf(name).map(blocksOf);
    expect(requests.length).toBeGreaterThan(4);
    for (const [index, blocks] of requests.slice(1).entries()) {
      const before = requests[index] ?? [];
      expect(blocks.slice(0, before.length), `request ${index + 1} of ${name}`).toEqual(before);
      expect(blocks.length).toBeGreaterThan(before.length);
    }
  }
  expect(wire.server.refusals).toEqual([]);
});
