import { expect, test } from "vitest";
import type { Team } from "../../../src/team/team.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { shownIn, TeamOnWire } from "../../support/team-on-wire.ts";
import { nextQuestion, requestIdIn, spawns } from "./scenes.ts";

/** So many tokens that the next request would not fit. */
const full = { usage: { input_tokens: 19_000 } };
const small = { "anthropic/scripted": { contextWindow: 20_000 } };

const isToSummarize = (request: ProviderRequest) =>
  shownIn(request).includes("Summarize the conversation so far");

test("P16 after a compaction a teammate has its role, the roster, its task, its open plan and new mail", async () => {
  let team: Team | undefined;
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        spawns("bob", { role: "tester" }),
        spawns("alice", { role: "painter" }),
        calls("create_task", { subject: "Paint the door", owner: "alice" }),
      ]),
      says("Waiting."),
    ],
    alice: [
      async () => {
        await wire.server.until(() => wire.requestsOf("lead").length === 2);
        const work = [
          calls("claim_task", { task_id: "1" }),
          calls("plan_approval", { plan: "Green" }),
        ];
        return reply(work, full);
      },
      async (request) => {
        expect(isToSummarize(request)).toBe(true);
        await team?.message("alice", "A late word.");
        return says("I was about to paint.");
      },
      says("I go on."),
    ],
    bob: [says("I am here.")],
  });
  team = await wire.open({ models: small, autoclaim: false });
  const planned = nextQuestion(team, "plan");
  await team.prompt("Go.");
  const planId = await planned;
  await wire.server.until(() => wire.requestsOf("alice").length === 3);

  const after = wire.requestsOf("alice")[2];
  expect(JSON.stringify(after?.body.system)).toContain("You are 'alice', role: painter, at ");
  const shown = shownIn(after);
  expect(shown).toContain("I was about to paint.");
  expect(shown).not.toContain("Do your work.");
  expect(shown).toContain("bob (tester)");
  expect(shown).toContain("1: Paint the door (in_progress, alice)");
  expect(shown).toContain(`${planId}: plan, from alice to lead`);
  expect(shown).toContain("A late word.");
  expect(wire.server.refusals).toEqual([]);
});

test("P16 after a compaction the lead has its roster, decides the open plan, and gets its unread mail", async () => {
  let team: Team | undefined;
  await using wire = await TeamOnWire.start({
    lead: [
      reply([calls("create_task", { subject: "Paint the door" }), spawns("alice"), spawns("bob")]),
      reply([calls("wait_for_teammates", { names: ["alice"] })], full),
      async (request) => {
        expect(isToSummarize(request)).toBe(true);
        await team?.prompt("A late word.");
        return says("I had two teammates.");
      },
      (request) =>
        calls("plan_approval", {
          request_id: /([0-9a-f-]{36}): plan/.exec(shownIn(request))?.[1] ?? requestIdIn(request),
          approve: true,
        }),
      calls("update_task", { task_id: "1", status: "cancelled" }),
      says("Done."),
    ],
    alice: [calls("plan_approval", { plan: "Green" }), says("I wait."), says("I go on.")],
    bob: [says("I am here.")],
  });
  team = await wire.open({ models: small, autoclaim: false });
  await team.prompt("Go.");
  const summary = await team.quiet();

  const after = wire.requestsOf("lead")[3];
  expect(JSON.stringify(after?.body.system)).toContain("You are a team lead at ");
  const shown = shownIn(after);
  for (const text of ["I had two teammates.", "alice (coder)", "bob (coder)", "A late word."]) {
    expect(shown).toContain(text);
  }
  expect(shown).toContain("1: Paint the door (pending, no owner)");
  expect(shown).toMatch(/[0-9a-f-]{36}: plan, from alice to lead/);
  expect(summary.undecided).toEqual([]);
  expect(shownIn(wire.requestsOf("alice").at(-1))).toContain('approve=\\"true\\"');
});
