import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { Tmux } from "../../support/tmux.ts";

const program = resolve("dist/cli/main.js");

/** The published program on a real terminal, with a lead that needs not ask. */
async function startedIn(directory: string, server: ProviderServer): Promise<Tmux> {
  const workspace = join(directory, "work");
  await mkdir(workspace);
  const argv = ["--model", "anthropic/claude-test", "--permission-mode", "bypassPermissions"];
  return await Tmux.start({
    directory,
    cwd: workspace,
    command: [process.execPath, program, ...argv],
    env: {
      TERM: "xterm-256color",
      XDG_STATE_HOME: join(directory, "state"),
      XDG_CONFIG_HOME: join(directory, "config"),
      CI: "",
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: server.url,
    },
  });
}

test("P40 work that needs no question is shown, and opened in full without a trace", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const command = "for i in $(seq 60); do echo row $i.; done; echo 3 failed; exit 1";
  server.reply(
    calls("write_file", { path: "a.ts", content: "export const one = 1;\n" }),
    calls("edit_file", { path: "a.ts", old_text: "one = 1", new_text: "two = 2" }),
    calls("bash", { command }),
    says("The tests fail."),
  );
  await using terminal = await startedIn(directory.path, server);
  await terminal.shows("Say what you want done");

  await terminal.type("Run the tests.");
  await terminal.press("Enter");
  const done = await terminal.shows("The tests fail.");
  expect(done).toMatch(/└ Edited a\.ts\n {4}- one = 1\n {4}\+ two = 2\n/);
  expect(done).toContain("✗ exit 1, 61 lines (ctrl-o opens), the last 8:");
  expect(done).toMatch(/ {4}row 60\.\n {4}3 failed\n/);
  expect(done).not.toContain("row 1.");

  await terminal.press("C-o");
  await terminal.shows(/ {2}✗ exit 1\n {4}row 1\.\n/);
  await terminal.press("h");
  await terminal.shows("everything that lead saw, said and did");
  await terminal.press("g");
  await terminal.shows(/› Run the tests\./);
  await terminal.press("q");
  await terminal.shows("The tests fail.");

  const after = await terminal.history();
  expect(after).not.toMatch(/everything that lead saw|row 1\./);
  expect(after.match(/Edited a\.ts/g)).toHaveLength(1);
});
