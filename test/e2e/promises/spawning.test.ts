import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ReplyBlock } from "../../../src/protocol/transcript.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { viewTeam } from "../../support/team.ts";
import { TeamOnWire } from "../../support/team-on-wire.ts";
import {
  coder,
  lastResult,
  memberOnDisk,
  never,
  nextQuestion,
  onceTold,
  resultsIn,
  rosterOnDisk,
  spawns,
} from "./scenes.ts";
import { startTeamProcess } from "./team-process.ts";

/** The names of the tools that a request offers, whatever the provider. */
function toolsOf({ body }: ProviderRequest): string[] {
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return tools.map((tool) => tool.name ?? tool.function?.name);
}

test("P23 a teammate's first request has the requested model, tools, role and directory", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        spawns("alice", {
          ...{ role: "reviewer", model: "openai/other", tools: ["read_file"], cwd: "sub" },
          ...{ permission_mode: "plan", plan_required: true },
        }),
        spawns("bob", { cwd: "sub", permission_mode: "bypassPermissions" }),
        calls("wait_for_teammates", {}),
      ]),
      says("Over."),
    ],
    alice: [calls("write_file", { path: "x.txt", content: "x" }), says("Read-only.")],
    bob: [calls("bash", { command: "pwd > where.txt; cat where.txt" }), says("Here.")],
  });
  await mkdir(join(wire.root, "sub"));
  const team = await wire.open({ mode: "bypassPermissions" });
  await team.prompt("Go.");
  await team.quiet();

  const [alice, bob] = ["alice", "bob"].map((name) => wire.requestsOf(name)[0]);
  if (!alice || !bob) throw new Error("Not both have asked their model");
  expect(alice).toMatchObject({ api: "openai-responses", body: { model: "other" } });
  expect(alice.text).toContain(`You are 'alice', role: reviewer, at ${join(wire.root, "sub")}.`);
  const workTools = ["bash", "background_run", "write_file", "edit_file", "glob", "grep"];
  expect(toolsOf(alice)).toContain("read_file");
  expect(toolsOf(alice)).toContain("send_message");
  expect(toolsOf(alice).filter((name) => workTools.includes(name))).toEqual([]);
  expect(wire.requestsOf("alice")[1]?.text).toContain("No tool is named");

  expect(bob).toMatchObject({ api: "anthropic", body: { model: "scripted" } });
  expect(toolsOf(bob)).toEqual(expect.arrayContaining(workTools));
  expect(toolsOf(bob)).not.toContain("spawn_teammate");
  expect(lastResult(wire.requestsOf("bob")[1])?.text).toContain(join(wire.root, "sub"));
  expect(await memberOnDisk(wire, "alice")).toMatchObject({
    ...{ role: "reviewer", model: "openai/other", tools: ["read_file"] },
    ...{ permission_mode: "plan", plan_required: true, cwd: join(wire.root, "sub") },
  });
});

test("P23 a teammate that cannot be as requested is not spawned, and the error says why", async () => {
  const wrong: [ReplyBlock, RegExp][] = [
    [spawns("alice", { model: "nosuch/model" }), /nosuch/],
    [spawns("alice", { model: "" }), /model/i],
    [spawns("alice", { effort: "extreme" }), /effort/],
    [
      spawns("alice", { model: "openai/gpt-4o", effort: "high" }),
      /effort high is not possible: openai\/gpt-4o cannot be asked to think/,
    ],
    [spawns("alice", { tools: ["read_file", "fly"] }), /'fly'.*read_file/s],
    [spawns("alice", { permission_mode: "bypassPermissions" }), /wider.*'default'/s],
    [spawns("alice", { permission_mode: "godmode" }), /permission_mode/],
    [spawns("alice", { cwd: ".." }), /outside/],
    [spawns("alice", { cwd: "/" }), /outside/],
    [spawns("alice", { cwd: "nowhere" }), /no directory.*nowhere.*make it/s],
    [spawns("alice", { cwd: "file.txt" }), /no directory.*file\.txt/s],
    [spawns("alice", { role: " " }), /role/],
    [spawns("alice", { plan_required: "false" }), /plan_required/],
  ];
  await using wire = await TeamOnWire.start({
    lead: [reply(wrong.map(([call]) => call)), says("None of it.")],
  });
  await writeFile(join(wire.root, "file.txt"), "");
  const team = await wire.open();
  await team.prompt("Go.");
  await team.quiet();

  const results = resultsIn(wire.requestsOf("lead")[1]);
  expect(results).toHaveLength(wrong.length);
  results.forEach(({ text, isError }, index) => {
    expect(isError, text).toBe(true);
    expect(text).toMatch(wrong[index]?.[1] ?? /never/);
  });
  expect((await rosterOnDisk(wire)).members).toEqual([]);
  expect(wire.server.requests).toHaveLength(2);
});

