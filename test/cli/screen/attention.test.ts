import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const bell = "\x07";
const asked = "\x1b]9;troupe: alice: bash make?\x07";

/** What was sent to the terminal itself, without titles. */
function calls(screen: ScreenedTeam): string[] {
  return screen.terminal.messages.filter((message) => !message.startsWith("\x1b]2;"));
}

async function askAndSee(screen: ScreenedTeam): Promise<void> {
  screen.ask(screen.enlist("alice"), { command: "make" });
  await screen.shows("ctrl-x to answer");
}

test("a question rings the bell and sends a notification", async () => {
  await using screen = await ScreenedTeam.open({ notify: "terminal" });

  await askAndSee(screen);

  expect(calls(screen)).toEqual([bell, asked]);
});

test.each([
  ["only the bell", { notify: "bell", env: {} }, [bell]],
  ["nothing", { notify: "off", env: {} }, []],
  [
    "a notification by name in terminals that know that form",
    { notify: "terminal", env: { VTE_VERSION: "7600" } },
    [bell, "\x1b]777;notify;troupe;troupe: alice: bash make?\x07"],
  ],
  [
    "only the bell in a tmux that passes nothing on",
    { notify: "terminal", env: { TMUX: "x" } },
    [bell],
  ],
  [
    "a wrapped notification in a tmux that passes it on",
    { notify: "terminal", env: { TMUX: "x", PASSES: "on" } },
    [bell, `\x1bPtmux;\x1b${asked}\x1b\\`],
  ],
] as const)("there is %s", async (_title, options, expected) => {
  await using screen = await ScreenedTeam.open(options);

  await askAndSee(screen);
  await screen.settle();

  expect(calls(screen)).toEqual(expected);
});

test("no control character of a call reaches the terminal", async () => {
  await using screen = await ScreenedTeam.open({ notify: "terminal" });

  screen.ask(screen.enlist("alice"), { command: "make\x07\x1b]0;evil\x07" });
  await screen.shows("ctrl-x to answer");

  expect(calls(screen)).toHaveLength(2);
  expect(calls(screen)[1]).toContain("make\\x07\\x1b]0;evil");
});

test("several things within five seconds are one notification at once, and the last one later", async () => {
  await using screen = await ScreenedTeam.open({ notify: "terminal" });
  await askAndSee(screen);

  screen.ask(screen.enlist("bob"), { command: "one" });
  screen.ask(screen.enlist("carol"), { command: "two" });
  await screen.shows("(1 of 3)");
  expect(calls(screen)).toEqual([bell, asked]);
  const startMs = screen.clock.monotonicMs();
  await screen.until(() => calls(screen).length > 2, "no later notification");

  expect(screen.clock.monotonicMs() - startMs).toBeGreaterThan(3_000);
  expect(calls(screen).slice(2)).toEqual([bell, "\x1b]9;troupe: carol: bash two?\x07"]);
});

test("nobody is called while the terminal has the focus", async () => {
  await using screen = await ScreenedTeam.open({ notify: "terminal" });
  screen.press("\x1b[I");
  await screen.read();

  await askAndSee(screen);
  expect(calls(screen)).toEqual([]);
  screen.press("\x1b[O");
  await screen.read();
  screen.ask(screen.enlist("bob"), { command: "one" });
  await screen.until(() => calls(screen).length > 0, "nobody was called");

  expect(calls(screen)).toEqual([bell, "\x1b]9;troupe: bob: bash one?\x07"]);
});

test("the end of all work is told, and the title shows what goes on until the end", async () => {
  const screen = await ScreenedTeam.open({ notify: "terminal" });
  const title = (text: string) => `\x1b]2;${text}\x07`;

  screen.happen({ type: "run-start", member: lead });
  await screen.shows("starts");
  screen.happen({ type: "run-end", member: lead, outcome: "done" });
  screen.happen({ type: "member-change", member: lead, status: "idle" });
  await screen.until(() => calls(screen).length > 0, "nobody was called");

  expect(screen.terminal.messages).toEqual([
    title("troupe · nowhere"),
    title("working · troupe · nowhere"),
    title("troupe · nowhere"),
    bell,
    "\x1b]9;troupe: the team is done\x07",
  ]);
  await screen[Symbol.asyncDispose]();
  const kept = screen.terminal.raw.indexOf("\x1b[22;2t");
  expect(kept).toBeGreaterThan(-1);
  expect(screen.terminal.raw.indexOf("\x1b[23;2t")).toBeGreaterThan(kept);
});
