import { expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { clearConversation } from "../../src/agent/clear.ts";
import { carryOutCompaction } from "../../src/agent/compaction-order.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import { TestAgent } from "../support/agent.ts";
import { modelOnWire } from "../support/agent-on-wire.ts";
import { Crash, type Death, DyingTranscript, deaths } from "../support/dying-transcript.ts";

type Operation = (agent: Agent) => Promise<void>;

const compacts: Operation = async (agent) => {
  const order = {
    keep: "the word",
    resolve: () => undefined,
    reject: (error: unknown) => {
      throw error;
    },
  };
  const work = carryOutCompaction(agent, order, new AbortController().signal);
  for await (const _ of work);
};

const clears: Operation = async (agent) => {
  await clearConversation(agent, async () => undefined);
};

/** What the member is shown after it died in `operation`, and how many writes that had. */
async function live(
  operation: Operation,
  { dieAt, death }: { dieAt: number; death: Death },
  around = (it: Transcript) => it,
) {
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(({ text }) =>
    says(text.includes("Summarize the conversation") ? "The gist." : "A long answer. ".repeat(200)),
  );
  await using store = new MemoryTeamStore({ clock: systemClock });
  const recap = async () => ["Team default:"];
  const model = await modelOnWire(server);
  await using first = await TestAgent.open(model, { store, recap });
  await first.tell("The first question.");
  await first.run();
  const { transcript } = first.member;
  // The model has not replied to it when the operation begins.
  await first.tell("The open question.");
  const dying = new DyingTranscript(around(transcript), dieAt, death);
  try {
    await using mortal = await TestAgent.open(model, { store, recap, transcript: dying });
    await mortal.agent.takeIn(await first.member.reader.unread(), (mail) =>
      transcript.append(mail.map((each) => ({ type: "delivery", at, ...each }))),
    );
    await mortal.agent.reload();
    await operation(mortal.agent);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  await using second = await TestAgent.open(model, { store, recap });
  const { outcome, isOpen } = {
    outcome: second.agent.lastRun.end?.outcome,
    ...second.agent.lastRun,
  };
  await second.tell("The last question.");
  await second.run();
  const shown = server.requests.at(-1)?.text ?? "";
  return { shown, outcome, isOpen, refusals: server.refusals, writes: dying.writes };
}

const at = "2026-01-01T00:00:00.000Z";
const never = { dieAt: Number.POSITIVE_INFINITY, death: "before it" } as const;

test.each([
  ["summarizing", compacts, "The gist."],
  ["clearing", clears, "The person cleared your conversation"],
] as const)(
  "P08, P01 a member that dies at any write of %s its conversation has all of it or the new one, and its open mail once",
  async (_, operation, sign) => {
    const { writes } = await live(operation, never);
    let changed = 0;
    for (let dieAt = 1; dieAt <= writes; dieAt++) {
      for (const death of deaths) {
        const life = await live(operation, { dieAt, death });
        const where = `write ${dieAt}, ${death}`;

        const isChanged = life.shown.includes(sign);
        expect(life.shown.includes("The first question."), where).toBe(!isChanged);
        expect(count(life.shown, "The open question."), where).toBe(1);
        expect(count(life.shown, "The last question."), where).toBe(1);
        expect(life, where).toMatchObject({ outcome: "done", isOpen: false, refusals: [] });
        changed += isChanged ? 1 : 0;
      }
    }
    expect(writes).toBeGreaterThan(0);
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThan(writes * deaths.length);
  },
);

test("control: without what had not been answered in the same entry, mail is lost", async () => {
  const forgets = (transcript: Transcript): Transcript => ({
    append: (entries) => transcript.append(entries.map(withoutOpenMail)),
    tail: () => transcript.tail(),
    entries: () => transcript.entries(),
  });

  const { shown } = await live(clears, never, forgets);

  expect(count(shown, "The open question.")).toBe(0);
});

function withoutOpenMail(entry: TranscriptEntry): TranscriptEntry {
  if (entry.type !== "compaction") return entry;
  return { ...entry, kept: entry.kept.slice(0, entry.rebuilt) };
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
