import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { calls, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { outputsOf, referenceServer, teamWith } from "../support/mcp-team.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A real server that is reached by HTTP, until it is disposed. */
async function startRemote(transport: "streamableHttp" | "sse") {
  const port = await freePort();
  const { command, args } = referenceServer("everything", transport);
  const env = { PATH: process.env.PATH, PORT: `${port}` };
  const child = spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  await once(child.stderr, "data");
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

test.each([
  ["http", "streamableHttp", "mcp"],
  ["sse", "sse", "sse"],
] as const)("a member calls a tool of a server of the type %s", async (type, transport, path) => {
  await using directory = await temporaryDirectory();
  await using remote = await startRemote(transport);
  const servers = { all: { type, url: `http://127.0.0.1:${remote.port}/${path}` } };
  const model = new ScriptedModel([
    calls("mcp_call", { tool: "mcp__all__echo", input: { message: "hi" } }),
    says("done"),
  ]);
  const { team, warnings } = await teamWith(directory.path, model, {
    servers,
    mode: "bypassPermissions",
  });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();

  expect(outputsOf(model)).toMatchObject([{ output: "Echo: hi", is_error: false }]);
  expect(warnings).toEqual([]);
});

test("a server that wants a login is an error and one notice, and headers are sent to it", async () => {
  await using directory = await temporaryDirectory();
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const model = new ScriptedModel([
    calls("mcp_call", { tool: "mcp__all__echo", input: {} }),
    says("done"),
  ]);
  const { team, warnings } = await teamWith(directory.path, model, {
    servers: { all: { type: "http", url, headers: { Authorization: `Bearer \${MINE}` } } },
    env: { PATH: process.env.PATH, HOME: directory.path, MINE: "t0ken" },
    mode: "bypassPermissions",
  });
  await using _ = team;

  await team.prompt("go");
  await team.quiet();
  server.close();

  expect(outputsOf(model)).toMatchObject([
    {
      output: expect.stringMatching(/not available: it refuses the request \(HTTP 401\)/),
      is_error: true,
    },
  ]);
  expect(warnings).toHaveLength(1);
  expect(new Set(seen)).toEqual(new Set(["Bearer t0ken"]));
});

test("with five servers and 200 tools, a request has at most 1,200 bytes more of tools than without", async () => {
  await using directory = await temporaryDirectory();
  const program = { command: process.execPath, args: ["test/support/faulty-mcp-server.mjs"] };
  const entry = { ...program, args: [`${process.cwd()}/${program.args[0]}`, "forty-tools"] };
  const servers = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, entry]));
  const first = new ScriptedModel([calls("mcp_search", {}), says("known")]);
  {
    const { team } = await teamWith(directory.path, first, { servers });
    await using _ = team;
    await team.prompt("look");
    await team.quiet();
  }
  const sizes: number[] = [];
  for (const configured of [{}, servers]) {
    const model = new ScriptedModel([says("done")]);
    const { team } = await teamWith(directory.path, model, { servers: configured, fresh: true });
    await using _ = team;
    await team.prompt("go");
    await team.quiet();
    sizes.push(JSON.stringify(model.requests[0]?.tools).length);
  }

  const [without = 0, withServers = 0] = sizes;
  expect(outputsOf(first)[0]?.output).toMatch(/a \(40 tools\); b \(40 tools\)/);
  expect(withServers - without).toBeLessThan(1_200);
  expect(withServers).toBeGreaterThan(without);
});
