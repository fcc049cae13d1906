import { expect, test } from "vitest";
import { clearConversation } from "../../src/agent/clear.ts";
import { carryOutCompaction } from "../../src/agent/compaction-order.ts";
import { fails, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { TestAgent } from "../support/agent.ts";

const long = "A long answer. ".repeat(200);
const recap = async () => ["Team default:\n- alice (coder): idle"];
const unreachable = fails({ kind: "network", message: "No connection" });

test("a cleared conversation begins again with what is rebuilt from disk, without a model call", async () => {
  const model = new ScriptedModel([says("Hello."), says("Yes.")]);
  await using test = await TestAgent.open(model, { recap });
  await test.tell("Remember the word pomegranate.");
  await test.run();

  const size = await clearConversation(test.agent, never);

  expect(size).toBeGreaterThan(0);
  expect(model.requests).toHaveLength(1);
  expect(test.agent.lastRun).toMatchObject({ isOpen: false, end: { outcome: "done" } });
  expect(test.agent.conversation.awaitsReply).toBe(false);
  await using again = await TestAgent.open(model, { recap, store: test.store });
  await again.tell("Are you there?");
  await again.run();
  expect(model.requests[1]?.system).toBe(model.requests[0]?.system);
  expect(model.requests[1]?.conversation).toEqual([
    {
      type: "input",
      texts: [
        expect.stringMatching(/^\(The person cleared your conversation/),
        "Team default:\n- alice (coder): idle",
        expect.stringContaining("Are you there?"),
      ],
    },
  ]);
});

test("P01 mail that the model has not replied to stays, also if only the result of a call has shown it", async () => {
  const model = new ScriptedModel([says(long)]);
  await using test = await TestAgent.open(model, { recap });
  await test.tell("An answered question.");
  await test.run();
  await test.tell("An open question.");
  const [first] = await test.member.reader.unread();
  if (!first) throw new Error("There is no mail");
  await test.agent.takeIn([first], async (mail) =>
    test.agent.record(
      { type: "note", text: "(A note.)", wakes: true },
      {
        ...{ type: "reply", stop: "tool-calls" },
        blocks: [{ type: "tool-call", call_id: "1", name: "read_inbox", input: {} }],
      },
      {
        ...{ type: "tool-result", call_id: "1", output: "An open question.", is_error: false },
        mail: [...mail],
      },
    ),
  );
  await test.tell("Another one.");
  await test.agent.takeIn(await test.member.reader.unread(), (mail) =>
    test.agent.record(...mail.map((each) => ({ type: "delivery", ...each }) as const)),
  );

  await clearConversation(test.agent, async () => undefined);

  expect(shown(test)).not.toMatch(/An answered question|A note/);
  expect(shown(test)).toMatch(/An open question.*Another one/);
  expect(shown(test).match(/An open question/g)).toHaveLength(1);
  expect(test.agent.conversation.awaitsReply).toBe(true);
});

test("P01 an open question stays through a compaction and a clear after it, and the summary does not", async () => {
  const model = new ScriptedModel([says(long), unreachable, says("The gist."), says("Seven.")]);
  await using test = await TestAgent.open(model, { recap });
  await test.tell("An answered question.");
  await test.run();
  await test.tell("What is three and four?");
  await test.run();
  const settled = { keep: undefined, resolve: () => undefined, reject: rethrow };
  for await (const _ of carryOutCompaction(test.agent, settled, new AbortController().signal)) {
  }
  expect(shown(test)).toContain("The gist.");

  await clearConversation(test.agent, never);

  expect(shown(test)).not.toMatch(/The gist|An answered question/);
  expect(shown(test).match(/What is three and four\?/g)).toHaveLength(1);
  expect(shown(test).match(/Team default/g)).toHaveLength(1);
  await using again = await TestAgent.open(model, { store: test.store });
  expect(shown(again)).toBe(shown(test));
  expect((await again.run()).end).toMatchObject({ answers: ["Seven."] });
});

test("a conversation without a reply, and one that is cleared already, have nothing to clear", async () => {
  const model = new ScriptedModel([says("Hello.")]);
  await using test = await TestAgent.open(model, { recap });
  await expect(clearConversation(test.agent, never)).rejects.toMatchObject({
    code: "conversation-short",
  });
  await test.tell("Hello?");
  await test.run();
  await clearConversation(test.agent, never);

  await expect(clearConversation(test.agent, never)).rejects.toMatchObject({
    code: "conversation-short",
  });
});

test("a run that was cut short is closed before, and its open calls are forgotten", async () => {
  const model = new ScriptedModel([says("Yes.")]);
  await using test = await TestAgent.open(model, { recap });
  await test.agent.record(
    { type: "run-start" },
    { type: "note", text: "Look.", wakes: true },
    {
      ...{ type: "reply", stop: "tool-calls" },
      blocks: [{ type: "tool-call", call_id: "1", name: "look", input: {} }],
    },
  );

  await clearConversation(test.agent, () =>
    test.agent.record({ type: "run-end", outcome: "interrupted", reason: "cleared" }),
  );

  await using again = await TestAgent.open(model, { store: test.store });
  expect(again.agent.conversation.openCalls).toEqual([]);
  expect(again.agent.lastRun).toMatchObject({ isOpen: false, end: { reason: "cleared" } });
  expect(shown(again)).not.toMatch(/You were stopped|look/);
});

async function never(): Promise<void> {
  throw new Error("There is no run to close");
}

function rethrow(error: unknown): void {
  throw error;
}

function shown({ agent }: TestAgent): string {
  return JSON.stringify(agent.conversation.utterances);
}
