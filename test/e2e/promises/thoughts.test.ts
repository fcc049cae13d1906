import { expect, test } from "vitest";
import { z } from "zod";
import { raw, status } from "../../../src/testing/provider-server/answers.ts";
import { googleSignature } from "../../../src/testing/provider-server/google-wire.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says, thinks, thinksInSecret } from "../../../src/testing/scripted-model.ts";
import { TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { coder, never } from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

// The strict server refuses a thought that is changed, one of another model, and with this model one
// before which anything is changed.
const claude = "anthropic/claude-fable-5-1";
const gpt = "openai/gpt-6-sol";
const gemini = "google/gemini-3.5-flash";
const words = "Let me look.\n  “Zuerst” \u{1F50E}";
const thought = thinks(words, "c2lnbmF0dXJl");

const Blocks = z.array(z.looseObject({ type: z.string() }));

const GoogleParts = z.array(z.object({ thoughtSignature: z.string().optional() }));
const GoogleContents = z.array(z.object({ parts: GoogleParts })).default([]);

const Calls = z.object({ tool_calls: z.tuple([z.object({ id: z.string() })]) });

/** What a request has of earlier thoughts, in the provider's own form. */
function thoughtsIn(request: ProviderRequest | undefined): object[] {
  const messages = request?.body.messages ?? [];
  const blocks = messages.flatMap(({ content }) => Blocks.safeParse(content).data ?? []);
  const parts = GoogleContents.parse(request?.body.contents).flatMap((content) => content.parts);
  return [
    ...[...blocks, ...(request?.body.input ?? [])].filter(({ type = "" }) =>
      ["thinking", "redacted_thinking", "reasoning"].includes(type),
    ),
    ...parts.filter(({ thoughtSignature }) => thoughtSignature !== undefined),
  ];
}

const signed = { type: "thinking", thinking: words, signature: "c2lnbmF0dXJl" };
const sealed = { type: "redacted_thinking", data: "c2VhbGVk" };
const encrypted = {
  type: "reasoning",
  encrypted_content: "c2lnbmF0dXJl",
  summary: [{ type: "summary_text", text: words }],
};
const signedCall = { thoughtSignature: googleSignature("read_file", { path: "none" }) };

test.each([
  [claude, [signed, sealed]],
  [gpt, [encrypted, { type: "reasoning", encrypted_content: "c2VhbGVk", summary: [] }]],
  [gemini, [signedCall]],
])("the thoughts of %s come back byte for byte, also after kill -9", async (model, thoughts) => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      reply([thought, thinksInSecret("c2VhbGVk"), calls("read_file", { path: "none" })]),
      never,
      says("Done."),
    ],
  });
  await using running = startTeamProcess(wire);
  running.order({ type: "spawn", ...coder("alice"), model });
  await wire.requested("alice", 2);
  await running.kill();

  const team = await wire.open();
  await team.quiet();

  const [first, ...others] = wire.requestsOf("alice").map(thoughtsIn);
  expect(first).toEqual([]);
  expect(others).toMatchObject([thoughts, thoughts]);
  expect(wire.server.refusals).toEqual([]);
});

test("a thought on OpenRouter that names its call names it by the id that the call has now, after a restart too", async () => {
  const ofCall = { type: "reasoning.encrypted", id: "tool_0", data: "c2VhbGVk", index: 0 };
  const ofNone = { type: "reasoning.summary", id: "rs_1", summary: words, index: 1 };
  const call = { index: 0, id: "tool_0", function: { name: "read_file", arguments: "{}" } };
  const deltas = [{ reasoning_details: [ofCall, ofNone] }, { tool_calls: [call] }];
  const choices = [
    ...deltas.map((delta) => ({ index: 0, delta })),
    { index: 0, delta: {}, finish_reason: "tool_calls" },
  ];
  const events = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  await using wire = await TeamOnWire.start({ lead: [raw(events.join("")), says("Done.")] });
  const env = { OPENROUTER_API_KEY: "sk-or-test", OPENROUTER_BASE_URL: `${wire.server.url}/v1` };
  const model = "openrouter/google/gemini-3.5-flash";

  for (const prompt of ["Look.", "And?"]) {
    const team = await wire.open({ model, env });
    await team.prompt(prompt);
    await team.quiet();
    await team.close();
  }

  const [, ...others] = wire.requestsOf("lead").map(({ body }) => body.messages[2]);
  const id = Calls.parse(others[0]).tool_calls[0].id;
  const reply = { tool_calls: [{ id }], reasoning_details: [{ ...ofCall, id }, ofNone] };
  expect(others).toMatchObject([reply, reply]);
  expect(id).not.toBe("tool_0");
  expect(wire.server.refusals).toEqual([]);
});

test.each([
  [claude, signed, { type: "thinking", thinking: "Further.", signature: "bmV4dA==" }],
  [gpt, encrypted, { type: "reasoning", encrypted_content: "bmV4dA==" }],
  [gemini, signedCall, signedCall],
])(
  "a summary by %s is made with the thoughts, and afterwards there are none",
  async (model, first, next) => {
    const usage = { input_tokens: 9_500 };
    await using wire = await TeamOnWire.start({
      lead: [
        reply([thought, calls("read_file", { path: "none" })], { usage }),
        says("The gist."),
        reply([thinks("Further.", "bmV4dA=="), calls("read_file", { path: "none" })]),
        says("Done."),
      ],
    });
    const team = await wire.open({ model, models: { [model]: { contextWindow: 10_000 } } });

    await team.prompt("Look.");
    await team.quiet();

    expect(wire.requestsOf("lead").map(thoughtsIn)).toMatchObject([[], [first], [], [next]]);
    expect(wire.server.refusals).toEqual([]);
  },
);