test("P23 spawning again with another model keeps nothing of the old one but the history", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("As before."), says("As now.")],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.quiet();
  await team.spawn({ ...coder("alice"), role: "tester", model: "openai/other" });
  await team.quiet();

  const [first, second] = wire.requestsOf("alice");
  expect(first?.body.model).toBe("scripted");
  expect(second).toMatchObject({ api: "openai-responses", body: { model: "other" } });
  expect(second?.text).toContain("You are 'alice', role: tester");
  expect(second?.text).toContain("As before.");
});

test("P23 a teammate thinks with the requested effort, or with the lead's; spawning again changes it", async () => {
  const again = reply([spawns("alice", { effort: "high" }), calls("wait_for_teammates", {})]);
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        spawns("alice", { model: "openai/gpt-6-sol", effort: "max" }),
        spawns("bob", {}),
        calls("wait_for_teammates", {}),
      ]),
      again,
      says("Over."),
    ],
    alice: [says("Done.")],
    bob: [says("Done.")],
  });
  const team = await wire.open({ model: "anthropic/claude-opus-5", effort: "low" });
  await team.prompt("Go.");
  await team.quiet();

  const effortsOf = (name: string) => {
    return wire.requestsOf(name).map(({ body }) => body.reasoning ?? body.output_config);
  };
  expect(effortsOf("lead")[0]).toEqual({ effort: "low" });
  expect(effortsOf("bob")).toEqual([{ effort: "low" }]);
  expect(effortsOf("alice")).toEqual([
    { effort: "max", summary: "auto" },
    { effort: "high", summary: "auto" },
  ]);
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ effort: "high" });
  expect(await memberOnDisk(wire, "bob")).toMatchObject({ effort: "low" });
});

test("P23 an effort that an inheriting teammate's model cannot take is left out, and the person is told once", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        spawns("alice", { model: "openai/gpt-4o" }),
        spawns("bob", { model: "openai/gpt-4o" }),
        calls("wait_for_teammates", {}),
      ]),
      says("Over."),
    ],
    alice: [says("Done.")],
    bob: [says("Done.")],
  });
  const team = await wire.open({ model: "anthropic/claude-opus-5", effort: "low" });
  await team.prompt("Go.");
  await team.quiet();

  expect(wire.requestsOf("alice")[0]?.body).not.toHaveProperty("reasoning");
  expect(wire.warnings).toEqual([
    "The effort low is not sent: openai/gpt-4o cannot be asked to think.",
  ]);
});

test("P23 a teammate has the lead's current model where none was requested, also after kill -9", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [never, says("As the lead.")],
    bob: [never, says("As requested.")],
  });
  await using running = startTeamProcess(wire);
  const spawn = { type: "spawn", role: "coder", prompt: "Go." } as const;
  running.order({ ...spawn, name: "alice" });
  running.order({ ...spawn, name: "bob", model: "anthropic/requested", mode: "plan" });
  await wire.requested("alice", 1);
  await wire.requested("bob", 1);
  await running.kill();

  const team = await wire.open({ model: "openai/other", mode: "acceptEdits" });
  await team.quiet();

  expect(wire.requestsOf("alice")[1]?.body.model).toBe("other");
  expect(wire.requestsOf("bob")[1]?.body.model).toBe("requested");
  expect((await viewTeam(wire.root).team()).members).toMatchObject([
    { name: "alice", model: "openai/other", permission_mode: "acceptEdits" },
    { name: "bob", model: "anthropic/requested", permission_mode: "plan" },
  ]);
});

