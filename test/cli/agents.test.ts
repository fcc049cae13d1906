import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { troupeIn } from "./troupe.ts";

const everything = `---
name: reviewer
description: Reviews
tools: Read, Bash(git log:*)
disallowedTools: Write, Bash(git log -p:*)
model: quick
permissionMode: dontAsk
effort: low
maxTurns: 7
max-cost: 3
color: purple
isolation: worktree
sandbox: required
network: npm
plan_required: true
initialPrompt: Look first.
skills: testing
hooks:
  Stop:
    - hooks:
        - type: command
          command: make
mcpServers: [github]
memory: project
---
You review.
`;

test("--agent, or the setting agent, gives the lead a role with its model by an alias; the flag comes first", async () => {
  await using it = await world();
  await using server = await ProviderServer.start({ strict: true });
  const env = providerEnvironment(server);
  const role = (name: string, model: string) =>
    `---\nname: ${name}\ndescription: b\nmodel: ${model}\n---\nYou are the ${name}.\n`;
  await it.write("config/troupe/agents/first.md", role("first", "quick"));
  await it.write("config/troupe/agents/second.md", role("second", "inherit"));
  await it.write(
    "config/troupe/config.json",
    '{ "agent": "first", "model": "anthropic/scripted", "model-aliases": { "quick": "anthropic/requested" } }',
  );
  server.reply(says("One."), says("Two."));

  const one = await troupeIn({ root: it.root, env }, "run", "Go.");
  const two = await troupeIn({ root: it.root, env }, "run", "Go.", "--fresh", "--agent", "second");

  expect([one.out, two.out]).toEqual([["One."], ["Two."]]);
  const [first, second] = server.requests.map(({ body }) => body);
  expect(JSON.stringify(first?.system)).toContain("You are the first.");
  expect(JSON.stringify(second?.system)).toContain("You are the second.");
  expect([first?.model, second?.model]).toEqual(["requested", "scripted"]);
});

/** A person's own roles, and an alias for a model. */
async function world() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const files = {
    "config/troupe/agents/reviewer.md": everything,
    "config/troupe/agents/wrong.md": "---\nname: wrong\ndescription: Is wrong\nmaxturns: 3\n---\n",
    "config/troupe/agents/broken.md": "no fields",
    "config/troupe/config.json": '{ "model-aliases": { "quick": "anthropic/claude-haiku-5" } }',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return {
    root,
    write: (path: string, text: string) => writeFile(join(root, path), text),
    run: (...argv: string[]) => troupeIn({ root, env: {} }, "agents", ...argv),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("agents lists roles, says which cannot be used, and names broken files", async () => {
  await using it = await world();

  const { code, out } = await it.run();

  const text = out.join("\n");
  expect(code).toBe(0);
  expect(text).toContain("reviewer: Reviews\n");
  expect(text).toMatch(/wrong: Is wrong\n.*wrong\.md\n {2}not usable: .*"maxturns" is not known/);
  expect(text).toMatch(/broken: .*broken\.md/);
});

test("agents --json shows what of a role is in force, by the names that the file has", async () => {
  await using it = await world();

  const { out } = await it.run("reviewer", "--json");

  const { roles } = JSON.parse(out.join("\n"));
  expect(roles[0].in_force).toEqual({
    tools: expect.arrayContaining(["read_file", "bash", "bash(git log:*)"]),
    disallowedTools: ["write_file", "bash(git log -p:*)"],
    model: "anthropic/claude-haiku-5",
    permissionMode: "dontAsk",
    effort: "low",
    maxTurns: 7,
    "max-cost": 3,
    color: "magenta",
    isolation: "checkout",
    sandbox: "required",
    network: ["npm"],
    plan_required: true,
    initialPrompt: "Look first.",
    skills: ["testing"],
    hooks: { Stop: [expect.objectContaining({ hooks: [expect.anything()] })] },
    mcpServers: ["github"],
    text: "11 characters in the system prompt",
  });
  expect(roles[0].ignored).toMatchObject([{ field: "memory" }]);
});

test("agents with a name shows the fields of the file, and an unknown name is an error", async () => {
  await using it = await world();

  const { out } = await it.run("reviewer");
  const unknown = await it.run("reviewr");

  const text = out.join("\n");
  expect(text).toMatch(/maxTurns +7/);
  expect(text).toMatch(/max-cost +3/);
  expect(text).toMatch(/Without effect:\n {2}memory is not supported/);
  expect(text).not.toMatch(/max_turns|max_cost|disallowed_tools|asks_nobody/);
  expect(unknown.err.join("\n")).toContain("Did you mean reviewer?");
});
