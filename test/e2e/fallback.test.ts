import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { status } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";

const program = resolve("dist/cli/main.js");
const claude = "anthropic/claude-sonnet-5";
const gpt = "openai/gpt-6-sol";

test("P23 the program goes on with the second model when the first is overloaded, and says so", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(({ api }) => (api === "anthropic" ? status(529) : says("From the second.")));
  const troupe = async (...argv: string[]) => {
    const child = spawn(process.execPath, [program, ...argv], {
      cwd: directory.path,
      env: {
        PATH: process.env.PATH,
        HOME: directory.path,
        XDG_STATE_HOME: join(directory.path, "state"),
        ...providerEnvironment(server),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { out, err, code };
  };

  const { out, err, code } = await troupe(
    ...["run", "Go.", "--model", `${claude},${gpt}`, "--fallback-after", "0.1"],
  );

  expect({ out, code }, err).toEqual({ out: "From the second.\n", code: 0 });
  expect(err).toContain(`${gpt} answers instead of ${claude}: the provider is overloaded`);
  const cost = JSON.parse((await troupe("cost", "--json")).out);
  expect(cost.members[0]).toMatchObject({ name: "lead", calls: 1, model: gpt });
  expect((await troupe("log", "lead")).out).toContain(`◇ model ${gpt}`);
});
