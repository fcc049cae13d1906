import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { pipesDirectory } from "../../src/keys/team-key.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { teamPlace } from "../support/team.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("the warm-up during the first request makes no request and prints nothing", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: "echo warm" }), says("It is.")],
  });
  const team = await wire.open({ allow: ["bash(echo:*)"] });

  await team.prompt("Is it warm?");
  const { result } = await team.quiet();

  expect(result).toBe("It is.");
  expect(wire.requestsOf("lead")).toHaveLength(2);
  expect(wire.server.requests).toHaveLength(2);
  expect(wire.server.refusals).toEqual([]);
  expect(wire.warnings).toEqual([]);
});

test.each([
  ["is made ready once the first request is sent", { isReachable: true }],
  ["is not made ready while no request can be sent", { isReachable: false }],
])("what the first command needs %s", async (_, { isReachable }) => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")] });
  await using deaf = await hangingUp();
  const { url } = isReachable ? wire.server : deaf;
  const team = await wire.open({ env: { ...wire.environment, ANTHROPIC_BASE_URL: url } });
  const events = team.events();

  await team.prompt("Hello?");
  for await (const { type } of events) if (type === "run-end" || type === "model-wait") break;
  await team.close();

  expect(existsSync(pipesDirectory(teamPlace(wire.root).keyPlace))).toBe(isReachable);
});

/** A server that ends each connection before TLS is agreed on, so that no request can be sent to it. */
async function hangingUp(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((socket) => socket.once("data", () => socket.destroy()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return {
    url: `https://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}
