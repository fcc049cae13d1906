import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { chooseQuestion } from "../test/support/chosen-question.ts";
import { Tmux } from "../test/support/tmux.ts";
import { drawTerminal } from "./draw-terminal.ts";

/** Takes the picture of the screen that the README shows: of a real run, in a real terminal. */

const size = { columns: 96, rows: 34 };

await using directory = await temporaryDirectory();
const workspace = join(directory.path, "shop");
await mkdir(workspace);
await using terminal = await Tmux.start({
  directory: directory.path,
  cwd: workspace,
  command: [process.execPath, resolve("dist/cli/main.js"), "--model", "rehearsal"],
  env: {
    TERM: "xterm-256color",
    XDG_STATE_HOME: directory.path,
    XDG_CONFIG_HOME: directory.path,
    CI: "",
  },
  ...size,
});

await terminal.shows("›");
await say("Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.");
await terminal.shows(/○ bob +idle/);
await terminal.shows(/○ lead +idle/);
await say(
  "Spawn charlie as a backend developer. Ask him to create a file called schema.sql with a users table.",
);
await chooseQuestion(terminal);
const screen = await terminal.styledScreen();
const anonymous = screen.replaceAll(workspace, "~/shop");
await writeFile("docs/screen.svg", drawTerminal(anonymous, size));

async function say(text: string): Promise<void> {
  await terminal.type(text);
  await terminal.press("Enter");
}
