import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import type { Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import type { ToolSpec } from "../../src/protocol/tools.ts";
import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks, thinksInSecret } from "../../src/testing/scripted-model.ts";
import { pixel } from "../support/pixel.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const claude = "anthropic/claude-sonnet-5";
const gpt = "openai/gpt-6-sol";
const llama = "openai-compatible/llama";

test.each([claude, gpt, llama])(
  "P18 each request of %s repeats the previous one, block by block, and adds to it",
  async (id) => {
    await using server = await ProviderServer.start({ strict: true });
    const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });
    const conversation: Utterance[] = [{ type: "input", texts: ["Begin."] }];

    for (let turn = 0; turn < 12; turn++) {
      const called = [calls("bash", { turn }, `a${turn}`), calls("bash", {}, `b${turn}`)];
      server.reply(reply([thinks(`Turn ${turn}`), says("Well."), ...called.slice(turn % 3)]));
      const end = lastOf(await collect(model, { conversation }));
      if (end?.type !== "finish") throw new Error(JSON.stringify(end));
      conversation.push({ type: "reply", blocks: end.blocks });
      conversation.push(...answers(end.blocks, turn));
    }

    const blocks = server.requests.map(({ body }) => flatten(body));
    for (const [index, next] of blocks.entries()) {
      const before = blocks[index - 1] ?? [];
      expect(next.slice(0, before.length)).toEqual(before);
      expect(next.length).toBeGreaterThan(before.length);
    }
    server.assertDone();
  },
);

test("control: the comparison of requests detects a changed block, and ignores cache marks", () => {
  const message = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
  const marked = { role: "user", content: [{ type: "text", text: "a", cache_control: {} }] };

  expect(flatten({ messages: [marked] })).toEqual(flatten({ messages: [message("a")] }));
  expect(flatten({ messages: [message("a")] })).not.toEqual(flatten({ messages: [message("b")] }));
});

test("what was the newest in a request is marked for the cache in the next one too", async () => {
  const many = Array.from({ length: 30 }, (_, index) => `call-${index}`);
  const turn: Utterance[] = [
    { type: "reply", blocks: many.map((id) => calls("read_file", {}, id)) },
    {
      type: "results",
      results: many.map((id) => ({ call_id: id, output: "Read.", is_error: false })),
    },
  ];
  const begin: Utterance = { type: "input", texts: ["Begin.", "Now."] };

  const first = contents(await sent(claude, [begin]));
  const second = contents(await sent(claude, [begin, ...turn]));

  const marks = (blocks: readonly unknown[]) =>
    blocks.flatMap((block, index) =>
      JSON.stringify(block).includes("cache_control") ? index : [],
    );
  expect(marks(first)).toEqual([1]);
  expect(marks(second)).toEqual([1, second.length - 1]);
});

test("only system, the last tool, and the newest blocks of two requests are marked for the cache", async () => {
  const tool = { description: "A tool", input_schema: { type: "object" } };
  const tools = ["first", "last"].map((name) => ({ name, ...tool }));
  const newest: Utterance = { type: "input", texts: ["One.", "Two."] };
  const body = await sent(claude, [...exchange, newest], { tools });

  const mark = { type: "ephemeral" };
  expect(body).toMatchObject({
    system: [{ text: "You are a test.", cache_control: mark }],
    tools: [{ name: "first" }, { name: "last", cache_control: mark }],
    max_tokens: 8000,
  });
  expect(contents(body).at(-1)).toEqual({ type: "text", text: "Two.", cache_control: mark });
  expect(JSON.stringify(body).split("cache_control")).toHaveLength(5);
});

test("an empty system prompt is not sent", async () => {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Hi"));
  const model = await openModel(claude, { env: serverEnvironment(server), clock: systemClock });

  expect(lastOf(await collect(model, { system: "" }))).toMatchObject({ type: "finish" });
  expect(server.requests[0]?.body.system).toBeUndefined();
});

test("thoughts go back unchanged to the provider that created them", async () => {
  const blocks = [thinks("Mine.", "signed"), thinksInSecret("sealed"), says("Hello.")];

  const body = await sent(claude, said(blocks), { strict: false });

  expect(contents(body).slice(-4, -1)).toEqual([
    { type: "thinking", thinking: "Mine.", signature: "signed" },
    { type: "redacted_thinking", data: "sealed" },
    { type: "text", text: "Hello." },
  ]);
});

