import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { RoleFiles } from "../../../src/roles/role-files.ts";
import type { TeamOptions } from "../../../src/team/team-options.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { type Part, TeamOnWire } from "../../support/team-on-wire.ts";
import { type Said, startTeamProcess } from "./team-process.ts";

const reviewer = {
  name: "reviewer",
  description: "Reviews changes",
  tools: "Read, Grep, Bash(git log:*)",
  maxTurns: 7,
  color: "purple",
};

/** The lead's answer to every report. */
const noted = [says("Noted.")];

test("P30 a teammate has all of its role, and its record says which file that was", async () => {
  await using it = await inProject({ alice: [says("Reviewed.")] });
  await it.write(".claude/agents/reviewer.md", reviewer, "You find what is wrong.");
  const team = await it.open();

  const record = await team.spawn({ name: "alice", agent: "reviewer", prompt: "Review." });

  expect(record).toMatchObject({
    role: "reviewer",
    agent: {
      name: "reviewer",
      path: join(it.root, ".claude/agents/reviewer.md"),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    tools: ["read_file", "grep", "bash", "background_run", "check_background"],
    own_rules: { only: ["bash(git log:*)"] },
    ...{ max_turns: 7, color: "magenta", inherits: ["model", "effort", "permission_mode"] },
  });
  const request = await it.wire.requested("alice", 1);
  expect(JSON.stringify(request?.body.system)).toContain("You find what is wrong.");
  expect(toolsIn(request?.body)).toEqual(expect.arrayContaining(["grep", "send_message"]));
  expect(toolsIn(request?.body)).not.toContain("edit_file");
});

test("the lead is told of the roles in its first turn, and spawns by them", async () => {
  await using it = await inProject({
    lead: [
      calls("spawn_teammate", { name: "alice", agent: "reviewer", prompt: "Review." }),
      says("Spawned."),
    ],
    alice: [says("Reviewed.")],
  });
  await it.write(".claude/agents/reviewer.md", { ...reviewer, memory: "project" });
  const team = await it.open();

  await team.prompt("Have it reviewed.");
  await team.quiet();

  const [first, second] = it.wire.requestsOf("lead");
  expect(JSON.stringify(first?.body.messages)).toContain("- reviewer: Reviews changes");
  expect(JSON.stringify(first?.body.system)).not.toContain("Reviews changes");
  expect(JSON.stringify(second?.body.messages)).toMatch(
    /Spawned 'alice' \(role: reviewer\).*\\"memory\\" is not supported/,
  );
});

test("without role files, the lead's first request says nothing of roles", async () => {
  await using it = await inProject({ lead: [says("Done.")] });
  const team = await it.open();

  await team.prompt("Go.");
  await team.quiet();

  const [request] = it.wire.requestsOf("lead");
  expect(JSON.stringify(request?.body)).not.toMatch(/available-roles|"agent"/);
});

test.each([
  [
    "an unknown field",
    { ...reviewer, maxturns: 3 },
    /"maxturns" is not known\. Did you mean maxTurns/,
  ],
  ["a wrong value", { ...reviewer, effort: "huge" }, /"effort" must be one of/],
  ["an unknown tool", { ...reviewer, tools: "Reed" }, /"tools" names "Reed".*Did you mean Read\?/],
  ["a model that nobody knows", { ...reviewer, model: "gpt" }, /"model" is "gpt".*model-aliases/],
  [
    "a wider mode",
    { ...reviewer, permissionMode: "acceptEdits" },
    /"permissionMode" is acceptEdits, which is wider/,
  ],
  ["a pattern for a file tool", { ...reviewer, tools: "Read(src/**)" }, /"tools" has "Read\(src/],
  [
    "mail denied",
    { ...reviewer, disallowedTools: "SendMessage" },
    /"disallowedTools" names send_message/,
  ],
])(
  "P30 a role with %s is refused with the field's name, and nobody is spawned",
  async (_, fields, reason) => {
    await using it = await inProject({});
    await it.writeOwn("reviewer.md", fields);
    const team = await it.open();

    const spawn = team.spawn({ name: "alice", agent: "reviewer", prompt: "Review." });

    await expect(spawn).rejects.toThrow(reason);
    expect((await team.roster()).members).toEqual([]);
  },
);

test("P30 what loosens in a repository's role needs consent, and in the person's own it does not", async () => {
  const trusted = new Set<string>();
  await using it = await inProject({ lead: noted, alice: [says("Done.")] });
  const fields = { ...reviewer, model: "opus", "max-cost": 3 };
  await it.write(".claude/agents/reviewer.md", fields);
  await it.writeOwn("own.md", { ...fields, name: "own" });
  const team = await it.open({
    modelAliases: { opus: "anthropic/requested" },
    models: { "anthropic/*": { price: { input: 1, output: 1 } } },
    roles: it.roles(trusted),
  });
  const spawn = (agent: string) => team.spawn({ name: "alice", agent, prompt: "Go." });

  await expect(spawn("reviewer")).rejects.toThrow(/consent: model/);
  expect(await spawn("own")).toMatchObject({ model: "anthropic/requested", max_cost: 3 });
  await team.quiet();
  trusted.add(join(it.root, ".claude/agents/reviewer.md"));
  expect(await spawn("reviewer")).toMatchObject({ agent: { name: "reviewer" } });
});

test("a role that asks nobody is denied what would be asked, while another member is asked", async () => {
  const write = calls("write_file", { path: "a.txt", content: "a" });
  await using it = await inProject({
    alice: [write, says("Denied.")],
    bob: [write, says("Asked.")],
  });
  await it.write(".troupe/agents/quiet.md", {
    ...{ name: "quiet", description: "Asks nobody", permissionMode: "dontAsk" },
  });
  const team = await it.open();

  await team.spawn({ name: "alice", agent: "quiet", prompt: "Write." });
  await team.spawn({ name: "bob", role: "writer", prompt: "Write." });
  await it.wire.requested("alice", 2);

  expect(it.wire.shownTo("alice")).toContain("denies all that would be asked");
  await expect
    .poll(async () => (await team.openRequests()).map(({ from }) => from))
    .toEqual(["bob"]);
});

test("commands that its role does not permit are denied, whatever else permits them", async () => {
  await using it = await inProject({
    alice: [
      calls("bash", { command: "echo a > b" }),
      calls("bash", { command: "git log --oneline; ls" }),
      calls("bash", { command: "git log --oneline" }),
      says("Done."),
    ],
  });
  await it.write(".claude/agents/reviewer.md", reviewer);
  const team = await it.open({ mode: "bypassPermissions" });

  await team.spawn({ name: "alice", agent: "reviewer", prompt: "Look." });
  await it.wire.requested("alice", 4);

  const shown = it.wire.shownTo("alice");
  expect(shown.match(/its role permits only bash\(git log:\*\)/g)).toHaveLength(2);
  await expect(readFile(join(it.root, "b"))).rejects.toThrow("ENOENT");
});

test("an edit counts for the next spawn; a member keeps what it had through a restart, and that is told", async () => {
  await using it = await inProject({
    ...{ lead: noted, alice: [says("One.")], bob: [says("Two.")] },
  });
  const file = ".claude/agents/reviewer.md";
  await it.write(file, reviewer, "The first text.");
  const before = await it.open();
  await before.spawn({ name: "alice", agent: "reviewer", prompt: "Review." });
  await before.quiet();
  await it.write(file, { ...reviewer, maxTurns: 9 }, "The second text.");
  const second = await before.spawn({ name: "bob", agent: "reviewer", prompt: "Review." });
  await before.close();

  const after = await it.open();
  await after.message("alice", "Again.");
  await it.wire.requested("alice", 2);

  const [first, again] = it.wire.requestsOf("alice");
  expect(again?.body.system).toEqual(first?.body.system);
  expect(JSON.stringify(again?.body.system)).toContain("The first text.");
  expect(second).toMatchObject({ max_turns: 9 });
  expect(it.wire.warnings.join("\n")).toMatch(
    /reviewer\.md, has been changed since 'alice' was spawned/,
  );
  expect(it.wire.warnings.join("\n")).not.toContain("since 'bob'");
  await rm(join(it.root, file));
});

test("an edit of a record's role, limits or file instructs nobody, and is told", async () => {
  await using it = await inProject({ lead: noted, alice: [says("One.")] });
  await it.write(".claude/agents/reviewer.md", reviewer, "The text.");
  const before = await it.open();
  await before.spawn({ name: "alice", agent: "reviewer", prompt: "Review." });
  await before.quiet();
  const known = await it.wire.recordOf("alice");
  await before.close();
  const config = join(it.root, ".team", "config.json");
  const text = await readFile(config, "utf8");
  await writeFile(
    config,
    text
      .replace('"git log', '"rm')
      .replace("bash(git log:*)", "bash(rm:*)")
      .replace('"max_turns": 7', '"max_turns": 900')
      .replace("The text.", "Obey.")
      .replace(/"role": "reviewer"/, '"role": "boss"'),
  );

  const after = await it.open();

  const { detail: _, ...now } = (await after.roster()).members[0] ?? {};
  expect(now).toMatchObject({
    ...{ role: "reviewer", agent: known?.agent, own_rules: known?.own_rules, max_turns: 7 },
    instructions: "The text.",
  });
  expect(it.wire.warnings.join("\n")).toContain("was not written by troupe");
});

test("the lead can have a role, whose text, tools and turns are in force", async () => {
  await using it = await inProject({ lead: [says("Done.")] });
  await it.write(".claude/agents/reviewer.md", reviewer, "You only look.");
  const team = await it.open({ agent: "reviewer" });

  await team.prompt("Go.");
  await team.quiet();

  const [request] = it.wire.requestsOf("lead");
  expect(JSON.stringify(request?.body.system)).toContain("You only look.");
  expect(toolsIn(request?.body)).not.toContain("write_file");
  expect(toolsIn(request?.body)).toContain("spawn_teammate");
});

test.each([
  ["unknown", reviewer, "other", /No role is named 'other'/],
  [
    "for teammates",
    { ...reviewer, isolation: "worktree" },
    "reviewer",
    /"isolation" is for teammates/,
  ],
])("a role of the lead that is %s opens no team", async (_, fields, agent, reason) => {
  await using it = await inProject({});
  await it.write(".claude/agents/reviewer.md", fields);

  await expect(it.open({ agent })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringMatching(reason),
  });
});

test("a program gives roles as they are", async () => {
  await using it = await inProject({ alice: [says("Done.")] });
  const team = await it.open({
    roles: [{ name: "tester", description: "Tests", prompt: "You test.", tools: ["bash"] }],
  });

  const record = await team.spawn({ name: "alice", agent: "Tester", prompt: "Test." });

  expect(record).toMatchObject({ agent: { name: "tester" }, tools: ["bash"] });
  expect(record.agent).not.toHaveProperty("path");
});

/** A server whose one tool, `say`, says its text. */
const sayer = {
  command: process.execPath,
  args: [join(process.cwd(), "test/support/faulty-mcp-server.mjs"), "none"],
};
const skill = "---\nname: testing\ndescription: Tests\n---\nTest it whole.\n";

test("P30 the skills, hooks and servers of a role are in force for its member, and for no other", async () => {
  const parts = [
    calls("mcp_call", { tool: "mcp__mine__say", input: { text: "one" } }),
    calls("mcp_call", { tool: "mcp__ours__say", input: { text: "two" } }),
    calls("write_file", { path: "a.txt", content: "a" }),
    says("Done."),
  ];
  await using it = await inProject({ lead: noted, alice: parts, bob: parts });
  await it.writeText(".claude/skills/testing/SKILL.md", skill);
  await it.writeOwn("tester.md", {
    ...{ name: "tester", description: "Tests", skills: ["testing"] },
    mcpServers: [{ mine: sayer }],
    hooks: {
      PreToolUse: [
        { matcher: "Write", hooks: [{ type: "command", command: "echo 'No files.' >&2; exit 2" }] },
      ],
    },
  });
  const mcp = { servers: { ours: sayer } };
  const team = await it.open({ mcp, mode: "bypassPermissions" });

  await team.spawn({ name: "alice", agent: "tester", prompt: "Test." });
  await team.spawn({ name: "bob", role: "tester", prompt: "Test." });
  await it.wire.requested("alice", 4);
  await it.wire.requested("bob", 4);

  const [alice, bob] = [it.wire.shownTo("alice"), it.wire.shownTo("bob")];
  expect(alice).toContain("Test it whole.");
  expect(alice).toContain("said one");
  expect(alice).toContain('No MCP tool is named \\"mcp__ours__say');
  expect(alice).toContain("No files.");
  expect(bob).not.toContain("Test it whole.");
  expect(bob).toContain('No MCP tool is named \\"mcp__mine__say');
  expect(bob).toContain("said two");
  expect(bob).not.toContain("No files.");
});

test.each([
  ["skill", { skills: "testin" }, /no skill 'testin'/],
  ["server", { mcpServers: ["our"] }, /no MCP server "our".*mcpServers/],
  [
    "server of the team's name",
    { mcpServers: [{ ours: sayer }] },
    /"ours" is the name of a server of the team/,
  ],
])(
  "P30 a role that cannot have its %s is refused by name, and gives up no member",
  async (_, fields, reason) => {
    await using it = await inProject({ lead: noted, alice: [says("One."), says("Two.")] });
    await it.writeText(".claude/skills/testing/SKILL.md", skill);
    await it.writeOwn("tester.md", { name: "tester", description: "Tests", ...fields });
    const team = await it.open({ mcp: { servers: { ours: sayer } } });
    await team.spawn({ name: "alice", role: "coder", prompt: "Go." });
    await team.quiet();
    const before = await it.wire.recordOf("alice");

    await expect(team.spawn({ name: "alice", agent: "tester", prompt: "Go." })).rejects.toThrow(
      reason,
    );

    expect(await it.wire.recordOf("alice")).toEqual(before);
    await team.close();
    const mcp = { servers: { ours: sayer } };
    await expect(it.open({ agent: "tester", mcp })).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(reason),
    });
  },
);

