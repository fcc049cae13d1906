import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import type { UsageRecord } from "../../src/protocol/usage.ts";
import { signPermissions } from "../../src/team/members/signed-permissions.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

const alice = MemberName.parse("alice");
const at = "2026-11-15T09:00:00.000Z";
const usage = {
  input_tokens: 12_345,
  output_tokens: 1_000,
  cache_read_tokens: 50_000,
  cache_write_tokens: 10,
};

test("cost shows tokens, cost and context per member and in total", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, { ...member("alice"), model: "anthropic/claude-opus-4-5" });
  await store.usage.record(call(lead, { cost_usd: 0.5 }));
  await store.usage.record(call(alice, { cost_usd: 0.25 }));
  await store.usage.record(call(alice, { cost_usd: 0.25 }));
  await reply(store, alice);

  const { out } = await troupe(directory.path, "cost");

  expect(out).toEqual([
    "        input  output  cached  written     cost  context",
    "lead    12.3k      1k     50k       10  $0.5000        -",
    "alice   24.7k      2k    100k       20  $0.5000      32%",
    "in all    37k      3k    150k       30    $1.00",
  ]);
});

test("the context is compared with the window that the person has set", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, { ...member("alice"), model: "mine/large" });
  await reply(store, alice);
  const settings = {
    providers: { mine: { family: "openai-compatible", "base-url": "http://localhost:1/v1" } },
    models: { "mine/*": { "context-window": 126_710 } },
  };
  await mkdir(join(directory.path, "config", "troupe"), { recursive: true });
  const file = join(directory.path, "config", "troupe", "config.json");
  await writeFile(file, JSON.stringify(settings));

  const { out } = await troupe(directory.path, "cost");

  expect(out[2]).toMatch(/^alice .* 50%$/);
});

test("calls without a known price are marked as such, and are in no sum", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, { ...member("alice"), model: "openai-compatible/mine" });
  await store.usage.record(call(lead, { cost_usd: 0.5 }));
  // Its model of then, which is another one now.
  await store.usage.record({ ...call(alice, {}), model: "openai-compatible/earlier" });
  await reply(store, alice);

  const { out } = await troupe(directory.path, "cost");
  const json = JSON.parse((await troupe(directory.path, "cost", "--json")).out.join("\n"));

  expect(out[2]).toMatch(/alice .* no price {4}63\.4k$/);
  expect(out[3]).toMatch(/in all .* ≥ \$0\.5000$/);
  expect(out.at(-1)).toBe(
    "1 of 2 calls had no known price and are not in the cost: openai-compatible/earlier.",
  );
  expect(json.total).toMatchObject({ calls: 2, unpriced_calls: 1, cost_usd: 0.5 });
  expect(json.members).toMatchObject([
    { name: "lead", context_tokens: null },
    { name: "alice", ...usage, unpriced_calls: 1, context_tokens: 63_355, context_window: null },
  ]);
  expect(json.members[1].cost_usd).toBeNull();
  const team = JSON.parse((await troupe(directory.path, "team", "--json")).out.join("\n"));
  expect(team.members[0].usage).toMatchObject({ cost_usd: null, unpriced_calls: 1 });
});

test("a summarized context is unknown until the next reply", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, { ...member("alice"), model: "anthropic/claude-opus-4-5" });
  await reply(store, alice);
  const { transcript } = await store.openMember(alice, { onSetAside: () => undefined });
  await transcript.append([
    { type: "compaction", at, summary: "So far.", kept: [], wakes: false, delivered: [] },
  ]);

  const json = JSON.parse((await troupe(directory.path, "cost", "--json")).out.join("\n"));

  expect(json.members[1]).toMatchObject({ name: "alice", context_tokens: null });
});

test("team shows all facts about each member, in columns that fit a narrow screen", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(
    store,
    {
      ...member("alice", "working"),
      model: "anthropic/claude-opus-4-5-with-a-very-long-name-indeed",
      permission_mode: "bypassPermissions",
      detail: `waiting for ${"approval ".repeat(20)}`,
    },
    { ...member("a-teammate-with-a-long-name-too", "failed"), permission_mode: "plan" },
    member("carol"),
  );
  await store.usage.record(call(alice, { cost_usd: 12.5 }));
  await reply(store, alice);
  for (let n = 0; n < 3; n++) {
    await store.send("alice", { type: "message", from: user, content: "hi" });
  }
  await store.roster.update((team) => ({
    ...team,
    permissions: signPermissions(
      { rules: [], mode_in_force: "acceptEdits" },
      team,
      store.signature,
    ),
  }));
  store.events.append({
    ...{ type: "tool-call", member: lead, at, call_id: "1", name: "bash" },
    input: { command: "npm test" },
  });

  const { out } = await troupe(directory.path, "team");

  expect(out.map((line) => line.replace(/\d\d-\d\d \d\d:\d\d/, "<when>"))).toEqual([
    "Team: default",
    "  lead: working, bash npm test",
    "                     acceptEdits",
    expect.stringMatching(/^ {2}alice \(coder\): working, waiting for approval .*…$/),
    "    claude-opus-4-…  acceptEdits  63.4k tok  $12.50  3 unread  since <when>",
    "  a-teammate-with-a-long-name-too (coder): failed",
    "                     plan",
    "  carol (coder): idle",
    "                     acceptEdits",
  ]);
  for (const line of out) expect([...line].length).toBeLessThanOrEqual(80);
});

test("team --json has the roster, usage, unread mail and the time of the last change", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, { ...member("alice"), color: "cyan" });
  await store.usage.record(call(alice, { cost_usd: 0.25 }));
  await reply(store, alice);
  await store.send("alice", { type: "message", from: user, content: "hi" });

  const { out } = await troupe(directory.path, "team", "--json");

  expect(JSON.parse(out.join("\n"))).toMatchObject({
    team_name: "default",
    lead: "lead",
    members: [
      {
        name: "alice",
        status: "idle",
        color: "cyan",
        since: at,
        usage: { calls: 1, cost_usd: 0.25 },
        unread: 1,
      },
    ],
    running: { pid: process.pid },
  });
});

function call(name: MemberName, price: Pick<UsageRecord, "cost_usd">): UsageRecord {
  return { type: "call", at, member: name, model: "m", ...usage, ...price };
}

async function reply(store: TeamStore, name: MemberName): Promise<void> {
  const { transcript } = await store.openMember(name, { onSetAside: () => undefined });
  await transcript.append([
    { type: "run-start", at },
    { type: "reply", at, stop: "end", blocks: [{ type: "text", text: "Yes." }], usage },
  ]);
}