test.each([gpt, llama])("thoughts of another provider are not sent to %s", async (id) => {
  const body = await sent(id, said([thinks("A thought of Claude's."), says("Hello.")]));

  expect(JSON.stringify(body)).not.toContain("Claude");
});

test("thoughts of an OpenAI-compatible model are sent back only to it", async () => {
  const thought: ReplyBlock = {
    type: "thinking",
    text: "Hm.",
    provider: { "openai-compatible": {} },
  };
  const conversation = said([thought, says("Hello.")]);

  expect(JSON.stringify(await sent(llama, conversation))).toContain('"reasoning_content":"Hm."');
  expect(JSON.stringify(await sent(claude, conversation))).not.toContain("Hm.");
});

test("errors and images of results reach Anthropic as such", async () => {
  const body = await sent(claude, exchange);

  const source = { type: "base64", media_type: "image/png", data: pixel.data };
  expect(contents(body).slice(-3)).toEqual([
    { type: "tool_result", tool_use_id: "one", content: "Not there", is_error: true },
    {
      type: "tool_result",
      tool_use_id: "two",
      content: [
        { type: "text", text: "A picture" },
        { type: "image", source },
      ],
    },
    expect.objectContaining({ type: "tool_result", tool_use_id: "three", content: "(no output)" }),
  ]);
});

test("OpenAI gets errors as text, and images in the results", async () => {
  const body = await sent(gpt, exchange);

  expect(body.input?.slice(-3)).toEqual([
    { type: "function_call_output", call_id: "one", output: "Error: Not there" },
    {
      type: "function_call_output",
      call_id: "two",
      output: [
        { type: "input_text", text: "A picture" },
        { type: "input_image", image_url: `data:image/png;base64,${pixel.data}` },
      ],
    },
    { type: "function_call_output", call_id: "three", output: "(no output)" },
  ]);
});

test("OpenAI is asked to store nothing, and gets its encrypted thoughts back", async () => {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(reply([thinks("Hm.", "sealed"), says("Hello.")]), says("Bye."));
  const model = await openModel(gpt, { env: serverEnvironment(server), clock: systemClock });
  const end = lastOf(await collect(model, { conversation: said([says("Hi.")]) }));
  if (end?.type !== "finish") throw new Error(JSON.stringify(end));
  await collect(model, { conversation: said(end.blocks) });

  const [first, second] = server.requests.map(({ body }) => Body.parse(body));
  expect(first).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
  expect(second?.input).toContainEqual({
    type: "reasoning",
    id: expect.stringMatching(/^rs_/),
    encrypted_content: "sealed",
    summary: [{ type: "summary_text", text: "Hm." }],
  });
  server.assertDone();
});

test("of a thought in several parts all go back, and of one without its encrypted text none", async () => {
  const part = (text: string, itemId: string, reasoningEncryptedContent?: string): ReplyBlock => {
    const openai = { itemId, ...(reasoningEncryptedContent && { reasoningEncryptedContent }) };
    return { type: "thinking", text, provider: { openai } };
  };
  const blocks = [part("One.", "rs_1"), part("Two.", "rs_1", "sealed"), part("Three.", "rs_2")];

  const body = await sent(gpt, said([...blocks, says("Hello.")]), { strict: false });

  expect(body.input?.filter((item) => item.type === "reasoning")).toEqual([
    {
      ...{ type: "reasoning", id: "rs_1", encrypted_content: "sealed" },
      summary: [
        { type: "summary_text", text: "One." },
        { type: "summary_text", text: "Two." },
      ],
    },
  ]);
});

test("compatible servers get errors as text, and images after the results", async () => {
  const body = await sent(llama, exchange);

  expect(body.messages.slice(-4)).toEqual([
    { role: "tool", tool_call_id: "one", content: "Error: Not there" },
    { role: "tool", tool_call_id: "two", content: "A picture" },
    { role: "tool", tool_call_id: "three", content: "(no output)" },
    {
      role: "user",
      content: [
        { type: "text", text: expect.stringContaining("two") },
        { type: "image_url", image_url: { url: `data:image/png;base64,${pixel.data}` } },
      ],
    },
  ]);
});

test("the image of a failed call is sent to Anthropic after the results", async () => {
  const failed = { call_id: "one", output: "Half drawn", is_error: true, images: [pixel] };

  const body = await sent(claude, [...asked("one"), { type: "results", results: [failed] }]);

  expect(contents(body).slice(-3)).toMatchObject([
    { type: "tool_result", tool_use_id: "one", content: "Half drawn", is_error: true },
    { type: "text" },
    { type: "image" },
  ]);
});

