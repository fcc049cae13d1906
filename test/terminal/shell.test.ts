import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux } from "../support/tmux.ts";
import { openOnServer, program } from "../support/troupe-in-tmux.ts";

test.skipIf(noTmux)(
  "in a shell, piped text goes with a prompt, is one for -, and options and models are completed",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    server.reply(says("A good change."), says("From the pipe."));
    await using terminal = await openOnServer(directory.path, server, {
      command: ["bash", "--norc", "--noprofile", "-i"],
      env: { PS1: "shell> ", TROUPE_MODEL: "anthropic/claude-opus-5" },
    });
    await terminal.shows("shell>");
    await terminal.enter(`troupe() { ${process.execPath} ${program} "$@"; }; clear`);
    await terminal.enter("printf '%s\\n' '+ one line' | troupe run 'Review this.'");
    await terminal.shows("A good change.");
    await terminal.enter("echo 'Say from where.' | troupe run -");
    await terminal.shows("From the pipe.");

    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/Review this\..*\+ one line/);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("Say from where.");
    await terminal.enter("source <(troupe completion bash); echo rea''dy");
    await terminal.shows(/^ready$/m);
    await terminal.type("troupe --mo");
    await terminal.press("Tab");
    await terminal.shows("troupe --model");
    await terminal.type("reh");
    await terminal.press("Tab");
    await terminal.shows("troupe --model rehearsal");
    await terminal.press("C-c");
    await terminal.enter("exit");
    await terminal.shows("exit code");
  },
);
