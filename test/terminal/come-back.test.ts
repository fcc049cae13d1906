import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stall } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux } from "../support/tmux.ts";
import {
  atRest,
  inAnotherShell,
  inLine,
  openOnServer,
  openTroupe,
} from "../support/troupe-in-tmux.ts";

test.skipIf(noTmux)(
  "P40 after kill -9, what was said is rendered, and the message that was not answered is named",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    server.reply(says("The **first** of\n\n- one\n- two"), stall(says("Never."), "nothing"));
    {
      await using terminal = await openOnServer(directory.path, server);
      await terminal.shows("›");
      await terminal.enter("List them.");
      await terminal.shows("• two");
      await terminal.enter("And now?");
      await server.until(() => server.stalled === 1);
      process.kill(await terminal.pid(), "SIGKILL");
      await terminal.shows("exit code 137");
    }

    await using terminal = await openOnServer(directory.path, server);

    const screen = await terminal.shows("Your last message was not answered: the run was cut off.");
    expect(screen).toMatch(/› List them\.\n\nThe first of\n\n• one\n• two\n\n› And now\?/);
  },
);

test.skipIf(noTmux)(
  "an earlier team is listed and brought back, on the screen and from a shell",
  async () => {
    await using directory = await temporaryDirectory();
    await using terminal = await openTroupe(directory.path);
    await terminal.shows("›");
    await terminal.enter("Spawn alice as a coder. Then request her shutdown.");
    await terminal.shows("alice agreed to shut down.");
    await atRest(terminal);
    await terminal.enter("/new");
    await terminal.shows(/\/new[\s\S]*Say what you want done/);
    await terminal.enter("List teammates");
    await terminal.shows("● list_teammates");
    await atRest(terminal);

    await terminal.enter("/resume");
    await terminal.shows(
      /^ {2}1 {2}Spawn alice as a coder\. Then request her shutdown\.\n +archived \d{4}-[\d: -]+ · lead, alice · \$0\.00$/m,
    );
    await terminal.enter("/resume 1");
    await terminal.shows(/\/resume 1\n[\s\S]*alice agreed to shut down\.[\s\S]*›/);
    await terminal.press("C-d");
    await terminal.shows("exit code 0");

    const listed = await inAnotherShell(directory.path, "teams");
    expect(listed).toMatch(/^now {2}Spawn alice[\s\S]*^ {2}1 {2}List teammates/m);
    await using resumed = await openTroupe(directory.path, {
      argv: ["resume", "1", "--model", "rehearsal"],
    });
    await resumed.shows("● list_teammates");
  },
);

test.skipIf(noTmux)(
  "a prompt is taken back with what its tools changed, and what cannot be is named",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start();
    const file = join(directory.path, "work", "a.txt");
    server.reply(
      says("What shall I do?"),
      reply([
        calls("write_file", { path: "a.txt", content: "one\n" }),
        calls("bash", { command: "touch b.txt" }),
      ]),
      says("Written."),
    );
    const argv = ["--permission-mode", "bypassPermissions"];
    await using terminal = await openOnServer(directory.path, server, { argv });
    await terminal.shows("›");
    await terminal.enter("Hello.");
    await terminal.shows("What shall I do?");
    await terminal.enter("Write it.");
    await terminal.shows("Written.");
    await atRest(terminal);
    expect(existsSync(file)).toBe(true);

    await terminal.enter("/rewind 1");
    await terminal.shows(
      /remove +a\.txt\nWhat is not taken back:\n[\s\S]*command[\s\S]*touch b\.txt/,
    );
    await terminal.enter("/rewind 1 yes");
    await terminal.shows("Your prompt is in the line");
    await terminal.shows(inLine("Write it."));

    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(directory.path, "work", "b.txt"))).toBe(true);
  },
);

test.skipIf(noTmux)("/help lists the keys, /doctor checks, /export writes a page", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path, { rows: 90 });
  await terminal.shows("›");

  await terminal.enter("/help");
  await terminal.shows(
    /\/rewind [\s\S]*Keys on the screen:[\s\S]*Ctrl-X +selects the open question/,
  );
  await terminal.enter("/doctor");
  await terminal.shows(/ok +Node/i);
  await terminal.enter("/export page.html");
  await terminal.shows(/^Wrote .*page\.html/m);
  expect(existsSync(join(directory.path, "work", "page.html"))).toBe(true);
});
