import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { skillFile, writeFiles } from "../skills/skill-files.ts";
import { chooseQuestion } from "../support/chosen-question.ts";
import { noTmux } from "../support/tmux.ts";
import { atRest, openOnServer } from "../support/troupe-in-tmux.ts";

const steps = Array.from({ length: 30 }, (_, index) => `Step ${index + 1}.`).join("\n");

test.skipIf(noTmux)(
  "P40 a command of a file is completed, asks before it runs anything, and what was sent can be opened in full",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start({ strict: true });
    server.reply(says("I see."));
    await writeFiles(join(directory.path, "work"), {
      ".claude/commands/fix/issue.md": skillFile(
        "description: Fixes an issue\nargument-hint: [number]\nmodel: opus",
        `Fix issue $1: !\`touch made && echo ran\`\n${steps}`,
      ),
      ".claude/commands/help.md": "Mine.",
    });
    await using terminal = await openOnServer(directory.path, server, {
      argv: ["--sandbox", "off"],
    });
    await terminal.shows("ctrl-d quit");

    await terminal.type("/fix");
    await terminal.shows("/fix:issue");
    await terminal.press("Tab");
    await terminal.shows("› /fix:issue");
    await terminal.type("12");
    await terminal.press("Enter");
    await terminal.shows("/fix:issue asks for it");
    expect(server.requests).toEqual([]);
    await chooseQuestion(terminal);
    await terminal.press("y");
    await terminal.shows("I see.");
    await atRest(terminal);

    const sent = JSON.stringify(server.requests[0]?.body.messages[0]);
    expect(sent).toContain("Fix issue 12: ran");
    expect(sent).toContain("Step 30.");
    expect(await terminal.history()).toContain("model (opus) of /fix:issue has no effect");
    await terminal.enter("/show");
    await terminal.shows("q closes");
    await terminal.press("G");
    await terminal.shows("Step 30.");
    await terminal.press("q");
    await terminal.enter("/help");
    await terminal.shows("Keys on the screen");
    const help = await terminal.history();
    expect(help).toMatch(/\/fix:issue \[number\]\s+Fixes an issue/);
    // A long path is wrapped.
    expect(help.replaceAll(/\s/g, "")).toContain("help.mdisnotused:/helpisTroupe'sown");
    expect(server.refusals).toEqual([]);
  },
);
