import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Random } from "../../soak/random.ts";
import { hurriedClock } from "../support/hurried-clock.ts";
import { notes, notesCalls, playNotes } from "../support/notes-story.ts";
import {
  type Disturbance,
  memberOf,
  type Story,
  TeamOnAimock,
  wires,
} from "../support/team-on-aimock.ts";

const seed = Number(process.env.TROUPE_SEED ?? Date.now() % 1_000_000);

interface Fault {
  /** What aimock does, with its dice loaded: the plan of a test decides. */
  disturbance: Disturbance;
  /** What its journal says of that. */
  journal: string;
  /** Why a member waits then. */
  reason: RegExp;
}

const faults: Record<string, Fault> = {
  "an error of the server": {
    disturbance: { chaos: { dropRate: 1 } },
    journal: "drop",
    reason: /failed \(500\)/,
  },
  "an answer that is no stream": {
    disturbance: { chaos: { malformedRate: 1 } },
    journal: "malformed",
    reason: /sent an unreadable answer/,
  },
  "a limit of the rate": {
    disturbance: { chaos: { rateLimitRate: 1 } },
    journal: "rateLimit",
    reason: /limits the rate of requests/,
  },
  "a lost connection": {
    disturbance: { chaos: { disconnectRate: 1 } },
    journal: "disconnect",
    reason: /cannot be reached/,
  },
  "a reply that is cut": {
    // The pauses between chunks let those before the cut arrive.
    disturbance: { truncateAfterChunks: 4, chunkSize: 4, latency: 2 },
    journal: "truncateAfterChunks",
    reason: /ended its answer before it was complete/,
  },
};
const kinds = Object.keys(faults);
const disturbances = Object.fromEntries(
  kinds.map((kind) => [kind, faults[kind]?.disturbance ?? {}]),
);

/** Each turn meets one fault, the next one in the row, and then none. */
function oneFaultPerTurn(): Story {
  const row = [...kinds, ...kinds, ...kinds];
  const faultOf: Story["faultOf"] = (_, attempt) => (attempt === 0 ? row.shift() : undefined);
  return { answer: playNotes, disturbances, faultOf };
}

/** Each turn meets up to three faults. With the same seed, a member's turn meets the same ones. */
function randomFaults(): Story {
  const faultOf: Story["faultOf"] = (request, attempt) => {
    const turn = memberOf(request).length * 1_000 + request.messages.length;
    const random = new Random(seed + turn * 7_919);
    const row = Array.from({ length: random.below(4) }, () => random.pick(kinds));
    return row[attempt];
  };
  return { answer: playNotes, disturbances, faultOf };
}

describe.each(wires)("aimock's chaos on $name", (wire) => {
  test("P17 a team that meets a fault in every turn ends as it should, does each thing once, and says why it waits", async () => {
    await using it = await TeamOnAimock.start(wire, oneFaultPerTurn());
    const summary = await play(it);

    await expectAllDone(it, summary);
    const waits = it.events.flatMap((event) => (event.type === "model-wait" ? event.reason : []));
    for (const { journal, reason } of Object.values(faults)) {
      expect(faultsIn(it)).toContain(journal);
      expect(waits).toContainEqual(expect.stringMatching(reason));
    }
  });

  test(`P17 a team that meets any number of faults ends as it should: TROUPE_SEED=${seed}`, async () => {
    await using it = await TeamOnAimock.start(wire, randomFaults());
    const summary = await play(it);

    await expectAllDone(it, summary);
    expect(faultsIn(it)).not.toEqual([]);
  });

  test.each(kinds)(
    "control: without another attempt, the lead fails because of %s",
    async (kind) => {
      await using it = await TeamOnAimock.start(wire, {
        answer: playNotes,
        disturbances,
        faultOf: () => kind,
      });
      const summary = await play(it, { maxAttempts: 1 });

      expect(faultsIn(it)).toEqual([faults[kind]?.journal]);
      expect(summary.members).toMatchObject([{ name: "lead", outcome: "failed" }]);
      expect(summary.tasks).toEqual([]);
    },
  );

  test.each([
    { maxAttempts: 10, requests: 2, outcome: "done" },
    // The control.
    { maxAttempts: 1, requests: 1, outcome: "failed" },
  ])(
    "P17 a server that does not answer is asked again, if it may be asked $maxAttempts times: $outcome",
    async ({ maxAttempts, requests, outcome }) => {
      await using it = await TeamOnAimock.start(wire, {
        answer: () => ({ content: "Here I am." }),
        disturbances: { silence: { chaos: { latencyMs: 30_000 } } },
        faultOf: (_, attempt) => (attempt === 0 ? "silence" : undefined),
      });
      const summary = await play(it, { maxAttempts, headersMs: 60_000 });

      expect(summary.members).toMatchObject([{ name: "lead", outcome }]);
      expect(it.requests).toBe(requests);
    },
  );
});

type Summary = Awaited<ReturnType<typeof play>>;

/** A reply on its way has ten seconds of real time, so that only what is planned goes wrong. */
async function play(it: TeamOnAimock, { maxAttempts = 10, headersMs = 1_000_000 } = {}) {
  const provider = { maxAttempts, watchdogs: { headersMs, stallMs: 1_000_000 } };
  const team = await it.open({ clock: hurriedClock(100), provider });
  await team.prompt("Have the notes written and read.");
  return await team.quiet();
}

/** What aimock's journal says it did to replies. */
function faultsIn({ journal }: TeamOnAimock): string[] {
  return journal.flatMap(({ response }) => response.chaosAction ?? response.interruptReason ?? []);
}

async function expectAllDone(it: TeamOnAimock, summary: Summary): Promise<void> {
  expect(summary).toMatchObject({
    result: notes.end,
    members: ["lead", "alice", "bob"].map((name) => ({ name, outcome: "done" })),
    tasks: notes.results.map((result) => ({ status: "completed", result })),
  });
  expect(await readFile(join(it.directory.path, "notes.txt"), "utf8")).toBe(notes.file);
  const calls = it.events.flatMap((event) => (event.type === "tool-call" ? event.name : []));
  expect(calls.toSorted()).toEqual(notesCalls.toSorted());
  // Anthropic reports tokens at the beginning of a reply, so that one that is cut costs something.
  expect(summary.usage.input_tokens).toBeGreaterThanOrEqual(it.tokens("whole").input_tokens);
  expect(summary.usage.input_tokens).toBeLessThanOrEqual(it.tokens("begun").input_tokens);
}
