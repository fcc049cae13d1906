import { expect, test } from "vitest";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import type { TeamSummary } from "../../src/team/summary.ts";
import { Team } from "../../src/team/team.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { fails, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { lastResult, spawns } from "../e2e/promises/scenes.ts";
import { teamPlace } from "../support/team.ts";
import { TeamOnWire, Watched } from "../support/team-on-wire.ts";

const limited = { kind: "rate-limited", message: "Too many requests", retryAfterMs: 10 } as const;

test("a temporary failure of an own model is retried, as one of a built-in model is", async () => {
  const model = new ScriptedModel([fails(limited), fails(limited), says("Third time lucky.")]);

  const { result, members } = await runWith(model);

  expect(result).toBe("Third time lucky.");
  expect(members).toMatchObject([{ name: "lead", outcome: "done" }]);
  model.assertDone();
});

test("with one attempt, the first failure of an own model is reported as it is", async () => {
  const model = new ScriptedModel([fails(limited)]);

  const { members, ends } = await runWith(model, { maxAttempts: 1 });

  expect(members).toMatchObject([{ outcome: "failed" }]);
  expect(ends).toMatchObject([{ reason: "Too many requests" }]);
  expect(model.requests).toHaveLength(1);
});

test("an own model can be made of a built-in one, which is retried once for all", async () => {
  const clock = new ManualClock();
  await using wire = await TeamOnWire.start({ lead: [status(529), says("Done.")] });
  const asked: string[] = [];
  const team = await wire.open({
    place: teamPlace(wire.root, { clock }),
    model: "cheap",
    async openModel(id, member, openBuiltIn) {
      const inner = await openBuiltIn("anthropic/scripted");
      return {
        id: inner.id,
        stream(request) {
          asked.push(`${member}: ${id}`);
          return inner.stream(request);
        },
      };
    },
  });

  const { result } = await quietBy(clock, team);

  expect(result).toBe("Done.");
  expect(asked).toEqual(["lead: cheap", "lead: cheap"]);
  expect(wire.requestsOf("lead")).toHaveLength(2);
});

test("an openModel that fails for a teammate is an error for the lead, which goes on", async () => {
  await using wire = await TeamOnWire.start({ lead: [spawns("alice"), says("Alone, then.")] });
  const team = await wire.open({
    openModel: (id, member, openBuiltIn) => {
      if (member !== "lead") throw new Error("no such deployment");
      return openBuiltIn(id);
    },
  });
  await team.prompt("Go.");

  const { result, end } = await team.quiet();

  expect([result, end?.outcome]).toEqual(["Alone, then.", "done"]);
  expect(lastResult(wire.requestsOf("lead")[1])).toEqual({
    text: expect.stringContaining("openModel failed for anthropic/scripted: no such deployment"),
    isError: true,
  });
});

test("an openModel that fails for the lead refuses the team", async () => {
  await using wire = await TeamOnWire.start({});
  const openModel = () => {
    throw new Error("no such deployment");
  };

  await expect(wire.open({ openModel })).rejects.toMatchObject({
    code: "config-invalid",
    message: "openModel failed for anthropic/scripted: no such deployment",
    hint: "Choose another model, or correct openModel.",
  });
});

test("an own model can be the rehearsal model", async () => {
  await using directory = await temporaryDirectory();
  await using team = await Team.open({
    cwd: directory.path,
    place: teamPlace(directory.path, { onWarning: () => undefined }),
    model: "anything",
    openModel: (_, __, openBuiltIn) => openBuiltIn("rehearsal"),
  });

  await team.prompt("Hello.");

  expect((await team.quiet()).result).toContain("rehearsal");
});

const usage = { input_tokens: 1, output_tokens: 1 };
const finish = { type: "finish", blocks: [says("Done.")], stop: "end", usage };

