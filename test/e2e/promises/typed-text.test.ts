import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { chooseQuestion } from "../../support/chosen-question.ts";
import { Tmux } from "../../support/tmux.ts";

const program = resolve("dist/cli/main.js");

/** The published program on a real terminal. */
async function startedIn(directory: string): Promise<Tmux> {
  const workspace = join(directory, "work");
  await mkdir(workspace);
  return await Tmux.start({
    directory,
    cwd: workspace,
    command: [process.execPath, program, "--model", "rehearsal"],
    env: {
      TERM: "xterm-256color",
      XDG_STATE_HOME: join(directory, "state"),
      XDG_CONFIG_HOME: join(directory, "config"),
      CI: "",
    },
  });
}

/** Resolves when a question of alice's is on the screen, about the file `schema.sql`. */
async function untilAsked(terminal: Tmux): Promise<void> {
  await terminal.shows("Say what you want done");
  await terminal.type(
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  );
  await terminal.press("Enter");
  await terminal.shows("alice asks to run this");
}

test("P38 a message that begins with the letter of an answer answers nothing, typed or pasted", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await startedIn(directory.path);
  const file = join(directory.path, "work", "schema.sql");
  await untilAsked(terminal);

  for (const text of ["also use UUIDs please", "yes, go on", "no, wait"]) {
    for (const [index, letter] of [...text].entries()) {
      await terminal.type(letter);
      await terminal.shows(`› ${text.slice(0, index + 1).trimEnd()}`);
    }
    await terminal.press("Enter");
    const isSent = async () => (await terminal.history()).includes(`› ${text}\n`);
    await terminal.until(isSent, `${text}, sent`);
    await terminal.shows(/^›$/m);
  }
  await terminal.paste("y");
  await terminal.shows("› y");

  expect(await terminal.screen()).toContain("ctrl-x to answer");
  expect(await terminal.history()).not.toMatch(/allowed|denied/);
  expect(existsSync(file)).toBe(false);
});

test("P38 a selected question is answered by its key, and the typed text is kept", async () => {
  await using directory = await temporaryDirectory();
  await using terminal = await startedIn(directory.path);
  const file = join(directory.path, "work", "schema.sql");
  await untilAsked(terminal);
  await terminal.type("a draft");
  await terminal.shows("› a draft");

  await chooseQuestion(terminal);
  await terminal.press("a");
  await terminal.shows("Always allow edit_file(schema.sql) for the whole team");
  await terminal.press("Escape");
  await terminal.shows("y yes, once");
  await terminal.press("Escape");
  await terminal.shows("ctrl-x to answer");
  expect(existsSync(file)).toBe(false);
  await chooseQuestion(terminal);
  await terminal.press("y");
  await terminal.shows("allowed alice once");
  await terminal.until(async () => existsSync(file), "schema.sql is written");

  await terminal.shows("› a draft");
});