test.each(["text", 7, null, ["a"], undefined])(
  "an input of %j, which no provider accepts back, is sent as an empty one",
  async (input) => {
    const results = [{ call_id: "one", output: "Invalid input", is_error: true }];
    const conversation: Utterance[] = [
      ...said([calls("bash", input, "one")]).slice(0, 2),
      { type: "results", results },
    ];

    for (const id of [claude, gpt, llama]) await sent(id, conversation);
  },
);

test("ids and names that Anthropic refuses are rewritten so that it accepts them", async () => {
  const results = [{ call_id: "functions.bash:0", output: "Nothing", is_error: true }];
  const body = await sent(claude, [
    ...asked("functions.bash:0", "no such tool!"),
    { type: "results", results },
  ]);

  expect(contents(body).slice(-2)).toMatchObject([
    { type: "tool_use", id: "functions_bash_0", name: "no_such_tool_" },
    { type: "tool_result", tool_use_id: "functions_bash_0" },
  ]);
});

const exchange: readonly Utterance[] = [
  { type: "input", texts: ["Look."] },
  {
    type: "reply",
    blocks: ["one", "two", "three"].map((id) => calls("read_file", { path: id }, id)),
  },
  {
    type: "results",
    results: [
      { call_id: "one", output: "Not there", is_error: true },
      { call_id: "two", output: "A picture", is_error: false, images: [pixel] },
      { call_id: "three", output: "", is_error: false },
    ],
  },
];

function said(blocks: readonly ReplyBlock[]): Utterance[] {
  return [
    { type: "input", texts: ["Say it."] },
    { type: "reply", blocks },
    { type: "input", texts: ["Go on."] },
  ];
}

function asked(callId: string, name = "bash"): Utterance[] {
  return [
    { type: "input", texts: ["Do it."] },
    { type: "reply", blocks: [calls(name, {}, callId)] },
  ];
}

/** What follows a reply of the P18 test: results with and without images, mail, or mail twice. */
function answers(blocks: readonly ReplyBlock[], turn: number): Utterance[] {
  const results = blocks.flatMap((block) => {
    if (block.type !== "tool-call") return [];
    const images = turn % 2 === 0 ? { images: [pixel] } : {};
    return {
      call_id: block.call_id,
      output: `Result ${turn}`,
      is_error: turn % 4 === 1,
      ...images,
    };
  });
  const mail: Utterance = { type: "input", texts: [`Mail ${turn}`] };
  if (results.length === 0) return [mail, { ...mail }];
  return turn % 2 === 0 ? [{ type: "results", results }, mail] : [{ type: "results", results }];
}

/** The body of the request that the server got for `conversation`. */
async function sent(
  id: string,
  conversation: readonly Utterance[],
  { tools = [], strict = true }: { tools?: readonly ToolSpec[]; strict?: boolean } = {},
): Promise<Body> {
  await using server = await ProviderServer.start({ strict });
  server.reply(says("Hi"));
  const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });
  expect(lastOf(await collect(model, { conversation, tools }))).toMatchObject({ type: "finish" });
  return Body.parse(server.requests[0]?.body);
}

const Body = z.looseObject({
  system: z.unknown().optional(),
  tools: z.array(z.unknown()).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).default([]),
  /** What the Responses API has instead of messages. */
  input: z.array(z.looseObject({ type: z.string().optional() })).optional(),
});
type Body = z.infer<typeof Body>;

/** All content of all messages, in order. */
function contents({ messages }: Pick<Body, "messages">): unknown[] {
  return messages.flatMap(({ content }) => content);
}

/** All that a provider's cache compares, in the order in which it does. */
function flatten(body: unknown): string[] {
  const { system = null, tools = [], messages, input = [] } = Body.parse(body);
  const blocks = messages.flatMap(({ role, content, ...rest }) => [
    ...blocksOf(content).map((block) => ({ role, block })),
    ...(Object.keys(rest).length > 0 ? [{ role, rest }] : []),
  ]);
  return [...tools, system, ...blocks, ...input].map((block) =>
    JSON.stringify(block, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
}

/** One text alone may be written without its block. */
function blocksOf(content: unknown): unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [content];
}
