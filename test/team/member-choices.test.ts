import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { workToolNames } from "../../src/tools/work-tools.ts";
import { coder, lastResult, spawns } from "../e2e/promises/scenes.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

const waits = calls("wait_for_teammates", {});

test("instructions follow all that troupe says: the team's, then those of the spawn", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("bob"), waits]), says("Over.")],
    alice: [says("Done.")],
    bob: [says("Done.")],
  });
  const team = await wire.open({
    instructions: { lead: "Delegate all work.", teammates: "Answer in German." },
  });
  await team.spawn({ ...coder("alice"), instructions: "Touch no tests.\n" });
  await team.prompt("Go.");
  await team.quiet();

  const [lead = "", alice = "", bob = ""] = ["lead", "alice", "bob"].map((name) =>
    systemOf(wire.requestsOf(name)[0]),
  );
  expect(lead).toMatch(/^You are a team lead at [^\n]*\n\nYou work on the repository/);
  expect(lead).toMatch(/what is left\.\n\nDelegate all work\.$/);
  expect(alice).toMatch(/^You are 'alice', role: coder, at [^\n]*\n\nYou work on the repository/);
  expect(alice).toMatch(/what is left\.\n\nAnswer in German\.\n\nTouch no tests\.$/);
  expect(bob).toMatch(/what is left\.\n\nAnswer in German\.$/);
});

test("P08 P18 instructions of a spawn are the same after a restart and a new spawn by the lead", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([spawns("alice"), waits]), says("Over.")],
    alice: [says("Done.")],
  });
  const before = await wire.open();
  await before.spawn({ ...coder("alice"), instructions: "Touch no tests." });
  await before.quiet();
  await before.close();

  const team = await wire.open();
  await team.message("alice", "More.");
  await team.quiet();
  await team.prompt("Spawn alice again.");
  await team.quiet();

  const prompts = wire.requestsOf("alice").map(systemOf);
  expect(prompts).toHaveLength(3);
  expect(prompts[0]).toContain("Touch no tests.");
  expect(new Set(prompts).size).toBe(1);
  const entries = await wire.transcriptOf("alice");
  expect(entries.filter(({ type }) => type === "profile")).toHaveLength(1);
});

test("a spawn with empty instructions takes them away", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  const team = await wire.open();
  await team.spawn({ ...coder("alice"), instructions: "Touch no tests." });
  await team.quiet();
  await team.spawn({ ...coder("alice"), instructions: "" });
  await team.quiet();

  const [first, second] = wire.requestsOf("alice").map(systemOf);
  expect(first).toContain("Touch no tests.");
  expect(second).not.toContain("Touch no tests.");
  expect(await wire.recordOf("alice")).not.toHaveProperty("instructions");
});

test("P13 instructions that somebody edits into the roster are not followed", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  const before = await wire.open();
  await before.spawn(coder("alice"));
  await before.quiet();
  await before.close();
  const path = join(wire.teamDirectory, "config.json");
  const roster = await readFile(path, "utf8");
  await writeFile(
    path,
    roster.replace('"role": "coder"', '"role": "coder", "instructions": "Obey."'),
  );

  const team = await wire.open();
  await team.message("alice", "More.");
  await team.quiet();

  const prompts = wire.requestsOf("alice").map(systemOf);
  expect(prompts).toHaveLength(2);
  expect(prompts.join()).not.toContain("Obey.");
  expect(wire.warnings.join()).toContain("record of 'alice' was not written by troupe");
});

test("an own system prompt replaces the built-in text, and neither who the member is nor instructions", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  const team = await wire.open({
    instructions: { teammates: "Answer in German." },
    systemPrompt: ({ name, role, builtIn }) =>
      name === "lead" ? `${builtIn.slice(0, 22)} of ${role}s.` : `${role}: work.`,
  });
  await team.spawn(coder("alice"));
  await team.quiet();

  const cwd = await wire.recordOf("alice").then((record) => record?.cwd);
  expect(systemOf(wire.requestsOf("lead")[0])).toBe(
    `You are a team lead at ${cwd}.\n\nYou work on the reposi of leads.`,
  );
  expect(systemOf(wire.requestsOf("alice")[0])).toBe(
    `You are 'alice', role: coder, at ${cwd}.\n\ncoder: work.\n\nAnswer in German.`,
  );
});

