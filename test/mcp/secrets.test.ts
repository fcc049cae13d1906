import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverSecrets } from "../../src/mcp/server-secrets.ts";
import { calls, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamWith } from "../support/mcp-team.ts";

const program = join(process.cwd(), "test/support/faulty-mcp-server.mjs");
const canary = "ghp_canary4f8Gq2Lw9ZkT";

async function watch(events: AsyncIterable<unknown>, seen: unknown[]): Promise<void> {
  for await (const event of events) seen.push(event);
}

/** Everything that is stored, shown and sent to the model in a run with servers that tell the variable they are given. */
async function everythingSeen(env: Record<string, string>): Promise<string> {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  const server = (fault: string) => ({ command: process.execPath, args: [program, fault], env });
  const model = new ScriptedModel([
    calls("mcp_search", { query: "says" }),
    calls("mcp_call", { tool: "mcp__tells__say", input: { text: "one" } }),
    calls("mcp_call", { tool: "mcp__exits__say", input: {} }),
    says("done"),
  ]);
  const seen: unknown[] = [];
  {
    const { team, warnings } = await teamWith(root, model, {
      servers: { tells: server("tells-token"), exits: server("exits-with-token") },
      mode: "bypassPermissions",
      env: { PATH: process.env.PATH, HOME: root, VARIABLE: canary },
    });
    await using _ = team;
    const watching = watch(team.events(), seen);
    await team.prompt("go");
    await team.quiet();
    seen.push(warnings);
    await team.close();
    await watching;
  }
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map((file) => readFile(join(file.parentPath, file.name), "utf8")),
  );
  return [...texts, JSON.stringify(seen), JSON.stringify(model.requests)].join("\n");
}

test("P24 a token that a server is given is masked, wherever the server repeats it", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a settings file
  const everything = await everythingSeen({ VALUE: "${VARIABLE}" });

  expect(everything).not.toContain(canary);
  expect(everything).toContain("Says a text with [key].");
  expect(everything).toContain("wrote: [key] is refused");
});

test("control: what is no secret is shown as the server says it", async () => {
  const everything = await everythingSeen({ VALUE: "production" });

  expect(everything).toContain("Says a text with production.");
  expect(everything).toContain("wrote: production is refused");
});

test.each([
  ["Authorization", "Bearer abcdefghijkl", "abcdefghijkl"],
  ["X-Custom", canary, canary],
  ["Cookie", "session=a1b2c3d4e5f6", "a1b2c3d4e5f6"],
  ["DATABASE", "postgres://me:pa55word!@db.example.com/main", "pa55word!"],
  ["API_KEY", "correcthorse", "correcthorse"],
])("P24 of %s=%s, %s is a secret", (name, value, secret) => {
  expect(serverSecrets({ it: { command: "it", env: { [name]: value } } }, {})).toContain(secret);
});

test.each([
  ["LOG_LEVEL", "informational"],
  ["HOME", "/home/somebody/x9y8z7a6b5"],
  ["REGION", "eu-central-1"],
  ["DATE", "2026-08-31"],
  ["Accept", "application/json, text/event-stream"],
  ["SERVICE", "https://api.example.com/v1"],
])("%s=%s is no secret", (name, value) => {
  expect(serverSecrets({ it: { command: "it", env: { [name]: value } } }, {})).toEqual([]);
});
