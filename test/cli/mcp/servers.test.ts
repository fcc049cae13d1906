import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configured } from "../settings/configured.ts";
import { troupe, troupeIn } from "../troupe.ts";

const program = join(process.cwd(), "test/support/faulty-mcp-server.mjs");
const command = [process.execPath, program, "none"] as const;

test("servers are added to and removed from the person's own settings, and all else stays", async () => {
  await using it = await configured({ user: { "permission-mode": "plan" } });
  await chmod(it.paths.user, 0o640);

  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a settings file
  const header = "Authorization=Bearer ${TOKEN}";
  await troupe(it.root, "mcp", "add", "web", "--url", "https://example.com/", "--header", header);
  const added = await troupe(it.root, "mcp", "add", "it", "--env", "A=b=c", "--", ...command);
  const again = await troupe(it.root, "mcp", "add", "it", "--", "other");
  const both = JSON.parse(await readFile(it.paths.user, "utf8"));
  await troupe(it.root, "mcp", "remove", "web");
  const twice = await troupe(it.root, "mcp", "remove", "web");

  expect(added).toMatchObject({ code: 0, err: [] });
  expect(both).toEqual({
    "permission-mode": "plan",
    mcpServers: {
      web: {
        ...{ type: "http", url: "https://example.com/" },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a settings file
        headers: { Authorization: "Bearer ${TOKEN}" },
      },
      it: { command: command[0], args: command.slice(1), env: { A: "b=c" } },
    },
  });
  expect(again.code).toBe(2);
  expect(again.err[0]).toContain("already has an MCP server it");
  expect(twice.code).toBe(2);
  expect(JSON.parse(await readFile(it.paths.user, "utf8")).mcpServers).toHaveProperty("it");
  expect((await stat(it.paths.user)).mode & 0o777).toBe(0o640);
});

test.each([
  [["add", "it"], "needs a command"],
  [["add", "it", "--url", "https://a/", "--", "b"], "needs a command"],
  [["add", "it", "--env", "A", "--", "b"], "--env must be <name>=<value>"],
  [["add", "IT", "--", "b"], "a server's name has"],
  [["remove"], "Missing argument"],
  [["lst"], "Unexpected argument: lst"],
])("`troupe mcp %j` is refused and writes nothing", async (words, problem) => {
  await using it = await configured();

  const { code, err } = await troupe(it.root, "mcp", ...words);

  expect(code).toBe(2);
  expect(err[0]).toContain(problem);
  await expect(stat(it.paths.user)).rejects.toThrow("ENOENT");
});

test("the list says of each server where it is from and why it is not used", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a settings file
  const unset = { command: "b", env: { B: "${NOT_SET}" } };
  const mcpServers = { a: { command: "a" }, off: { command: "c", disabled: true }, unset };
  await using it = await configured({ user: { mcpServers } });
  const theirs = { a: { command: "x" }, theirs: { type: "sse", url: "https://y/" }, Bad: {} };
  await mkdir(it.root, { recursive: true });
  await writeFile(join(it.root, ".mcp.json"), JSON.stringify({ mcpServers: theirs }));
  const reasons = async () => {
    const { out } = await troupe(it.root, "mcp", "list", "--json");
    const { servers, problems } = JSON.parse(out.join("\n"));
    const told = servers.map((server: { name: string; reason: string | null }) => [
      server.name,
      server.reason,
    ]);
    return { told, problems };
  };

  const untrusted = await reasons();
  await troupe(it.root, "trust");
  const trusted = await reasons();

  const distrust = expect.stringContaining("not trusted");
  expect(untrusted.told).toEqual([
    ...[
      ["a", null],
      ["off", "it is disabled"],
    ],
    ["unset", expect.stringContaining("not set: NOT_SET")],
    ...[
      ["a", distrust],
      ["theirs", distrust],
    ],
  ]);
  expect(trusted.told.slice(3)).toEqual([
    ["a", expect.stringContaining("has one of that name")],
    ["theirs", null],
  ]);
  expect(untrusted.problems).toEqual([expect.stringMatching(/\.mcp\.json: mcpServers\.Bad: /)]);
});

test("a test connects to a server, says what it is, and hides its secrets", async () => {
  await using it = await configured();
  const env = { VALUE: "ghp_canary4f8Gq2Lw9ZkT" };
  const server = (fault: string) => ({ command: process.execPath, args: [program, fault], env });
  const mcpServers = { good: server("none"), bad: server("exits-with-token") };
  await it.write("user", { mcpServers });

  const good = await troupeIn({ root: it.root, env: {} }, "mcp", "test", "good");
  const bad = await troupe(it.root, "mcp", "test", "bad");

  expect(good).toMatchObject({ code: 0, err: [] });
  expect(good.out).toEqual([
    expect.stringMatching(/^good: faulty 1, protocol 20/),
    "Tools (1): say",
  ]);
  expect(bad.code).toBe(1);
  expect(bad.err[0]).toContain("[key] is refused");
});
