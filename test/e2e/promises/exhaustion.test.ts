import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { troupeIn } from "../../cli/troupe.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { TeamOnWire } from "../../support/team-on-wire.ts";
import { resultsIn, spawns } from "./scenes.ts";

test("P06 a lead and a teammate that endlessly thank each other are stopped, and the person's mail still gets through", async () => {
  const forEver = 150;
  const thanks = (request: ProviderRequest) =>
    JSON.stringify(request.body.messages.at(-1)).includes("Sent message")
      ? says("I thanked her.")
      : calls("send_message", {
          to: "alice",
          content: `Thanks! ${wire.requestsOf("lead").length}`,
        });
  await using wire = await TeamOnWire.start({
    lead: [spawns("alice"), thanks],
    alice: [() => says(`You are welcome! ${wire.requestsOf("alice").length}`)],
  });
  const team = await wire.open();
  await team.prompt("Go.");
  await Promise.race([team.quiet(), wire.requested("alice", forEver)]);

  expect(wire.requestsOf("alice").length).toBeLessThan(forEver);
  await team.prompt("Is it over?");
  await wire.server.until(() => wire.shownTo("lead").includes("Is it over?"));
});

test("P25 a teammate's budget belongs to its name: spawned again in another role it has no new one, and its lead gets the reason", async () => {
  const toils = () => calls("list_tasks", {});
  await using wire = await TeamOnWire.start({
    lead: [
      reply([spawns("alice"), calls("wait_for_teammates", {})]),
      spawns("alice"),
      spawns("alice", { role: "tester" }),
      says("She can do no more."),
    ],
    alice: [toils],
  });
  const team = await wire.open({ memberBudget: { maxTokens: 60 } });
  const askedWhenRefused = wire.server.until(() => wire.requestsOf("lead").length === 2);
  await team.prompt("Go.");
  await askedWhenRefused;
  const asked = wire.requestsOf("alice").length;
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(asked);
  const [, , again, asTester] = resultsIn(wire.requestsOf("lead").at(-1));
  for (const result of [again, asTester]) expect(result?.text).toMatch(/budget of 60 tokens/);
  expect((await wire.recordOf("alice"))?.status).toBe("idle");
});

test("P22 a run whose lead failed because of the disk is an error", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      async () => {
        const transcript = join(wire.teamDirectory, "transcripts", "lead.jsonl");
        await rename(transcript, `${transcript}.gone`);
        await mkdir(transcript);
        return says("Over.");
      },
    ],
  });
  const world = { root: wire.root, env: providerEnvironment(wire.server) };

  const { code, err } = await troupeIn(world, "run", "Go.", "--model", "anthropic/scripted");

  expect(code, err.join("\n")).toBe(1);
});
