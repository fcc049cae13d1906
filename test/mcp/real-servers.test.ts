import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { ListFiles } from "../../src/mcp/list-files.ts";
import { TeamServers } from "../../src/mcp/team-servers.ts";
import { lead } from "../../src/protocol/ids.ts";
import { calls, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { outputsOf, referenceServer, teamWith, toolNames } from "../support/mcp-team.ts";

/** Has a team learn what its servers offer. */
async function learn(root: string, servers: Parameters<typeof teamWith>[2]["servers"]) {
  const model = new ScriptedModel([calls("mcp_search", {}), says("known")]);
  const { team } = await teamWith(root, model, { servers });
  await using _ = team;
  await team.prompt("look");
  await team.quiet();
}

test("a member finds the tools of a server that nobody has asked yet, and calls one", async () => {
  await using directory = await temporaryDirectory();
  const model = new ScriptedModel([
    calls("mcp_search", { query: "echo" }),
    calls("mcp_call", { tool: "mcp__all__echo", input: { message: "hi" } }),
    says("done"),
  ]);
  const servers = { all: referenceServer("everything") };
  const { team } = await teamWith(directory.path, model, { servers, allow: ["mcp__all__*"] });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();

  const [found, called] = outputsOf(model);
  expect(found?.output).toMatch(/^mcp__all__echo: .*\nInput: \{.*"message"/);
  expect(found?.output).toContain("Servers: all (13 tools)");
  expect(called).toMatchObject({ output: "Echo: hi", is_error: false });
  model.assertDone();
});

test("a known server's tools are direct, the same after a restart, and called without waiting for others", async () => {
  await using directory = await temporaryDirectory();
  const servers = { all: referenceServer("everything") };
  await learn(directory.path, servers);
  const first = new ScriptedModel([
    calls("mcp__all__get-sum", { a: 2, b: 3 }),
    calls("mcp__all__get-tiny-image", {}),
    calls("mcp__all__get-structured-content", { location: "New York" }),
    says("done"),
  ]);
  const options = { servers, fresh: true, allow: ["mcp__all"] };
  {
    const { team, warnings } = await teamWith(directory.path, first, options);
    await using _ = team;
    await team.prompt("go");
    await team.quiet();
    expect(warnings).toEqual([]);
  }

  const [sum, image, structured] = outputsOf(first);
  expect(sum).toMatchObject({ output: "The sum of 2 and 3 is 5.", is_error: false });
  expect(image).toMatchObject({ images: [{ media_type: "image/png" }] });
  expect(structured?.output).toContain("temperature");
  const second = new ScriptedModel([says("again")]);
  const { team } = await teamWith(directory.path, second, { servers });
  await using _ = team;
  await team.prompt("again");
  await team.quiet();
  expect(second.requests[0]?.tools).toEqual(first.requests[0]?.tools);
  expect(toolNames(second)).toContain("mcp__all__echo");
});

test("servers work together, in files and in memory", async () => {
  await using directory = await temporaryDirectory();
  const { path } = directory;
  await writeFile(join(path, "a.txt"), "text of a");
  const servers = {
    files: referenceServer("filesystem", path),
    memory: { ...referenceServer("memory"), env: { MEMORY_FILE_PATH: join(path, "memory.jsonl") } },
  };
  const model = new ScriptedModel([
    calls("mcp_search", { query: "read text file" }),
    calls("mcp_call", {
      tool: "mcp__files__read_text_file",
      input: { path: join(path, "a.txt") },
    }),
    calls("mcp_call", {
      tool: "mcp__memory__create_entities",
      input: { entities: [{ name: "A", entityType: "letter", observations: ["first"] }] },
    }),
    says("done"),
  ]);
  const { team } = await teamWith(path, model, { servers, allow: ["mcp__files", "mcp__memory"] });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();

  expect(outputsOf(model)[1]).toMatchObject({ output: "text of a", is_error: false });
  expect(await readFile(join(path, "memory.jsonl"), "utf8")).toContain("first");
});

test("resources and prompts are listed and read, and bytes go to a file", async () => {
  await using directory = await temporaryDirectory();
  const { path } = directory;
  const model = new ScriptedModel([
    calls("mcp_read", { server: "all" }),
    calls("mcp_read", { server: "all", prompt: "args-prompt", arguments: { city: "Rome" } }),
    calls("mcp_read", { server: "all", uri: "demo://resource/dynamic/blob/2" }),
    calls("mcp_read", { server: "none" }),
    says("done"),
  ]);
  const servers = { all: referenceServer("everything") };
  const { team } = await teamWith(path, model, { servers, mode: "bypassPermissions" });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();

  const [listed, prompt, blob, none] = outputsOf(model);
  expect(listed?.output).toMatch(/^Resources:\n- demo:/);
  expect(listed?.output).toContain("Prompts:\n- simple-prompt()");
  expect(prompt?.output).toContain("Rome");
  expect(blob?.output).toMatch(/bytes, in .*\.bin\]/);
  expect(await readdir(join(path, ".team/outputs"))).toHaveLength(1);
  expect(none).toMatchObject({ is_error: true });
});

test("a call is asked about by default, and a deny rule beats an allow rule", async () => {
  await using directory = await temporaryDirectory();
  const servers = { all: referenceServer("everything") };
  const model = new ScriptedModel([
    calls("mcp_call", { tool: "mcp__all__echo", input: { message: "x" } }),
    calls("mcp_call", { tool: "mcp__all__get-env", input: {} }),
    says("done"),
  ]);
  const options = { servers, allow: ["mcp__all__*"], deny: ["mcp__all__get-env"] };
  const { team } = await teamWith(directory.path, model, { ...options, allow: [] });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();

  const [asked, denied] = outputsOf(model);
  expect(asked?.output).toMatch(/^Error: Denied: .*mcp__all__echo/);
  expect(denied?.output).toContain("Not permitted: the rule deny mcp__all__get-env");
});

test("P24 a server gets the variables of its entry and no keys", async () => {
  await using directory = await temporaryDirectory();
  const servers = {
    all: { ...referenceServer("everything"), env: { SEEN: "yes", TOKEN: `\${MY_TOKEN}` } },
  };
  const model = new ScriptedModel([
    calls("mcp_call", { tool: "mcp__all__get-env", input: {} }),
    says("done"),
  ]);
  const { team } = await teamWith(directory.path, model, {
    servers,
    mode: "bypassPermissions",
    env: {
      PATH: process.env.PATH,
      HOME: directory.path,
      MY_TOKEN: "mine",
      OTHER: "not-passed-on",
      ANTHROPIC_API_KEY: "sk-ant-secret-value",
    },
  });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();

  const [{ output } = { output: "" }] = outputsOf(model);
  expect(output).toContain('"SEEN": "yes"');
  expect(output).toContain('"TOKEN": "mine"');
  expect(output).not.toContain("OTHER");
  expect(output).not.toMatch(/ANTHROPIC_API_KEY|secret-value/);
});

test("a member of a role has the servers that it names, and its own", async () => {
  await using directory = await temporaryDirectory();
  const clock = systemClock;
  const files = new ListFiles(directory.path, () => undefined);
  await using team = new TeamServers({
    ...{ servers: { a: { command: "a" }, b: { command: "b" } }, root: "/", clock, files },
    ...{ variables: {}, withheld: [], onWarning: () => undefined },
    mask: (list) => list,
    open: () => Promise.reject(new Error("not to be opened")),
  });
  const user = { name: lead, root: "/", isApart: false, sandbox: "off" } as const;

  const own = { b: { command: "mine" }, c: { command: "c" } };
  const servers = team.of(user, { names: ["a", "b"], own });

  expect(team.of(user).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(servers.map(({ name, isTrusted }) => ({ name, isTrusted }))).toEqual([
    { name: "a", isTrusted: true },
    { name: "b", isTrusted: false },
    { name: "c", isTrusted: false },
  ]);
  expect(servers[1]?.entry).toEqual({ command: "mine" });
});