test("P23 a teammate's mode follows the lead's, narrower and wider, unless it has its own", async () => {
  const write = (path: string) => calls("write_file", { path, content: "…" });
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Here."), write("now.txt"), says("Done."), write("then.txt"), says("Done.")],
    bob: [says("Here."), write("never.txt"), says("Done.")],
  });
  const team = await wire.open({ approvals: { unattended: () => "nobody is there" } });
  await team.spawn(coder("alice"));
  await team.spawn({ ...coder("bob"), mode: "default" });
  await team.quiet();

  await team.setMode("lead", "acceptEdits");
  for (const name of ["alice", "bob"]) await team.message(name, "Write.");
  await team.quiet();
  expect(lastResult(wire.requestsOf("alice").at(-1))).toMatchObject({ isError: false });
  expect(lastResult(wire.requestsOf("bob").at(-1))).toMatchObject({ isError: true });
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ permission_mode: "acceptEdits" });
  expect(await memberOnDisk(wire, "bob")).toMatchObject({ permission_mode: "default" });

  await team.setMode("lead", "default");
  await team.message("alice", "Write.");
  await team.quiet();
  expect(lastResult(wire.requestsOf("alice").at(-1))).toMatchObject({ isError: true });
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ permission_mode: "default" });
});

test("P40 other processes know every member's mode as it is, also after a restart", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Here.")],
    bob: [says("Here.")],
  });
  const view = viewTeam(wire.root);
  const team = await wire.open({ mode: "acceptEdits" });
  await team.spawn(coder("alice"));
  await team.spawn({ ...coder("bob"), mode: "plan" });
  await team.quiet();

  const modes = [await view.modes()];
  for (const [name, mode] of changes) {
    await team.setMode(name, mode);
    modes.push(await view.modes());
    expect(modes.at(-1)).toEqual(await team.modes());
  }
  await team.close();
  const again = await wire.open({ mode: "acceptEdits" });

  const named = (each: (typeof modes)[number] = []) =>
    each.map(({ mode, followsLead }) => (followsLead ? `${mode}, as the lead` : mode));
  expect(modes.map(named)).toEqual([
    ["acceptEdits", "acceptEdits, as the lead", "plan"],
    ["bypassPermissions", "bypassPermissions, as the lead", "plan"],
    ["bypassPermissions", "default", "plan"],
    ["plan", "plan", "plan"],
  ]);
  expect(named(await view.modes())).toEqual(["acceptEdits", "default", "plan"]);
  expect(await view.modes()).toEqual(await again.modes());
});

const changes = [
  ["lead", "bypassPermissions"],
  ["alice", "default"],
  ["lead", "plan"],
] as const;

