import { describe, expect, test } from "vitest";
import type { Model, ModelPart, ModelRequest, Utterance } from "../../model/model.ts";
import type { ReplyBlock, StopReason } from "../../protocol/transcript.ts";
import { inPieces, stall } from "../provider-server/answers.ts";
import type { ProviderServer } from "../provider-server/provider-server.ts";
import {
  calls,
  reply,
  type ScriptedReply,
  says,
  thinks,
  thinksInSecret,
} from "../scripted-model.ts";

/** The promises in model.ts, one test each. */
export interface ModelFixture extends AsyncDisposable {
  readonly model: Model;
  /** The strict server behind the model. Without one, tests that need a provider are skipped. */
  readonly server?: ProviderServer;
}

/** The results of the model's first calls, one each. */
export type ModelScript = readonly (ReplyBlock | ScriptedReply)[];

export interface ModelTraits {
  /** Stop reasons that the provider has a word for. */
  readonly stops: readonly StopReason[];
  /** True where the provider shows what its models think. */
  readonly thinks: boolean;
}

export function testModel(
  name: string,
  traits: ModelTraits,
  open: (script: ModelScript) => Promise<ModelFixture>,
): void {
  describe(`${name} keeps the model promises`, () => {
    test("a reply is streamed as it arrives, and ends with one finish that has all of it", async () => {
      await using fixture = await open([says("Good morning. Shall we begin?")]);

      const parts = await collect(fixture.model);

      expect(endings(parts)).toHaveLength(1);
      expect(endOf(parts)).toMatchObject({
        type: "finish",
        blocks: [says("Good morning. Shall we begin?")],
        stop: "end",
      });
      expect(shown(parts, "text-delta")).toBe("Good morning. Shall we begin?");
    });

    test("several calls in one reply are in order, each with its complete input", async () => {
      const blocks = [
        says("I look at both."),
        calls("read_file", { path: "a.ts", lines: [1, 20] }, "call_1"),
        calls("write_file", { path: "b.ts", content: "“é” 🙂\n\u2028".repeat(200) }, "call_2"),
        calls("list", {}, "call_3"),
      ];
      await using fixture = await open([reply(blocks)]);

      const end = endOf(await collect(fixture.model));

      expect(end).toMatchObject({ type: "finish", blocks, stop: "tool-calls" });
    });

    test("thoughts are streamed separately from the text", async ({ skip }) => {
      if (!traits.thinks) return skip("the provider does not return thoughts");
      await using fixture = await open([reply([thinks("Who asks?"), says("Hello.")])]);

      const parts = await collect(fixture.model);

      expect(shown(parts, "thinking-delta")).toBe("Who asks?");
      expect(shown(parts, "text-delta")).toBe("Hello.");
      expect(endOf(parts)).toMatchObject({
        blocks: [{ type: "thinking", text: "Who asks?" }, says("Hello.")],
      });
    });

    test.each(traits.stops)("the stop reason %s is reported", async (stop) => {
      const announced = stop === "tool-calls" ? [calls("list", {}, "call_1")] : [];
      await using fixture = await open([reply([says("So far"), ...announced], { stop })]);

      const end = endOf(await collect(fixture.model));

      expect(end).toMatchObject({ type: "finish", stop, blocks: [says("So far"), ...announced] });
    });

    test("an unknown stop reason is reported in the provider's own word", async () => {
      await using fixture = await open([reply([says("Hm")], { stop: "other", rawStop: "tired" })]);

      expect(endOf(await collect(fixture.model))).toMatchObject({
        stop: "other",
        rawStop: "tired",
      });
    });

    test("the usage is what the provider reported", async () => {
      const usage = { input_tokens: 12, output_tokens: 34, cache_read_tokens: 5000 };
      await using fixture = await open([reply([says("Hi")], { usage })]);

      const end = endOf(await collect(fixture.model));

      expect(end).toMatchObject({ usage: { ...usage, cache_write_tokens: 0 } });
    });

    test("a call that is aborted before it starts sends no request", async () => {
      await using fixture = await open([]);

      const parts = await collect(fixture.model, { signal: AbortSignal.abort() });

      expect(parts).toEqual([
        { type: "error", failure: expect.objectContaining({ kind: "aborted" }) },
      ]);
      expect(fixture.server?.requests ?? []).toEqual([]);
    });

    test("a call that is aborted in the middle of the reply ends with one error", async () => {
      await using fixture = await open([says("one two three four five six seven eight nine ten")]);
      const abort = new AbortController();

      const parts = await collect(fixture.model, { signal: abort.signal }, () => abort.abort());

      expect(endings(parts)).toHaveLength(1);
      expect(endOf(parts)).toMatchObject({ type: "error", failure: { kind: "aborted" } });
    });

    test("an abort after the end changes nothing", async () => {
      await using fixture = await open([says("Good morning.")]);
      const abort = new AbortController();
      const stream = fixture.model.stream(request({ signal: abort.signal }));

      const types: string[] = [];
      for await (const { type } of stream) {
        types.push(type);
        if (type === "finish") abort.abort();
      }

      expect(types.at(-1)).toBe("finish");
    });

    test.for(["nothing", 1, 400] as const)(
      "an abort while the provider is silent after %s closes the connection",
      async (after, { skip }) => {
        await using fixture = await open([]);
        const { server, model } = fixture;
        if (!server) return skip("there is no connection");
        server.reply(stall(says("Never said, and never meant to be".repeat(20)), after));
        const abort = new AbortController();

        const parts = collect(model, { signal: abort.signal });
        await server.until(() => server.stalled === 1);
        abort.abort();

        expect(endOf(await parts)).toMatchObject({ type: "error", failure: { kind: "aborted" } });
        await server.until(() => server.abandoned === 1);
      },
    );

    test.for([1, 7, 100])(
      "a reply in pieces of %i bytes is the same reply",
      async (bytes, { skip }) => {
        await using fixture = await open([]);
        const blocks = [says("Grüße, 世界 🙂"), calls("say", { text: "ação 👩‍👩‍👧" }, "call_1")];
        if (!fixture.server) return skip("there is no connection");
        fixture.server.reply(inPieces(reply(blocks), bytes));

        expect(endOf(await collect(fixture.model))).toMatchObject({ type: "finish", blocks });
      },
    );

    test("every kind of block and tool result can be sent back to the model", async () => {
      await using fixture = await open([...turns, says("Done.")]);
      const conversation: Utterance[] = [{ type: "input", texts: ["Begin.", "And be quick."] }];

      for (const turn of turns) {
        const end = endOf(await collect(fixture.model, { conversation }));
        expect(end).toMatchObject({ type: "finish" });
        if (end?.type === "finish") conversation.push({ type: "reply", blocks: end.blocks });
        conversation.push(...answersTo(turn));
      }

      expect(endOf(await collect(fixture.model, { conversation }))).toMatchObject({
        type: "finish",
      });
      fixture.server?.assertDone();
    });
  });
}