test("P30 disallowedTools takes away the tool for skills, and those of a server", async () => {
  await using it = await inProject({
    lead: noted,
    alice: [calls("mcp_call", { tool: "mcp__ours__say", input: { text: "one" } }), says("Done.")],
    bob: [says("Done.")],
  });
  await it.writeText(".claude/skills/testing/SKILL.md", skill);
  const about = { description: "Tests", mcpServers: ["ours", "theirs"] };
  await it.writeOwn("narrow.md", {
    ...{ ...about, name: "narrow", disallowedTools: "Skill, mcp__ours__*" },
  });
  await it.writeOwn("plain.md", { ...about, name: "plain" });
  const mcp = { servers: { ours: sayer, theirs: sayer } };
  const team = await it.open({ mcp, mode: "bypassPermissions" });

  await team.spawn({ name: "alice", agent: "narrow", prompt: "Test." });
  await team.spawn({ name: "bob", agent: "plain", prompt: "Test." });
  const alice = await it.wire.requested("alice", 2);
  const bob = await it.wire.requested("bob", 1);

  expect(toolsIn(alice?.body)).not.toContain("skill");
  expect(toolsIn(bob?.body)).toContain("skill");
  expect(JSON.stringify(alice?.body)).toContain("Find tools of MCP servers (theirs)");
  expect(JSON.stringify(bob?.body)).toContain("Find tools of MCP servers (ours, theirs)");
  expect(it.wire.shownTo("alice")).toContain("No MCP tool is named");
});

