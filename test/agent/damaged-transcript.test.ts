import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { Model, Utterance } from "../../src/model/model.ts";
import { lead } from "../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { success, type Tool } from "../../src/tools/tool.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { modelOnWire } from "../support/agent-on-wire.ts";
import { pixel } from "../support/pixel.ts";
import { requestBlocks } from "../support/request-blocks.ts";

const seed = Number(process.env.TROUPE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const numRuns = Number(process.env.TROUPE_DAMAGES ?? 80);

const look: Tool = {
  spec: { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } },
  prepare: () => ({
    type: "prepared",
    action: { type: "coordinate" },
    run: async () => ({ ...success("a pixel"), images: [pixel] }),
  }),
};
const tools = [look, testTool("echo", (value) => value)];

describe.each(["anthropic/scripted", "openai/gpt-6-sol"])("%s", (id) => {
  test("P08 if entries are missing, repeated or out of place, every request is accepted and is a prefix of the next", async () => {
    await using server = await ProviderServer.start({ strict: true });
    const model = await modelOnWire(server, id);
    const recorded = await recordLife(server, model);

    await fc.assert(
      fc.asyncProperty(damages(recorded), async (entries) => {
        const first = server.requests.length;

        await goOn(server, model, entries);

        expect(server.refusals).toEqual([]);
        const requests = server.requests.slice(first).map(({ body }) => requestBlocks(body));
        expect(requests).toHaveLength(4);
        for (const [index, blocks] of requests.slice(1).entries()) {
          const before = requests[index] ?? [];
          expect(blocks.slice(0, before.length)).toEqual(before);
        }
      }),
      { seed, numRuns },
    );
  });

  test("the server refuses the conversation without the repair", async () => {
    await using server = await ProviderServer.start({ strict: true });
    server.replyWith(() => says("Yes."));
    const model = await modelOnWire(server, id);
    const recorded = await recordLife(server, model);
    const samples = fc.sample(damages(recorded), { seed, numRuns: 40 });

    for (const entries of samples) await send(model, naively(entries));

    expect(server.refusals.length).toBeGreaterThan(5);
  });
});

/** What a member records that thinks, calls, gets mail, is interrupted and is summarized. */
async function recordLife(server: ProviderServer, model: Model): Promise<TranscriptEntry[]> {
  await using life = await TestAgent.open(model, { tools });
  server.reply(
    reply([thinks("hm"), says("I look."), calls("look", {}), calls("echo", { value: "a" })]),
    reply([thinks("well"), calls("echo", { value: "b" })]),
    says("Done."),
    calls("echo", { value: "c" }),
    reply([says("Half of it")], { stop: "length" }),
    says("and the rest."),
    reply([calls("echo", { value: "d" }), calls("missing", {}), calls("look", {})]),
    says("Enough."),
  );
  await life.tell("One.");
  await life.run();
  await life.tell("Two.");
  await life.run();
  await life.agent.record({ type: "run-end", outcome: "interrupted" });
  await life.tell("Three.");
  await life.run();
  const before = await life.member.transcript.tail();
  const at = systemClock.now().toISOString();
  const summary = "<summary>They talked.</summary>";
  const parts = { kept: ["Team: nobody"], wakes: false, delivered: [], answers: [] };
  const compaction: TranscriptEntry = { type: "compaction", at, summary, ...parts };
  return [...before.slice(0, 12), compaction, ...before.slice(12)];
}

/** Any of the entries, some of them twice, and now and then in another order. */
function damages(recorded: readonly TranscriptEntry[]): fc.Arbitrary<TranscriptEntry[]> {
  const places = recorded.map((_, index) => index);
  const missing = fc
    .uniqueArray(fc.constantFrom(...places), { minLength: 1, maxLength: 4 })
    .map((gone) => places.filter((place) => !gone.includes(place)));
  const repeated = fc
    .uniqueArray(fc.constantFrom(...places), { minLength: 1, maxLength: 3 })
    .map((twice) => places.flatMap((place) => (twice.includes(place) ? [place, place] : [place])));
  const end = fc.integer({ min: 0, max: places.length }).map((length) => places.slice(0, length));
  const start = fc.integer({ min: 0, max: places.length }).map((from) => places.slice(from));
  const shuffled = fc.shuffledSubarray(places);
  return fc
    .oneof(missing, missing, repeated, end, start, fc.subarray(places), shuffled)
    .map((kept) => kept.flatMap((place) => recorded[place] ?? []));
}

/** Opens a member with such a record, has it work, and opens it once more. */
async function goOn(server: ProviderServer, model: Model, entries: readonly TranscriptEntry[]) {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
  await transcript.append(entries);
  server.reply(calls("echo", { value: "e" }), says("Gone on."), says("Again."), says("Anew."));
  await using first = await TestAgent.open(model, { tools, store });
  await first.tell("Go on.");
  await first.run();
  await first.tell("And again.");
  await first.run();
  await using second = await TestAgent.open(model, { tools, store });
  await second.tell("And after a restart.");
  await second.run();
}

/** What each entry is by itself, and nothing done about what is missing between them. */
function naively(entries: readonly TranscriptEntry[]): Utterance[] {
  const utterances = entries.flatMap((entry): Utterance[] => {
    if (entry.type === "delivery") return [{ type: "input", texts: [entry.message.content] }];
    if (entry.type === "reply") return [{ type: "reply", blocks: entry.blocks }];
    if (entry.type === "tool-result") return [{ type: "results", results: [entry] }];
    return [];
  });
  return [...utterances, { type: "input", texts: ["Go on."] }];
}

async function send(model: Model, conversation: readonly Utterance[]): Promise<void> {
  const { signal } = new AbortController();
  const request = { system: "Be brief.", tools: [], conversation, maxOutputTokens: 100, signal };
  for await (const part of model.stream(request)) if (part.type === "finish") return;
}
