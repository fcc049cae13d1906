import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { providerEnvironment } from "../test/support/agent-on-wire.ts";
import { chooseQuestion } from "../test/support/chosen-question.ts";
import { TeamOnWire } from "../test/support/team-on-wire.ts";
import { Tmux } from "../test/support/tmux.ts";
import { drawTerminal } from "./draw-terminal.ts";
import { aliceHasAsked, makeShop, parts, prompt } from "./repair-story.ts";

/** Takes the picture of the screen that the README shows: of a real run, in a real terminal. */

const size = { columns: 100, rows: 42 };

await using wire = await TeamOnWire.start(parts);
const workspace = join(wire.root, "shop");
await makeShop(workspace);
await using terminal = await Tmux.start({
  directory: wire.root,
  cwd: workspace,
  command: [
    process.execPath,
    resolve("dist/cli/main.js"),
    "--model",
    "anthropic/claude-sonnet-5-5",
  ],
  env: {
    ...providerEnvironment(wire.server),
    TERM: "xterm-256color",
    XDG_STATE_HOME: wire.root,
    XDG_CONFIG_HOME: wire.root,
    CI: "",
  },
  ...size,
});

await terminal.shows("›");
await terminal.type(prompt);
await terminal.press("Enter");
await terminal.shows(/○ carol +idle/);
await terminal.shows(/\? alice +asks you/);
aliceHasAsked.open();
await terminal.shows("(1 of 2)");
await chooseQuestion(terminal);
const screen = await terminal.styledScreen();
await writeFile("docs/screen.svg", drawTerminal(screen.replaceAll(workspace, "~/shop"), size));