/** One turn of each shape. */
const turns: readonly ScriptedReply[] = [
  reply([
    thinks("A thought."),
    thinksInSecret("sealed"),
    says("Text."),
    calls("bash", {}, "call_1"),
  ]),
  reply([calls("bash", { command: "true" }, "call_2"), calls("bash", { deep: [{}] }, "call_3")]),
  reply([thinks("Only a thought, cut short.")], { stop: "length" }),
  reply([calls("no such tool, and no such name", {}, "call_4")]),
  reply([says("Nothing to call.")]),
];

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every kind of tool result, mail after results, and mail alone. */
function answersTo({ blocks }: ScriptedReply): Utterance[] {
  const images = [{ media_type: "image/png", data: pixel }];
  const results = blocks.flatMap((block, index) => {
    if (block.type !== "tool-call") return [];
    const output = ["out", "", "\ud83d half a character"][index % 3] ?? "";
    const is_error = index % 2 === 1;
    return { call_id: block.call_id, output, is_error, ...(index !== 1 && { images }) };
  });
  const mail: Utterance = { type: "input", texts: ["Mail for you."] };
  return results.length > 0 ? [{ type: "results", results }, mail, mail] : [mail];
}

/** A request that every model can answer. */
export function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You are a test.",
    tools: [{ name: "bash", description: "Runs a command", input_schema: { type: "object" } }],
    conversation: [{ type: "input", texts: ["Begin."] }],
    maxOutputTokens: 8000,
    signal: new AbortController().signal,
    ...overrides,
  };
}

export async function collect(
  model: Model,
  overrides: Partial<ModelRequest> = {},
  onDelta: () => void = () => {},
): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request(overrides))) {
    parts.push(part);
    if (part.type === "text-delta") onDelta();
  }
  return parts;
}

/** All parts that end a stream. */
function endings(parts: readonly ModelPart[]): ModelPart[] {
  return parts.filter(({ type }) => type === "finish" || type === "error");
}

function endOf(parts: readonly ModelPart[]): ModelPart | undefined {
  return parts.at(-1);
}

function shown(parts: readonly ModelPart[], type: "text-delta" | "thinking-delta"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}
