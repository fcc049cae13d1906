import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { troupeIn } from "../cli/troupe.ts";
import { noTmux } from "../support/tmux.ts";
import { openTroupe } from "../support/troupe-in-tmux.ts";

test.skipIf(noTmux)(
  "P23, P40 a person changes the lead's model and effort, and finds both at the next start",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start({ strict: true });
    server.reply(says("From the first."), says("From the second."), says("And again."));
    const env = {
      ...{ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url },
      ...{ OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: `${server.url}/v1` },
      TROUPE_MODEL: "anthropic/claude-sonnet-5-5",
    };
    const opened = { argv: [], env, columns: 120, rows: 40 };
    {
      await using terminal = await openTroupe(directory.path, opened);
      await terminal.shows(/anthropic\/claude-sonnet-5-5 · default$/m);
      await terminal.enter("Who are you?");
      await terminal.shows("From the first.");
      await terminal.enter("/model");
      await terminal.shows(/^lead {2}anthropic\/claude-sonnet-5-5 {2}effort default$/m);
      await terminal.enter("/model google/gemini-4-argon");
      await terminal.shows("Set GOOGLE_GENERATIVE_AI_API_KEY or GOOGLE_API_KEY");
      await terminal.type("/model gpt-6-so");
      await terminal.shows(/^ {2}openai\/gpt-6-sol/m);
      await terminal.press("Tab");
      await terminal.press("Enter");
      await terminal.shows("Set for lead, from the next request on.");
      await terminal.shows(/openai\/gpt-6-sol · default$/m);
      await terminal.enter("/effort high");
      await terminal.shows(/^lead {2}openai\/gpt-6-sol {2}effort high$/m);
      await terminal.enter("/effort medium all");
      await terminal.shows(
        /^lead {2}openai\/gpt-6-sol {2}effort medium\nSet for all, from the next request on\.$/m,
      );
      await terminal.enter("And now?");
      await terminal.shows("From the second.");
      await terminal.press("C-d");
      await terminal.shows("exit code 0");
    }
    await using terminal = await openTroupe(directory.path, opened);
    await terminal.shows(/openai\/gpt-6-sol · default$/m);
    await terminal.enter("Still there?");
    await terminal.shows("And again.");

    expect(server.requests.map(({ api, body }) => [api, body.reasoning])).toMatchObject([
      ["anthropic", undefined],
      ["openai-responses", { effort: "medium" }],
      ["openai-responses", { effort: "medium" }],
    ]);
    expect(server.refusals).toEqual([]);
    const root = join(directory.path, "work");
    const { out } = await troupeIn({ root, env: {} }, "log", "lead");
    expect(out.join("\n")).toContain("openai/gpt-6-sol");
  },
);
