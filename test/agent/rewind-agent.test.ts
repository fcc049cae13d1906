import { expect, test } from "vitest";
import { rewindAgent } from "../../src/agent/rewind.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lead, newMessageId } from "../../src/protocol/ids.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { TestAgent } from "../support/agent.ts";

test("P39 thoughts under earlier instructions are not sent under those that stay after a rewind", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
  const at = "2026-01-01T00:00:00.000Z";
  const provider = { anthropic: { signature: "s" } };
  await transcript.append([
    { type: "profile", at, system: "You are another lead.", model: "scripted", tools: "none" },
    { type: "note", at, text: "Begin.", wakes: true },
    {
      ...{ type: "reply", at, model: "scripted", stop: "end" },
      blocks: [
        { type: "thinking", text: "Hm.", provider },
        { type: "text", text: "Yes." },
      ],
    },
  ]);
  // It writes down that its instructions are others now.
  await using it = await TestAgent.open(new ScriptedModel([]), { store });

  const seenAt = new Date("2026-01-01T00:00:01.000Z");
  await rewindAgent(it.agent, { id: newMessageId(seenAt), sentAt: seenAt, seenAt });

  expect(it.agent.conversation.utterances).toMatchObject([
    { type: "input" },
    { type: "reply", blocks: [{ type: "thinking" }, { type: "text" }] },
  ]);
  expect(it.agent.conversation.thoughts).toEqual(new Map());
});
