import { expect, test } from "vitest";
import type { AgentOptions } from "../../src/agent/agent.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { RequestApprovals } from "../../src/permissions/approvals.ts";
import { user } from "../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import { TestAgent, testTool } from "../support/agent.ts";
import { followScript, modelOnWire } from "../support/agent-on-wire.ts";
import { Crash, type Death, DyingTranscript, deaths } from "../support/dying-transcript.ts";

/** A transcript that never learns that a call has begun: what the intent on disk is for. */
function withoutIntent(transcript: Transcript): Transcript {
  return {
    append: (entries) => transcript.append(entries.filter(({ type }) => type !== "tool-start")),
    tail: () => transcript.tail(),
    entries: () => transcript.entries(),
  };
}

interface Life {
  /** How often each call was run. */
  runs: Map<string, number>;
  refusals: readonly string[];
  outcome: string | undefined;
  unknown: number;
  /** How many questions a person was asked. */
  questions: number;
  writes: number;
}

interface Scenario {
  answer(server: ProviderServer): void;
  options?(store: MemoryTeamStore): Partial<AgentOptions>;
}

const plain: Scenario = {
  answer: (server) =>
    followScript(server, [
      () => reply([thinks("hm"), calls("work", { value: "a" }), calls("work", { value: "b" })]),
      () => reply([calls("read", { value: "c" }), calls("read", { value: "d" })]),
      () => calls("work", { value: "e" }),
      () => says("Done."),
    ]),
};

/** The context is full after the first turn, and again after the second. */
const compacted: Scenario = {
  answer: (server) => {
    const usage = { input_tokens: 9_000 };
    server.replyWith(({ text }) => {
      const value = text.includes("The gist: a") ? "b" : "a";
      if (text.includes("Summarize the conversation")) return says(`The gist: ${value}.`);
      if (text.includes("The gist: b")) return says("Done.");
      return reply([calls("work", { value })], { usage });
    });
  },
  options: () => ({ limits: { maxTurns: 20, maxOutputTokens: 1_000, contextTokens: 10_000 } }),
};

/** Every change is asked about, and a person allows it as soon as it is asked. */
const asked: Scenario = {
  answer: plain.answer,
  options: (store) => {
    store.requests.onChange(({ id, state, hash }) => {
      if (state !== "pending") return;
      void store.requests.decide(id, { by: user, state: "approved", hash }).catch(() => undefined);
    });
    return {
      approvals: new RequestApprovals(store.requests),
      permissions: {
        judge: async ({ tool }) =>
          tool === "read"
            ? { decision: "allow", reason: "", isReadOnly: true }
            : { decision: "ask", reason: "it changes something", isReadOnly: false },
      },
    };
  },
};

/** A member that dies at its k-th write, and is then started again until it is done. */
async function live(
  scenario: Scenario,
  { dieAt, death }: { dieAt: number; death: Death },
  around = (it: Transcript) => it,
): Promise<Life> {
  await using server = await ProviderServer.start({ strict: true });
  scenario.answer(server);
  const runs = new Map<string, number>();
  const count = (value: string) => {
    runs.set(value, (runs.get(value) ?? 0) + 1);
    return `did ${value}`;
  };
  await using store = new MemoryTeamStore({ clock: systemClock });
  const options: Partial<AgentOptions> & { store: MemoryTeamStore } = {
    store,
    tools: [testTool("work", count), testTool("read", count)],
    permissions: {
      judge: async ({ tool }) => ({ decision: "allow", reason: "", isReadOnly: tool === "read" }),
    },
    ...scenario.options?.(store),
  };
  const model = await modelOnWire(server);
  await using first = await TestAgent.open(model, options);
  await first.tell("Go.");
  const { transcript } = first.member;
  const dying = new DyingTranscript(around(transcript), dieAt, death);
  try {
    await using mortal = await TestAgent.open(model, { ...options, transcript: dying });
    await mortal.run();
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  await using second = await TestAgent.open(model, options);
  const { end } = await second.run();
  const entries: TranscriptEntry[] = [];
  for await (const entry of transcript.entries()) entries.push(entry);
  const unknown = entries.filter(
    (entry) => entry.type === "tool-result" && entry.output.startsWith("Outcome unknown"),
  ).length;
  const questions = (await store.requests.list()).length;
  const { refusals } = server;
  return { runs, refusals, outcome: end?.outcome, unknown, questions, writes: dying.writes };
}

test.each([
  ["at work", plain, 11],
  ["while its conversation is summarized", compacted, 11],
  ["with a person to ask", asked, 11],
] as const)(
  "P08 a member that dies at any write, %s, continues: every call has its result, none runs twice",
  async (name, scenario, least) => {
    const never = { dieAt: Number.POSITIVE_INFINITY, death: "before it" } as const;
    const { writes, questions } = await live(scenario, never);
    let unknown = 0;
    for (let dieAt = 1; dieAt <= writes; dieAt++) {
      for (const death of deaths) {
        const life = await live(scenario, { dieAt, death });
        const where = `write ${dieAt}, ${death}`;

        expect(life.outcome, where).toBe("done");
        expect(life.refusals, where).toEqual([]);
        for (const [call, times] of life.runs) expect(times, `${call} at ${where}`).toBe(1);
        // A person is not asked twice about one call.
        expect(life.questions, where).toBeLessThanOrEqual(questions);
        unknown += life.unknown;
      }
    }
    console.log(
      `${name}: ${writes} writes × ${deaths.length} deaths, ${unknown} of unknown outcome`,
    );
    expect(writes).toBeGreaterThan(least);
    expect(unknown).toBeGreaterThan(0);
  },
);

test("control: without the intent on disk a call runs twice", async () => {
  const never = { dieAt: Number.POSITIVE_INFINITY, death: "before it" } as const;
  const { writes } = await live(plain, never);
  let twice = 0;
  for (let dieAt = 1; dieAt <= writes; dieAt++) {
    const { runs } = await live(plain, { dieAt, death: "before it" }, withoutIntent);
    twice += [...runs.values()].filter((times) => times > 1).length;
  }
  expect(twice).toBeGreaterThan(0);
});