test("a role's tools may be those of its own server", async () => {
  await using it = await inProject({ lead: noted, alice: [says("Done.")] });
  await it.writeOwn("sayer.md", {
    ...{ name: "sayer", description: "Says", tools: "mcp__mine__say" },
    mcpServers: [{ mine: sayer }],
  });
  const team = await it.open();

  await team.spawn({ name: "alice", agent: "sayer", prompt: "Say." });

  const request = await it.wire.requested("alice", 1);
  expect(toolsIn(request?.body)).toContain("mcp_call");
  expect(toolsIn(request?.body)).not.toContain("read_file");
});

test("the lead's initialPrompt comes before what it is first asked, once, and begins no run", async () => {
  await using it = await inProject({ lead: [says("One."), says("Two.")] });
  await it.writeOwn("greeter.md", {
    ...{ name: "greeter", description: "Greets", initialPrompt: "First read the plan." },
  });
  const team = await it.open({ agent: "greeter" });
  await team.quiet();
  expect(it.wire.requestsOf("lead")).toHaveLength(0);

  await team.prompt("Then go.");
  await team.quiet();
  await team.prompt("Go on.");
  await team.quiet();

  const shown = it.wire.shownTo("lead");
  expect(shown.match(/First read the plan\./g)).toHaveLength(1);
  expect(shown.indexOf("First read the plan.")).toBeLessThan(shown.indexOf("Then go."));
});

