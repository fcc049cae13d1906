import { expect, test } from "vitest";
import { expandMcpServer, readMcpServers, variablesIn } from "../../src/protocol/mcp-servers.ts";

test("servers are read as other programs write them", () => {
  const { servers, errors, notes } = readMcpServers({
    files: { command: "npx", args: ["-y", "server"], env: { ROOT: "/tmp" } },
    github: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "x" } },
    old: { type: "sse", url: "https://example.com/sse" },
    short: { url: "https://example.com/mcp" },
  });

  expect(errors).toEqual([]);
  expect(notes).toEqual([]);
  expect(servers.files).toEqual({
    command: "npx",
    args: ["-y", "server"],
    env: { ROOT: "/tmp" },
  });
  expect(servers.github).toMatchObject({ type: "http" });
  expect(servers.old).toMatchObject({ type: "sse" });
  expect(servers.short).toMatchObject({ type: "http" });
});

test.each([
  [{ a: {} }, "mcpServers.a: needs a command, or a url"],
  [{ a: "npx" }, "mcpServers.a: must be an object with a command or a url"],
  [{ a: { command: "x", url: "y" } }, "has a command and a url"],
  [{ a: { command: 3 } }, "mcpServers.a: command: "],
  [{ a: { command: "x", args: "y" } }, "mcpServers.a: args: "],
  [{ a: { type: "http" } }, "mcpServers.a: url: "],
  [{ a: { type: "ws", url: "ws://x" } }, "the type ws is not supported"],
  [{ "My Server": { command: "x" } }, "mcpServers.My Server: a server's name has 1 to 24"],
  // A rule for the tools of `git` would cover those of this server.
  [{ git__hub: { command: "x" } }, "mcpServers.git__hub: a server's name"],
  [{ git_: { command: "x" } }, "mcpServers.git_: a server's name"],
  ["servers", "mcpServers must be an object"],
])("%j is an error that says what is wrong", (given, problem) => {
  const { servers, errors } = readMcpServers(given);

  expect(servers).toEqual({});
  expect(errors).toEqual([expect.stringContaining(problem)]);
});

test("an entry that is wrong leaves the others in force", () => {
  const { servers, errors } = readMcpServers({ good: { command: "x" }, bad: {} });

  expect(Object.keys(servers)).toEqual(["good"]);
  expect(errors).toHaveLength(1);
});

test("a field that has no effect is named", () => {
  const { servers, notes } = readMcpServers({ a: { command: "x", headersHelper: "y" } });

  expect(servers.a).toEqual({ command: "x" });
  expect(notes).toEqual(["mcpServers.a: headersHelper has no effect"]);
});

test("variables are replaced in commands, arguments, environments, directories, addresses and headers", () => {
  const variables = { NAME: "v", EMPTY: "" };

  expect(
    expandMcpServer(
      {
        command: `\${NAME}/bin`,
        args: [`\${NAME}\${NAME}`, `\${NONE:-d}`, `\${EMPTY:-d}`, `\${NONE:-}`],
        env: { KEY: `x\${NAME}` },
        cwd: `/\${NAME}`,
      },
      variables,
    ),
  ).toEqual({
    server: { command: "v/bin", args: ["vv", "d", "d", ""], env: { KEY: "xv" }, cwd: "/v" },
  });
  expect(
    expandMcpServer(
      { type: "http", url: `https://\${NAME}/`, headers: { A: `Bearer \${NAME}` } },
      variables,
    ),
  ).toEqual({ server: { type: "http", url: "https://v/", headers: { A: "Bearer v" } } });
});

test("a variable that is not set is named", () => {
  const server = { command: "x", args: [`\${ONE}`], env: { A: `\${TWO}\${ONE}` } };

  expect(expandMcpServer(server, {})).toEqual({ unset: ["ONE", "TWO"] });
  expect(variablesIn(server)).toEqual(["ONE", "TWO"]);
});