test.each([
  ["a fraction of a token", { ...finish, usage: { ...usage, input_tokens: 1.5 } }, "input_tokens"],
  ["less than no token", { ...finish, usage: { ...usage, output_tokens: -1 } }, "output_tokens"],
  ["a cost of NaN", { ...finish, usage: { ...usage, cost_usd: Number.NaN } }, "cost_usd"],
  ["no usage", { ...finish, usage: undefined }, "usage"],
  ["a text that is none", { ...finish, blocks: [{ type: "text" }] }, "blocks[0].text"],
  ["another reason to stop", { ...finish, stop: "stop" }, "stop"],
  ["a failure of no kind", { type: "error", failure: { message: "No." } }, "failure.kind"],
  ["another part", { type: "end" }, "type"],
  ["what is no part", "Done.", "own has given a wrong part, "],
])(
  "P18 an own model that gives %s fails, and nothing of it is stored that could not be read",
  async (_, part, reason) => {
    await using wire = await TeamOnWire.start({});
    const end = await runOwn(wire, [part]);
    const again = await runOwn(wire, [finish]);

    expect(end).toMatchObject({ outcome: "failed", reason: expect.stringContaining(reason) });
    expect(again).toMatchObject({ outcome: "done" });
    expect(wire.warnings).toEqual([]);
  },
);

test("counts of the cache that an own model leaves out are 0, and the reply is there after a restart", async () => {
  await using wire = await TeamOnWire.start({});
  await runOwn(wire, [{ type: "text-delta", text: "Done." }, finish]);
  const model = new ScriptedModel([says("Again.")]);
  const team = await wire.open({ openModel: () => model });
  await team.prompt("Go on.");
  await team.quiet();

  expect(JSON.stringify(model.requests[0]?.conversation)).toContain("Done.");
  expect((await team.summary()).usage).toEqual({
    ...{ input_tokens: 11, output_tokens: 6 },
    ...{ cache_read_tokens: 0, cache_write_tokens: 0 },
  });
  expect(wire.warnings).toEqual([]);
});

test("an own model that throws has failed; one that throws because it is stopped was interrupted", async () => {
  await using wire = await TeamOnWire.start({});
  const throws = ownModel(() => Promise.reject(new Error("out of paper")));
  let noteCall = () => {};
  const called = new Promise<void>((resolve) => {
    noteCall = resolve;
  });
  const stops = ownModel(({ signal }) => {
    noteCall();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  });

  const first = await wire.open({ openModel: () => throws });
  await first.prompt("Go.");
  const { end } = await first.quiet();
  await first.close();
  const second = await wire.open({ openModel: () => stops });
  await second.prompt("Go.");
  await called;
  await second.interrupt("lead");
  const interrupted = (await second.quiet()).end;

  expect(end).toMatchObject({ outcome: "failed", reason: "own has failed: out of paper" });
  expect(interrupted).toMatchObject({ outcome: "interrupted" });
});

async function runOwn(wire: TeamOnWire, parts: readonly unknown[]) {
  const team = await wire.open({ openModel: () => ownModel(async () => parts) });
  await team.prompt("Go.");
  const { end } = await team.quiet();
  await team.close();
  return end;
}

/** As a program in JavaScript may make one. */
function ownModel(partsFor: (request: ModelRequest) => Promise<readonly unknown[]>): Model {
  return {
    id: "own",
    // @ts-expect-error A program in JavaScript may give anything.
    async *stream(request) {
      yield* await partsFor(request);
    },
  };
}

async function runWith(model: Model, provider: { maxAttempts?: number } = {}) {
  const clock = new ManualClock();
  await using directory = await temporaryDirectory();
  await using team = await Team.open({
    cwd: directory.path,
    place: teamPlace(directory.path, { clock, onWarning: () => undefined }),
    store: new MemoryTeamStore({ clock }),
    model: "own",
    openModel: () => model,
    provider,
  });
  const watched = new Watched(team);
  const summary = await quietBy(clock, team);
  return { ...summary, ends: watched.events.filter(({ type }) => type === "run-end") };
}

async function quietBy(clock: ManualClock, team: Team): Promise<TeamSummary> {
  await team.prompt("Go.");
  let summary: TeamSummary | undefined;
  const quiet = team.quiet().then((end) => {
    summary = end;
    return end;
  });
  await clock.advanceUntil(() => summary !== undefined, 1_000);
  return quiet;
}
