import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stall } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { pixel } from "../support/pixel.ts";
import { noTmux } from "../support/tmux.ts";
import { atRest, inLine, openOnServer, openTroupe } from "../support/troupe-in-tmux.ts";

test.skipIf(noTmux)(
  "a mentioned file is completed and attached, as are lines of one, a directory and an image",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start({ strict: true });
    server.reply(says("I see."));
    const source = join(directory.path, "work", "src");
    await mkdir(source, { recursive: true });
    await writeFile(join(source, "parser.ts"), "export const answer = 42;\n");
    await writeFile(join(directory.path, "work", "notes.md"), "first\nsecond\nthird\n");
    await writeFile(join(directory.path, "work", "shot.png"), Buffer.from(pixel.data, "base64"));
    await using terminal = await openOnServer(directory.path, server);
    await terminal.shows("›");

    await terminal.type("explain @pars");
    await terminal.shows("@src/parser.ts");
    await terminal.press("Tab");
    await terminal.shows("› explain @src/parser.ts");
    await terminal.type("with @notes.md:2-3 from @src and ");
    await terminal.paste("@shot.png");
    await terminal.press("Enter");
    await terminal.shows("I see.");

    const screen = await terminal.history();
    expect(screen).toContain("attached src/parser.ts (1 line)");
    expect(screen).toContain("attached notes.md:2-3 (2 lines)");
    expect(screen).toContain("attached src/ (1 entry)");
    expect(screen).toMatch(/attached shot\.png/);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("export const answer = 42;");
    expect(sent).toMatch(/second.{1,4}third/);
    expect(sent).not.toMatch(/first.{1,4}second/);
    expect(sent).toContain("image/png");
    expect(server.refusals).toEqual([]);
  },
);

test.skipIf(noTmux)(
  "an image that is dropped on the terminal is attached, from outside the workspace too",
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await ProviderServer.start({ strict: true });
    server.reply(says("A pixel."));
    await mkdir(join(directory.path, "my pictures"));
    const path = join(directory.path, "my pictures", "shot.png");
    await writeFile(path, Buffer.from(pixel.data, "base64"));
    await using terminal = await openOnServer(directory.path, server);
    await terminal.shows("ctrl-d quit");

    await terminal.type("what is ");
    await terminal.paste(path.replaceAll(" ", "\\ "));
    await terminal.shows("› what is [image shot.png]");
    await terminal.press("BSpace");
    await terminal.shows(/› what is\s*$/m);
    await terminal.paste(`'${path}' `);
    await terminal.shows("› what is [image shot.png]");
    await terminal.press("Enter");
    await terminal.shows("A pixel.");

    expect(await terminal.history()).toMatch(/attached \S*[\s\S]*shot\.png \(image\/png, 1 kB\)/);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("image/png");
    await atRest(terminal);
    await terminal.press("Up");
    await terminal.shows(inLine("what is [image shot.png]"));
    expect(server.refusals).toEqual([]);
  },
);

test.skipIf(noTmux)("Ctrl-R finds what was sent, and Ctrl-L draws the screen again", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("ctrl-d quit");
  for (const line of ["/team", "/tasks", "/cost"]) await terminal.enter(line);

  await terminal.press("C-r");
  await terminal.type("ta");
  await terminal.shows(/^search “ta” › \/tasks$/m);
  await terminal.press("Enter");
  await terminal.shows(inLine("/tasks"));
  await terminal.press("C-u");
  await terminal.scribble("\\033[HSCRIBBLE\\033[3BSCRIBBLE");
  await terminal.shows("SCRIBBLE");
  await terminal.press("C-l");
  await terminal.until(async () => !(await terminal.screen()).includes("SCRIBBLE"), "no scribble");
  await terminal.shows(/^── lead/m);
});

test.skipIf(noTmux)("Alt-D cuts a word, and Alt-/ redoes what was undone", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("ctrl-d quit");

  await terminal.type("one two");
  await terminal.press("C-a");
  await terminal.press("M-d");
  await terminal.shows(/^› {2}two$/m);
  await terminal.press("C-_");
  await terminal.shows(/^› one two$/m);
  await terminal.press("M-/");
  await terminal.shows(/^› {2}two$/m);
});

test.skipIf(noTmux)("a long block says while it is written how many lines are above", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
  server.reply(stall(says(`\`\`\`\n${lines.join("\n")}\n\`\`\``), 4_000));
  await using terminal = await openOnServer(directory.path, server);
  await terminal.shows("ctrl-d quit");

  await terminal.enter("count");
  await terminal.shows(/… \d+ lines above/);
  server.release();
  await terminal.shows("line 200");
  await terminal.until(
    async () => !(await terminal.screen()).includes("lines above"),
    "the whole block",
  );
  expect(await terminal.history()).toMatch(/^ *line 1$/m);
});

test.skipIf(noTmux)(
  "Shift-Enter begins a new line, where the terminal tells it from Enter",
  async () => {
    await using directory = await temporaryDirectory();
    await using terminal = await openTroupe(directory.path);
    await terminal.shows("ctrl-d quit");

    // The terminal is asked to tell keys apart.
    await terminal.hasWritten((output) => output.includes("\x1b[>1u"));
    await terminal.type("first");
    // As a terminal with the kitty keyboard protocol sends it.
    await terminal.type("\x1b[13;2u");
    await terminal.type("second");

    await terminal.shows(/^› first\n {2}second$/m);
  },
);