test("another model is not sent earlier thoughts, which the person is told once; the first one gets them again", async () => {
  const ofGpt = thinks("Hm, hm.", "ZW5jcnlwdGVk");
  await using wire = await TeamOnWire.start({
    lead: [
      reply([thought, says("One.")]),
      reply([ofGpt, says("Two.")]),
      says("Three."),
      reply([thinks("More.", "bW9yZQ=="), says("Four.")]),
      says("Five."),
    ],
  });
  const warnings: string[] = [];
  const talk = async (model: string, ...prompts: string[]) => {
    const team = await wire.open({ model });
    const watched = new Watched(team);
    for (const prompt of prompts) {
      await team.prompt(prompt);
      await team.quiet();
    }
    await team.close();
    for (const event of watched.events) if (event.type === "warning") warnings.push(event.message);
  };

  await talk(claude, "First.");
  await talk(gpt, "Second.", "Third.");
  await talk(claude, "Fourth.", "Fifth.");

  const [, second, third, fourth, fifth] = wire.requestsOf("lead").map(thoughtsIn);
  expect(second).toEqual([]);
  expect(third).toMatchObject([{ type: "reasoning", encrypted_content: "ZW5jcnlwdGVk" }]);
  expect(fourth).toEqual([signed]);
  expect(fifth).toEqual([signed, { type: "thinking", thinking: "More.", signature: "bW9yZQ==" }]);
  expect(warnings).toEqual([
    `1 earlier thought of ${claude} is not sent to ${gpt}`,
    `1 earlier thought of ${gpt} is not sent to ${claude}`,
  ]);
  expect(wire.server.refusals).toEqual([]);
});

test("P23 a model that stands in is not sent the other's thoughts, which the person is told once", async () => {
  const away = status(529, undefined, { "retry-after": "600" });
  await using wire = await TeamOnWire.start({
    lead: [reply([thought, says("One.")]), away, says("Two."), says("Three.")],
  });
  const team = await wire.open({ model: `${claude},${gpt}` });
  const watched = new Watched(team);
  for (const prompt of ["First.", "Second.", "Third."]) {
    await team.prompt(prompt);
    await team.quiet();
  }
  await team.close();

  const warnings = watched.events.filter(({ type }) => type === "warning");
  expect(warnings).toMatchObject([
    { message: `1 earlier thought of ${claude} is not sent to ${gpt}` },
  ]);
  expect(wire.server.refusals).toEqual([]);
});

test("a teammate that follows the lead's model leaves its earlier thoughts out, in the middle of its work too", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      reply([thinks("Hm.", "ZW5jcnlwdGVk"), calls("read_file", { path: "none" })]),
      never,
      reply([calls("read_file", { path: "none" })]),
      says("Done."),
    ],
  });
  const before = await wire.open({ model: gpt });
  await before.spawn(coder("alice"));
  await wire.requested("alice", 2);
  await before.close();

  // This model refuses to begin to think in the middle of a turn.
  const team = await wire.open({ model: "anthropic/claude-opus-4-5", effort: "high" });
  await team.quiet();

  const requests = wire.requestsOf("alice").slice(2);
  expect(requests.map(({ body }) => body.model)).toEqual(["claude-opus-4-5", "claude-opus-4-5"]);
  expect(requests.map(thoughtsIn)).toEqual([[], []]);
  expect(requests[0]?.body).not.toHaveProperty("thinking");
  expect(wire.server.refusals).toEqual([]);
});

test("with other instructions, earlier thoughts are not sent back, which the person is told once", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [reply([thought, says("One.")]), says("Two."), says("Three.")],
  });
  const first = await wire.open({ model: claude });
  await first.spawn(coder("alice"));
  await first.quiet();
  const watched = new Watched(first);

  await first.spawn({ ...coder("alice"), role: "tester" });
  await first.quiet();
  await first.message("alice", "And?");
  await first.quiet();

  expect(wire.requestsOf("alice").slice(1).map(thoughtsIn)).toEqual([[], []]);
  const warnings = watched.events.filter(({ type }) => type === "warning");
  expect(warnings).toMatchObject([
    {
      member: "alice",
      message: `1 earlier thought of ${claude} is not sent back: its instructions or tools have changed`,
    },
  ]);
  expect(wire.server.refusals).toEqual([]);
});

test("a thought with a key in it is not sent back, and neither is the key", async () => {
  const key = "sk-ant-test-0123456789";
  await using wire = await TeamOnWire.start({
    lead: [
      reply([thinks(`The key is ${key}.`), thinks("Hm."), calls("read_file", { path: "none" })]),
      reply([thought, says("Done.")]),
      says("Done."),
    ],
  });
  const team = await wire.open({ model: claude });

  for (const prompt of ["Look.", "And?"]) {
    await team.prompt(prompt);
    await team.quiet();
  }

  expect(wire.requestsOf("lead").map(thoughtsIn)).toEqual([[], [], [signed]]);
  expect(wire.shownTo("lead")).not.toContain(key);
  expect(await wire.stored("transcripts", "lead.jsonl")).toContain("The key is [key].");
  expect(wire.server.refusals).toEqual([]);
});
