import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import type { Team } from "../../../src/team/team.ts";
import type { ScriptedAnswer } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says, thinks } from "../../../src/testing/scripted-model.ts";
import { TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { coder, never } from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

const claude = "anthropic/claude-fable-5-1";
const gpt = "openai/gpt-6-sol";
const gemini = "google/gemini-3.5-flash";
const small = "openai/gpt-5.4";

// The strict server refuses thoughts of another model, calls without results, and calls that are not as they were.
test("P08 another provider goes on in the middle of calls, without the thoughts, which is told once", async () => {
  const looks = calls("read_file", { path: "none" });
  const opened: Team[] = [];
  // While the request is on its way, so that the calls of its reply are answered for the next model.
  const thenAsk = (model: string, answer: ScriptedAnswer) => async () => {
    await opened[0]?.setModel(lead, { model });
    return answer;
  };
  await using wire = await TeamOnWire.start({
    lead: [
      thenAsk(gpt, reply([thinks("Let me look.", "c2lnbmF0dXJl"), looks, looks])),
      thenAsk(gemini, reply([thinks("Hm.", "ZW5jcnlwdGVk"), looks])),
      thenAsk(claude, reply([looks])),
      thenAsk(gpt, reply([thinks("Further.", "bmV4dA=="), looks])),
      says("It is done."),
    ],
  });
  const team = await wire.open({ model: claude, effort: "high" });
  opened.push(team);
  const watched = new Watched(team);
  await team.prompt("Go.");
  const { result } = await team.quiet();
  await team.close();

  expect(wire.server.refusals).toEqual([]);
  expect(result).toBe("It is done.");
  expect(wire.requestsOf("lead").map(({ api }) => api)).toEqual([
    ...["anthropic", "openai-responses", "google", "anthropic", "openai-responses"],
  ]);
  const warnings = watched.events.flatMap((event) =>
    event.type === "warning" ? [event.message] : [],
  );
  expect(warnings).toEqual([
    `1 earlier thought of ${claude} is not sent to ${gpt}`,
    `1 earlier thought of ${claude} is not sent to ${gemini}`,
    `1 earlier thought of ${gpt} is not sent to ${gemini}`,
    `1 earlier thought of ${gpt} is not sent to ${claude}`,
  ]);
});

test("P40 a model that was set in the middle of a run holds after kill -9, for the lead and those that follow it", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [never, says("Done.")],
    bob: [never, says("Done.")],
  });
  await using running = startTeamProcess(wire);
  running.order({ type: "spawn", ...coder("alice") });
  running.order({ type: "spawn", ...coder("bob") });
  await wire.requested("alice", 1);
  await wire.requested("bob", 1);
  running.order({ type: "set-model", name: "lead", model: gpt });
  running.order({ type: "set-model", name: "bob", model: small });
  await running.said(({ type, member }) => type === "model-set" && member === "bob", 2);
  await running.kill();

  const team = await wire.open({ model: undefined, defaultModel: "anthropic/scripted" });
  await team.quiet();
  const models = (await team.models()).map(({ member, model }) => [member, model]);

  expect(models).toEqual([
    ["lead", gpt],
    ["alice", gpt],
    ["bob", small],
  ]);
  expect(wire.requestsOf("alice").map(({ api }) => api)).toEqual(["anthropic", "openai-responses"]);
  expect(wire.requestsOf("bob").map(({ api }) => api)).toEqual(["anthropic", "openai-responses"]);
  expect(wire.requestsOf("lead").map(({ api }) => api)).not.toContain("anthropic");
  expect(wire.server.refusals).toEqual([]);
});
