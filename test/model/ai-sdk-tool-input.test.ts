import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { Utterance } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import { RawJson } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { collect, lastOf, serverEnvironment } from "./ai-sdk-support.ts";

const ids = ["anthropic/claude-sonnet-5", "openai/gpt-6-sol", "openai-compatible/llama"];
const names = fc.oneof(
  fc.constantFrom("bash", "__proto__", "constructor", "toString"),
  fc.string(),
);
const inputs = fc.oneof(
  fc.json(),
  fc.json().map((text) => text.slice(0, -1)),
  fc.string({ unit: "binary" }),
  fc.constantFrom('{"__proto__":{"admin":true}}', '{"a":"\\ud800"}', "", "{", "null"),
);

test.each(ids)("P17 any call of %s with any input can be answered", async (id) => {
  await fc.assert(
    fc.asyncProperty(names, inputs, async (name, text) => {
      // A name that is blank never becomes a call.
      fc.pre(name.trim() !== "");
      await using server = await ProviderServer.start({ strict: true });
      const model = await openModel(id, { env: serverEnvironment(server), clock: systemClock });
      const call = calls(name, new RawJson(text), "call_1");
      server.reply(call, says("I see."));
      const conversation: Utterance[] = [{ type: "input", texts: ["Begin."] }];

      const end = lastOf(await collect(model, { conversation }));
      if (end?.type !== "finish") throw new Error(JSON.stringify(end));
      const results = [{ call_id: "call_1", output: "Invalid", is_error: true }];
      conversation.push({ type: "reply", blocks: end.blocks }, { type: "results", results });
      const answered = lastOf(await collect(model, { conversation }));

      const received = end.blocks.map(({ provider: _, ...block }) => block);
      expect(received).toEqual([{ ...call, input: readAs(text) }]);
      expect(answered).toMatchObject({ type: "finish" });
    }),
    { numRuns: 60 },
  );
});

function readAs(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
