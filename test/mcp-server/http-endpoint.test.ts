import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { HttpEndpoint } from "../../src/mcp-server/http-endpoint.ts";
import type { Offer } from "../../src/mcp-server/open-server.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { defineTool, success } from "../../src/tools/tool.ts";
import { connectTo, eras } from "../support/mcp-client.ts";

/** An offer whose tool says who calls, whatever the arguments say. */
function offerTo(name: string): Offer {
  const whoami = defineTool({
    name: "whoami",
    description: "Who calls.",
    input: z.object({ member: z.string().optional() }),
    action: () => ({ type: "coordinate" }),
    run: async (_, { member }) => success(member),
  });
  return {
    info: { name: "test", version: "1" },
    instructions: "",
    tools: [{ tool: whoami, title: "Who", isReadOnly: true }],
    resources: { list: async () => [], read: async () => undefined },
    caller: { member: MemberName.parse(name), cwd: "/", clock: systemClock, mask: (it) => it },
    onFailure: (error) => {
      throw error;
    },
  };
}

/** Sends a request as it is; `fetch` would not set these headers. */
function send(
  { port }: HttpEndpoint,
  { path = "/mcp", ...headers }: Record<string, string>,
  body: string = JSON.stringify(toolsList),
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const type = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const all = { Host: `127.0.0.1:${port}`, ...type, ...headers };
    const options = { host: "127.0.0.1", port, path, method: "POST", headers: all };
    const sent = request(options, async (answer) => {
      resolve({ status: answer.statusCode, body: await text(answer) });
    });
    sent.on("error", reject);
    if (headers["Content-Length"]) sent.flushHeaders();
    else sent.end(body);
  });
}

const toolsList = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test.each(eras)("P13 the secret says who calls, and no argument does (%s era)", async (era) => {
  await using endpoint = await HttpEndpoint.open();
  const alice = endpoint.admit(offerTo("alice"));
  const bob = endpoint.admit(offerTo("bob"));
  await using one = await connectTo(endpoint.url, alice.secret, era);
  await using other = await connectTo(endpoint.url, bob.secret, era);

  expect(await one.call("whoami", { member: "bob" })).toBe("alice");
  expect(await other.call("whoami", { member: "lead" })).toBe("bob");
  expect(alice.secret).not.toBe(bob.secret);
  expect(Buffer.from(alice.secret, "base64url")).toHaveLength(32);
});

test("P13 a secret that was withdrawn is unknown, also to a client that is connected", async () => {
  await using endpoint = await HttpEndpoint.open();
  const first = endpoint.admit(offerTo("alice"));
  await using mcp = await connectTo(endpoint.url, first.secret, "modern");
  await mcp.call("whoami");

  await first[Symbol.asyncDispose]();
  const second = endpoint.admit(offerTo("alice"));

  await expect(mcp.call("whoami")).rejects.toThrow();
  await expect(connectTo(endpoint.url, first.secret, "legacy")).rejects.toThrow();
  await using again = await connectTo(endpoint.url, second.secret, "legacy");
  expect(await again.call("whoami")).toBe("alice");
});

test("without the secret, under another name, or from a page of a browser nothing is served", async () => {
  await using endpoint = await HttpEndpoint.open();
  const { secret } = endpoint.admit(offerTo("alice"));
  const { port } = endpoint;
  const Authorization = `Bearer ${secret}`;

  const allowed = await send(endpoint, { Authorization });
  const statuses = await Promise.all(
    [
      {},
      { Authorization: "Bearer " },
      { Authorization: `Bearer ${secret.slice(1)}` },
      { Authorization: `Bearer ${secret}x` },
      { Authorization: `Basic ${secret}` },
      { Authorization, Host: `localhost:${port}` },
      { Authorization, Host: `evil.example:${port}` },
      { Authorization, Host: "127.0.0.1" },
      { Authorization, Origin: "http://evil.example" },
      { Authorization, Origin: `http://localhost:${port}` },
      { Authorization, Origin: "null" },
      { Authorization, path: "/" },
      { Authorization, path: `http://evil.example:${port}/mcp` },
    ].map(async (headers) => (await send(endpoint, headers)).status),
  );

  expect(allowed.status).toBe(200);
  expect(allowed.body).toContain("whoami");
  expect(statuses).toEqual([401, 401, 401, 401, 401, 421, 421, 421, 403, 403, 403, 404, 421]);
});

test("a body that says it is too large is refused unread, and one that is no JSON is refused", async () => {
  await using endpoint = await HttpEndpoint.open();
  const { secret } = endpoint.admit(offerTo("alice"));
  const Authorization = `Bearer ${secret}`;

  const large = await send(endpoint, { Authorization, "Content-Length": "2000000" });
  const wrong = await send(endpoint, { Authorization }, "{");

  expect(large.status).toBe(413);
  expect(wrong.status).toBe(400);
  expect((await send(endpoint, { Authorization })).status).toBe(200);
});

test("a body without a length that goes on for too long is not read to its end", async () => {
  await using endpoint = await HttpEndpoint.open();
  const { secret } = endpoint.admit(offerTo("alice"));
  const Authorization = `Bearer ${secret}`;
  const headers = { Authorization, "Transfer-Encoding": "chunked" };

  const endless = await send(endpoint, headers, " ".repeat(20_000_000)).catch(() => undefined);

  // The connection is closed while the client still writes, so that it may not see the answer.
  expect([413, undefined]).toContain(endless?.status);
  expect((await send(endpoint, { Authorization })).status).toBe(200);
});

test("an endpoint with as many callers as it takes refuses more, and takes them again when one has gone", async () => {
  await using endpoint = await HttpEndpoint.open();
  const admitted = Array.from({ length: 64 }, () => endpoint.admit(offerTo("alice")));

  expect(() => endpoint.admit(offerTo("bob"))).toThrow("64 callers are connected already");
  await admitted[0]?.[Symbol.asyncDispose]();
  expect(endpoint.admit(offerTo("bob")).secret).toBeTruthy();
});