test("a lead's invalid calls are errors that say what is valid", async () => {
  let planId = "";
  const wrong = (): [ReplyBlock, RegExp][] => [
    [spawns("alice"), /'alice' is currently working/],
    [spawns("lead"), /reserved.*1 to 32/s],
    [spawns("../lead"), /not a member's name.*1 to 32/s],
    [spawns("ümit"), /1 to 32/],
    [
      calls("plan_approval", { request_id: "nonsense", approve: true }),
      /Unknown plan.*nonsense.*Undecided/s,
    ],
    [calls("plan_approval", { request_id: planId, approve: "true" }), /approve/],
    [calls("shutdown_request", { teammate: "nobody" }), /nobody.*Teammates: /s],
    [calls("shutdown_request", { teammate: "gone" }), /shut down already.*Teammates: /s],
    [calls("send_message", { to: "gone", content: "Hello?" }), /shut down.*Members: lead/s],
    [calls("send_message", { to: "nobody", content: "Hello?" }), /nobody.*Members: lead/s],
    [calls("send_message", { to: "lead", content: "Me?" }), /That is you/],
    [calls("get_task", { task_id: "99" }), /99/],
    [calls("claim_task", { task_id: "not a task" }), /no task 'not a task'.*Tasks: 1/s],
    [calls("claim_task", { task_id: "2" }), /blocked by 1/],
    [calls("claim_task", { task_id: "3" }), /owned by 'alice'/],
    [calls("update_task", { task_id: "1", blocked_by: ["2"] }), /wait for itself/],
    [calls("update_task", { task_id: "1" }), /give what is to change/],
    [calls("create_task", { subject: "x", owner: "nobody" }), /nobody.*Members: /s],
  ];
  await using wire = await TeamOnWire.start({
    lead: [
      onceTold(
        "do it all wrong",
        reply([
          calls("create_task", { subject: "One" }),
          calls("create_task", { subject: "Two", blocked_by: ["1"] }),
          calls("create_task", { subject: "Three", owner: "alice" }),
        ]),
        () => reply(wrong().map(([call]) => call)),
        says("All wrong."),
      ),
    ],
    gone: [says("I am here.")],
    bob: [calls("plan_approval", { plan: "Mine" }), says("I wait.")],
    alice: [never],
  });
  const team = await wire.open({ autoclaim: false });
  await team.spawn(coder("gone"));
  await wire.server.until(() => wire.requestsOf("gone").length === 1);
  await team.stop("gone");
  await team.spawn(coder("alice"));
  const planned = nextQuestion(team, "plan");
  await team.spawn(coder("bob"));
  planId = await planned;
  await team.prompt("Make the tasks, then do it all wrong.");
  await wire.server.until(
    () => resultsIn(wire.requestsOf("lead").at(-1)).length === 3 + wrong().length,
  );

  const results = resultsIn(wire.requestsOf("lead").at(-1)).slice(3);
  wrong().forEach(([call, remedy], index) => {
    expect(results[index]?.isError, JSON.stringify(call)).toBe(true);
    expect(results[index]?.text).toMatch(remedy);
  });
});

test("a teammate cannot answer requests of others, nor decided ones", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      onceTold("Shut alice down", calls("shutdown_request", { teammate: "alice" }), says("Asked.")),
    ],
    alice: [
      says("I am here."),
      (request) => {
        const id = /request_id=\\"([0-9a-f-]{36})/.exec(JSON.stringify(request.body.messages))?.[1];
        return reply([
          calls("shutdown_response", { request_id: "nonsense", approve: true }),
          calls("shutdown_response", { request_id: id, approve: "false" }),
          calls("shutdown_response", { request_id: id, approve: false, reason: "Not done yet." }),
          calls("shutdown_response", { request_id: id, approve: true }),
          calls("send_message", { to: "bob", content: `Answer ${id}` }),
        ]);
      },
      says("I stay."),
    ],
    bob: [
      says("I am here."),
      (request) => {
        const id = /Answer ([0-9a-f-]{36})/.exec(JSON.stringify(request.body.messages))?.[1];
        return calls("shutdown_response", { request_id: id, approve: true });
      },
      says("It is not mine."),
    ],
  });
  const team = await wire.open();
  await team.spawn(coder("alice"));
  await team.spawn(coder("bob"));
  await wire.server.until(() => ["alice", "bob"].every((it) => wire.requestsOf(it).length === 1));
  await team.prompt("Shut alice down.");
  await team.quiet();

  const answers = resultsIn(wire.requestsOf("alice").at(-1));
  expect(answers.map(({ isError }) => isError)).toEqual([true, true, false, true, false]);
  expect(answers[0]?.text).toContain("Open for you: ");
  expect(answers[3]?.text).toContain("already rejected");
  expect(lastResult(wire.requestsOf("bob").at(-1))).toMatchObject({
    isError: true,
    text: expect.stringContaining("Nobody asks you to shut down"),
  });
  expect(await memberOnDisk(wire, "alice")).toMatchObject({ status: "idle" });
  expect(JSON.stringify(wire.requestsOf("lead").at(-1)?.body)).toContain("Not done yet.");
});
