import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { outputsOf, teamWith } from "../support/mcp-team.ts";
import { noSandbox } from "../support/no-sandbox.ts";

const program = join(process.cwd(), "test/support/faulty-mcp-server.mjs");

/** What a call of a server says that writes a log outside its workspace, and whether the log is there afterwards. */
async function callFrom(sandbox: { mode: "required" | "off" }) {
  await using workspace = await temporaryDirectory();
  await using elsewhere = await temporaryDirectory();
  const log = join(elsewhere.path, "log");
  const inside = join(workspace.path, "server.mjs");
  await copyFile(program, inside);
  const model = new ScriptedModel([
    calls("mcp_call", { tool: "mcp__it__say", input: { text: "one" } }),
    says("done"),
  ]);
  const servers = { it: { command: process.execPath, args: [inside, "none", log] } };
  const options = { servers, mode: "bypassPermissions", sandbox } as const;
  const { team } = await teamWith(workspace.path, model, options);
  await using _ = team;
  await team.prompt("go");
  await team.quiet();
  return { output: outputsOf(model)[0]?.output ?? "", isWritten: existsSync(log) };
}

test.skipIf(noSandbox)(
  "P31 a server in a required sandbox starts, and writes nothing outside",
  async () => {
    const { output, isWritten } = await callFrom({ mode: "required" });

    expect(output).not.toContain("is not available");
    expect(isWritten).toBe(false);
  },
);

test("control: without a sandbox it writes there", async () => {
  const { output, isWritten } = await callFrom({ mode: "off" });

  expect(output).toBe("said one");
  expect(isWritten).toBe(true);
});
