import { expect, test } from "vitest";
import type { Model } from "../../src/model/model.ts";
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
