import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux } from "../support/tmux.ts";
import { atRest, inAnotherShell, inLine, openOnServer } from "../support/troupe-in-tmux.ts";

const freely = { argv: ["--permission-mode", "bypassPermissions"] };

test.skipIf(noTmux)(
  "P40 an edit that needed no question shows its diff, and a command the end of its output",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    const command = "for i in $(seq 1 30); do echo line $i; done; echo '3 failed'; exit 1";
    server.reply(
      calls("write_file", { path: "a.ts", content: "let a = 1;\nlet b = 2;\n" }),
      calls("edit_file", { path: "a.ts", old_text: "let b = 2;", new_text: "let b = 3;" }),
      calls("bash", { command }),
      says("All done."),
    );
    await using terminal = await openOnServer(directory.path, server, freely);
    await terminal.shows("›");

    await terminal.enter("Go.");
    await terminal.shows("All done.");

    const shown = await terminal.history();
    expect(shown).toMatch(/1 \+ let a = 1;\n +2 \+ let b = 2;/);
    expect(shown).toMatch(/- let b = 2;\n +\+ let b = 3;/);
    expect(shown).toMatch(/✗ exit 1, 31 lines \(ctrl-o opens\), the last 8:/);
    expect(shown).toMatch(/line 30\n +3 failed/);
    expect(shown).not.toMatch(/^ +line 2$/m);
  },
);

test.skipIf(noTmux)(
  "P40 Ctrl-O opens the whole of an output, h a member's history, and another shell prints both",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    server.reply(calls("bash", { command: "seq 1001 1060" }), says("All done."));
    await using terminal = await openOnServer(directory.path, server, freely);
    await terminal.shows("›");
    await terminal.enter("Count.");
    const before = await terminal.shows("All done.");

    await terminal.press("C-o");
    const opened = await terminal.shows(/^ +(└ )?1001$/m);
    await terminal.press("G");
    await terminal.shows(/^ *1060$/m);
    await terminal.press("h");
    await terminal.shows(/1060[\s\S]*All done\./);
    await terminal.press("g");
    await terminal.shows(/› Count\.[\s\S]*● bash seq 1001 1060/);
    await terminal.press("q");
    await terminal.shows(inLine(""));

    expect(before).not.toMatch(/^ *1001$/m);
    expect(opened).not.toMatch(/^ *1060$/m);
    // The pages leave no trace above.
    expect((await terminal.history()).match(/^ *1002$/gm)).toBeNull();
    expect(await inAnotherShell(directory.path, "show")).toMatch(/└ 1001\n[\s\S]*^ *1060$/m);
    const log = await inAnotherShell(directory.path, "log");
    const [, id = ""] = /\((troupe show \S+) prints all of it\)/.exec(log) ?? [];
    expect(await inAnotherShell(directory.path, ...id.split(" ").slice(1))).toContain("1030");
  },
);

test.skipIf(noTmux)("P40 a long command, message and error are each opened in full", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start();
  const rows = (word: string) => Array.from({ length: 40 }, (_, index) => `${word} ${index + 1}`);
  const steps = [
    calls("spawn_teammate", { name: "alice", role: "coder", prompt: "You rest." }),
    calls("bash", { command: rows("# command").join("\n") }),
    calls("send_message", { to: "alice", content: rows("mail").join("\n") }),
    calls("read_file", { path: `nowhere/${"a-long-name-".repeat(15)}.ts` }),
    says("All done."),
  ];
  server.replyWith(({ body }) => {
    const isLeads = JSON.stringify(body.messages).includes("Go.");
    return isLeads ? (steps.shift() ?? says("Good.")) : says("I rest.");
  });
  await using terminal = await openOnServer(directory.path, server, freely);
  await terminal.shows("›");
  await terminal.enter("Go.");
  await terminal.shows("All done.");
  await atRest(terminal);

  await terminal.press("C-o");
  await terminal.shows(/✗ Error:[\s\S]*Look for it with glob\.[\s\S]*q closes/);
  await terminal.press("p");
  await terminal.shows(/✉ lead → alice[\s\S]*^ *mail 2$/m);
  await terminal.press("G");
  await terminal.shows(/^ *mail 40$/m);
  await terminal.press("p");
  await terminal.shows(/# command 2$/m);
  await terminal.press("G");
  await terminal.shows(/# command 40$/m);
  await terminal.press("q");
  const closed = await terminal.shows(inLine(""));

  expect(closed).not.toMatch(/# command 40|mail 40/);
});