test("max-cost of a role ends its member's work at the limit, and no other's", async () => {
  const again = calls("glob", { pattern: "*" });
  await using it = await inProject({
    lead: noted,
    alice: [again],
    bob: [again, again, says("Done.")],
  });
  await it.writeOwn("cheap.md", { name: "cheap", description: "Is cheap", "max-cost": 0.000001 });
  const team = await it.open({
    models: { "anthropic/*": { price: { input: 1, output: 1 } } },
  });

  await team.spawn({ name: "alice", agent: "cheap", prompt: "Look." });
  await team.spawn({ name: "bob", role: "coder", prompt: "Look." });
  await team.quiet();

  expect(it.wire.requestsOf("alice")).toHaveLength(1);
  expect(it.wire.requestsOf("bob")).toHaveLength(3);
  expect((await it.wire.recordOf("alice"))?.detail).toContain("$0.000001");
});

test("P30 P13 a member keeps its role through a kill -9, whatever was edited meanwhile, and that is told", async () => {
  await using it = await inProject({ lead: noted, alice: [says("One.")], bob: [says("Two.")] });
  const file = ".claude/agents/reviewer.md";
  await it.write(file, reviewer, "The first text.");
  const first = startTeamProcess(it.wire);
  first.order({ type: "spawn", name: "alice", agent: "reviewer", prompt: "Review." });
  first.order({ type: "spawn", name: "bob", role: "coder", prompt: "Code." });
  await first.said(isIdle("alice"));
  await first.said(isIdle("bob"));
  await first.kill();
  const known = await it.wire.recordOf("alice");
  const config = join(it.root, ".team", "config.json");
  const roster = JSON.parse(await readFile(config, "utf8"));
  const alice = roster.members.find(({ name }: { name: string }) => name === "alice");
  alice.agent.name = "boss";
  Object.assign(alice, { role: "boss", model: "anthropic/requested", cwd: "/" });
  await writeFile(config, JSON.stringify(roster));
  await it.write(file, { ...reviewer, maxTurns: 9 }, "The second text.");

  await using second = startTeamProcess(it.wire);
  await second.said(told(/reviewer\.md, has been changed since 'alice' was spawned/));
  await second.said(told(/record of 'alice' was not written by troupe/));
  second.order({ type: "message", to: "alice", content: "Again." });
  second.order({ type: "message", to: "bob", content: "Again." });
  await it.wire.requested("alice", 2);
  await it.wire.requested("bob", 2);

  const { role, model, cwd, agent, max_turns, instructions } = known ?? {};
  expect(await it.wire.recordOf("alice")).toMatchObject({
    ...{ role, model, cwd, agent, max_turns, instructions },
  });
  const [before, after] = it.wire.requestsOf("alice");
  expect(after?.body.system).toEqual(before?.body.system);
  expect(after?.body.model).toBe(before?.body.model);
  // The control: of the member that nobody has touched, nothing is told.
  expect(second.heard(told(/'bob'/))).toBe(0);
});

