import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { Secrets } from "../../src/lib/secrets.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import {
  calls,
  fails,
  reply,
  ScriptedModel,
  says,
  streams,
} from "../../src/testing/scripted-model.ts";
import { defineTool, success } from "../../src/tools/tool.ts";
import { TestAgent, testTool } from "../support/agent.ts";

const usage = { input_tokens: 9, output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0 };

test("a call that is not permitted is answered with the reason, and neither run nor asked about", async () => {
  const ran: string[] = [];
  const model = new ScriptedModel([calls("work", { value: "1" }), says("Sorry.")]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("work", (value) => `${ran.push(value)}`)],
    permissions: {
      judge: async () => ({ decision: "deny", reason: "it is forbidden", isReadOnly: false }),
    },
  });
  await test.tell("Go.");

  await test.run();

  expect(ran).toEqual([]);
  expect(model.requests[1]?.conversation.at(-1)).toMatchObject({
    results: [{ is_error: true, output: "Error: Not permitted: it is forbidden" }],
  });
});

test("the start of a call is recorded before it runs", async () => {
  const recorded: TranscriptEntry[] = [];
  const seen: string[][] = [];
  const model = new ScriptedModel([calls("work", { value: "1" }), says("Done.")]);
  await using test = await TestAgent.open(model, {
    tools: [
      testTool("work", () => {
        seen.push(recorded.map(({ type }) => type));
        return "done";
      }),
    ],
  });
  const { transcript } = test.member;
  const append = transcript.append.bind(transcript);
  transcript.append = async (entries) => {
    await append(entries);
    recorded.push(...entries);
  };
  await test.tell("Go.");

  await test.run();

  expect(seen).toEqual([["run-start", "delivery", "reply", "tool-start"]]);
});

test("calls to the team run in order, although they change no file; independent calls do not wait", async () => {
  const log: string[] = [];
  let beginAgain = () => {};
  const hasBegunAgain = new Promise<void>((resolve) => {
    beginAgain = resolve;
  });
  const toTeam = (name: string, isIndependent: boolean) =>
    defineTool({
      name,
      description: "Talks to the team.",
      input: z.object({}),
      action: () => ({ type: "coordinate", isIndependent }),
      run: async () => {
        log.push(`+${name}`);
        if (name === "again") beginAgain();
        // In order, this one would wait for ever.
        if (name === "spawn") await hasBegunAgain;
        else await new Promise(setImmediate);
        log.push(`-${name}`);
        return success("done");
      },
    });
  const names = ["wait", "tell", "spawn", "again"];
  const model = new ScriptedModel([reply(names.map((name) => calls(name, {}))), says("Done.")]);
  await using test = await TestAgent.open(model, {
    tools: names.map((name) => toTeam(name, name === "spawn" || name === "again")),
  });
  await test.tell("Go.");

  await test.run();

  expect(log.slice(0, 4)).toEqual(["+wait", "-wait", "+tell", "-tell"]);
  expect(log.slice(4, 6)).toEqual(["+spawn", "+again"]);
});

test("an output of the maximum size is shown whole, and a larger one in part", async () => {
  const model = new ScriptedModel([
    reply([calls("work", { value: "50000" }), calls("work", { value: "50001" })]),
    says("Done."),
  ]);
  await using test = await TestAgent.open(model, {
    tools: [testTool("work", (value) => "x".repeat(Number(value)))],
  });
  await test.tell("Go.");

  await test.run();

  const results = model.requests[1]?.conversation.at(-1);
  expect(results).toMatchObject({
    results: [{ output: "x".repeat(50_000) }, { output: expect.stringMatching(/^(?!x{50001}$)/) }],
  });
});

test("a run leaves no listener on the signal that could have stopped it", async () => {
  const model = new ScriptedModel([calls("work", { value: "1" }), says("Done.")]);
  await using test = await TestAgent.open(model, { tools: [testTool("work", () => "done")] });
  await test.tell("Go.");
  const { signal } = new AbortController();

  await test.run(signal);

  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("the end of a run has a reason and a hint only if there is one", async () => {
  const failure = { kind: "bad-key", message: "The key was refused", hint: "Set it" } as const;
  const model = new ScriptedModel([fails(failure), says("Done.")]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");
  const ends = [(await test.run()).events.at(-1), (await test.run()).events.at(-1)];

  const names = ends.map((end) => Object.keys(end ?? {}).filter((name) => name in all));

  expect(ends).toMatchObject([{ hint: "Set it", reason: "The key was refused" }, {}]);
  expect(names).toEqual([["reason", "hint"], []]);
});

const all = { reason: 1, hint: 1, 0: 1 };

test("a failed call that has cost something is on the bill", async () => {
  const failure = { kind: "overloaded", message: "Overloaded" } as const;
  const model = new ScriptedModel([streams({ type: "error", failure, usage })]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  expect((await test.run()).end).toMatchObject({ outcome: "failed", reason: "Overloaded" });

  expect([...(await test.ledger.totals()).values()]).toMatchObject([{ calls: 1, input_tokens: 9 }]);
});

test("a stream that stops without an end part is a failure", async () => {
  const model = new ScriptedModel([streams({ type: "text-delta", text: "Half a" })]);
  await using test = await TestAgent.open(model);
  await test.tell("Go.");

  expect((await test.run()).end).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("ended without an end"),
  });
});

test("text held back as a possible secret is shown at the end", async () => {
  const blocks = [says("The s3cr")];
  const model = new ScriptedModel([
    streams(
      { type: "thinking-delta", text: "It is s3cre" },
      { type: "text-delta", text: "The s3cr" },
      { type: "finish", blocks, stop: "end", usage },
    ),
  ]);
  await using test = await TestAgent.open(model, { secrets: new Secrets(["s3cret-of-mine"]) });
  await test.tell("Go.");

  const { events } = await test.run();

  const textOf = (type: string) =>
    events
      .flatMap((event) => (event.type === type && "text" in event ? [event.text] : []))
      .join("");
  expect([textOf("thinking-delta"), textOf("text-delta")]).toEqual(["It is s3cre", "The s3cr"]);
});
