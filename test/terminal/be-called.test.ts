import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noTmux, type Tmux } from "../support/tmux.ts";
import { openTroupe } from "../support/troupe-in-tmux.ts";

/** Whether there is a bell that is not the end of a title. */
function hasRung(output: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
  return output.replaceAll(/\x1b\][^\x07]*\x07/g, "").includes("\x07");
}

/** Quits, and waits until all is there that the program has written. */
async function outputToTheEnd(terminal: Tmux): Promise<string> {
  await terminal.press("C-d");
  return await terminal.hasWritten((output) => output.includes("exit code 0"));
}

const schema =
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.";

test.skipIf(noTmux)("P40 a question rings the bell, and the title names who asks", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path);
  await terminal.shows("ctrl-d quit");

  await terminal.enter(schema);
  await terminal.shows("alice asks to run this");
  await terminal.until(
    async () => /alice asks.*troupe/.test(await terminal.format("#{pane_title}")),
    "a title that names alice",
  );

  await terminal.hasWritten(hasRung);

  // The title from before comes back.
  expect(await outputToTheEnd(terminal)).toContain("\x1b[23;2t");
});

test.skipIf(noTmux).each([
  ["on", { VTE_VERSION: "" }, "]9;troupe: the team is done"],
  // As terminals such as GNOME's set it.
  ["on", { VTE_VERSION: "7600" }, "]777;notify;troupe;troupe: the team is done"],
  ["off", {}, undefined],
])("with allow-passthrough %s and %j, tmux is given to pass on: %s", async (setting, env, told) => {
  await using directory = await temporaryDirectory();
  await using terminal = await openTroupe(directory.path, { env });
  await terminal.shows("ctrl-d quit");
  await terminal.set("allow-passthrough", setting);

  await terminal.enter("Hello.");
  await terminal.hasWritten(hasRung);
  const output = await outputToTheEnd(terminal);

  const passedOn = output.split("\x1bPtmux;\x1b\x1b").slice(1);
  expect(passedOn).toEqual(told === undefined ? [] : [expect.stringContaining(`${told}\x07`)]);
});

test.skipIf(noTmux)("with --notify off, the terminal is left alone", async () => {
  await using directory = await temporaryDirectory();
  const argv = ["--model", "rehearsal", "--notify", "off"];
  await using terminal = await openTroupe(directory.path, { argv });
  await terminal.shows("ctrl-d quit");

  await terminal.enter(schema);
  await terminal.shows("alice asks to run this");
  const output = await outputToTheEnd(terminal);

  expect(output).not.toContain("\x07");
  expect(output).not.toContain("\x1b]");
});