const isIdle = (name: string) => (line: Said) =>
  line.type === "member-change" && line.member === name && line.status === "idle";
const told = (pattern: RegExp) => (line: Said) =>
  line.type === "told" && pattern.test(String(line.text));

/** A project with role files, and a home of a person with others. */
async function inProject(parts: Record<string, Part>) {
  const wire = await TeamOnWire.start(parts);
  const { root } = wire;
  const own = join(root, "home", "agents");
  const writeTo = async (path: string, fields: object, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    const lines = Object.entries(fields).map(
      ([name, value]) => `${name}: ${JSON.stringify(value)}`,
    );
    await writeFile(path, `---\n${lines.join("\n")}\n---\n${text}\n`);
  };
  const roles = (trusted: ReadonlySet<string>) =>
    new RoleFiles({
      ...{ workspace: root, own: [own] },
      trusts: async ({ realPath }) => trusted.has(realPath),
    });
  return {
    ...{ wire, root, roles },
    write: (path: string, fields: object, text = "Work.") =>
      writeTo(join(root, path), fields, text),
    writeText: async (path: string, text: string) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    writeOwn: (path: string, fields: object) => writeTo(join(own, path), fields, "Work."),
    open: (options: Partial<TeamOptions> = {}) =>
      wire.open({ roles: roles(new Set()), ...options }),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

/** The names of all tools that a request has. */
function toolsIn(body: unknown): string[] {
  return [...JSON.stringify(body).matchAll(/"name":"(\w+)"/g)].map(([, name = ""]) => name);
}