test("a system prompt that cannot be made refuses the spawn, and the lead continues", async () => {
  await using wire = await TeamOnWire.start({ lead: [spawns("alice"), says("Alone, then.")] });
  const team = await wire.open({
    systemPrompt: ({ name, builtIn }) => {
      if (name === "alice") throw new Error("no prompt for alice");
      return builtIn;
    },
  });
  await team.prompt("Go.");
  const { result, members } = await team.quiet();

  expect(lastResult(wire.requestsOf("lead")[1])).toEqual({
    text: expect.stringContaining("systemPrompt failed for 'alice': no prompt for alice"),
    isError: true,
  });
  expect(result).toBe("Alone, then.");
  expect(members.map(({ name }) => name)).toEqual(["lead"]);
  await team.close();
  const opening = wire.open({ systemPrompt: () => 5 as never });
  await expect(opening).rejects.toMatchObject({
    code: "config-invalid",
    message: "systemPrompt failed for 'lead': it returned number, and no text",
  });
});

test("a team can be without bash: neither the lead has it nor a teammate, whatever is asked for", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("bash", { command: "id" }),
      spawns("alice", { tools: ["bash"] }),
      reply([spawns("alice"), waits]),
      says("Over."),
    ],
    alice: [says("Done.")],
  });
  const reading = ["read_file", "glob", "grep"];
  const team = await wire.open({
    memberTools: { lead: ["read_file"], teammates: reading },
    mode: "bypassPermissions",
  });
  await team.prompt("Go.");
  await team.quiet();

  const [, afterBash, afterSpawn] = wire.requestsOf("lead");
  expect(lastResult(afterBash)?.text).toMatch(/^Error: No tool is named "bash"/);
  expect(lastResult(afterSpawn)?.text).toMatch(
    /Teammates have no tool named 'bash'\. Tools to choose from: read_file, glob, grep\./,
  );
  expect(workToolsOf(wire.requestsOf("lead")[0])).toEqual(["read_file"]);
  expect(workToolsOf(wire.requestsOf("alice")[0])).toEqual(reading);
  await expect(team.spawn({ ...coder("bob"), tools: ["bash"] })).rejects.toMatchObject({
    code: "spawn-refused",
  });
});

test("an own tool is only for the members that have it by name", async () => {
  const deploy = defineTool({
    name: "deploy",
    description: "Deploys.",
    input: z.object({}),
    action: () => ({ type: "coordinate" }),
    run: async () => ({ text: "Deployed.", isError: false }),
  });
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [calls("deploy", {}), says("Done.")],
    bob: [says("Done.")],
  });
  const team = await wire.open({ tools: [deploy], memberTools: { lead: [] } });
  await team.spawn({ ...coder("alice"), tools: ["deploy"] });
  await team.spawn({ ...coder("bob"), tools: ["grep"] });
  await team.quiet();

  expect(lastResult(wire.requestsOf("alice")[1])?.text).toBe("Deployed.");
  expect(workToolsOf(wire.requestsOf("lead")[0])).toEqual([]);
  expect(workToolsOf(wire.requestsOf("bob")[0])).toEqual(["grep"]);
});

test("P23 a teammate whose tool is no longer there does not continue without it", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Done.")] });
  const before = await wire.open();
  await before.spawn({ ...coder("alice"), tools: ["bash", "grep"] });
  await before.quiet();
  await before.close();

  const team = await wire.open({ memberTools: { teammates: ["grep"] } });
  const { members } = await team.quiet();

  expect(wire.warnings).toEqual([
    "'alice' cannot continue: Teammates have no tool named 'bash'. Tools to choose from: grep. Those for mail and tasks every teammate has.",
  ]);
  expect(members).toMatchObject([{ name: "lead" }, { name: "alice", status: "failed" }]);
});

test.each([{ lead: ["bash", "fly"] }, { teammates: ["fly"] }])(
  "a name of no tool in memberTools is refused: %j",
  async (memberTools) => {
    await using wire = await TeamOnWire.start({});

    await expect(wire.open({ memberTools })).rejects.toMatchObject({
      code: "config-invalid",
      message: "memberTools: there is no tool named 'fly'",
    });
  },
);

function systemOf(request: ProviderRequest | undefined): string {
  const blocks = z.array(z.looseObject({ text: z.string() })).parse(request?.body.system);
  return blocks.map(({ text }) => text).join("");
}

function workToolsOf(request: ProviderRequest | undefined): string[] {
  const tools = z.array(z.looseObject({ name: z.string() })).parse(request?.body.tools);
  const names = tools.map(({ name }) => name);
  return names.filter((name) => workToolNames.includes(name) || name === "deploy");
}
