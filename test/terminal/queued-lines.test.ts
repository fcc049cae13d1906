import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { troupeIn } from "../cli/troupe.ts";
import { noTmux } from "../support/tmux.ts";
import { inLine, openTroupe } from "../support/troupe-in-tmux.ts";

test.skipIf(noTmux)(
  "P01, P40 lines for a lead that works wait in sight, and one is changed before the lead sees it",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    // It works until the file is there.
    const command = "until [ -e go ]; do read -t 0.1 < /dev/zero; done; echo gone";
    server.reply(calls("bash", { command }), says("All done."));
    await using terminal = await openTroupe(directory.path, {
      argv: ["--model", "anthropic/claude-test", "--permission-mode", "bypassPermissions"],
      env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url },
    });
    await terminal.shows("›");
    await terminal.enter("Wait for the file.");
    await terminal.shows(/bash until/);

    await terminal.enter("first thought");
    await terminal.shows("⧗ to lead: first thought");
    await terminal.enter("secnd thought");
    await terminal.shows("⧗ to lead: secnd thought · up takes it back");
    await terminal.press("Up");
    await terminal.shows(inLine("secnd thought"));
    await terminal.press("C-u");
    await terminal.enter("second thought");
    await terminal.shows("⧗ to lead: second thought");
    // Taken back, and not sent again.
    await terminal.enter("never mind");
    await terminal.shows("⧗ to lead: never mind");
    await terminal.press("Up");
    await terminal.shows(inLine("never mind"));
    await terminal.press("C-u");
    await writeFile(join(directory.path, "work", "go"), "");
    const done = await terminal.shows("All done.");

    expect(done).not.toContain("⧗");
    expect(done).toMatch(/› first thought\n\n› second thought\n/);
    const shown = JSON.stringify(server.requests.at(-1)?.body);
    expect(shown).toContain("first thought");
    expect(shown).toContain("second thought");
    expect(shown).not.toMatch(/secnd|never mind/);
    const root = join(directory.path, "work");
    const { out } = await troupeIn({ root, env: {} }, "messages");
    expect(out.join("\n")).toMatch(/withdrawn .* user → lead: secnd thought/);
    expect(out.join("\n")).toMatch(/withdrawn .* user → lead: never mind/);
    expect(out.join("\n")).toMatch(/delivered .* user → lead: second thought/);
  },
);
