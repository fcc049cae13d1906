import { expect, test } from "vitest";
import { newMessageId } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";

async function withPrompts(...texts: string[]) {
  const screen = await ScreenedTeam.open({ rows: 40 });
  const ids = texts.map((text) => promptOf(screen, text));
  return { screen, ids, [Symbol.asyncDispose]: () => screen[Symbol.asyncDispose]() };
}

/** Has the team see a prompt of the person. */
function promptOf(screen: ScreenedTeam, text: string): string {
  const id = newMessageId(screen.clock.now());
  screen.checkpoints.push({ id, at: screen.clock.now().toISOString(), text });
  return id;
}

test("P39 /rewind lists the prompts, newest first, and a number shows what would happen", async () => {
  await using it = await withPrompts("Write them.", "Change them.");
  const { screen } = it;
  screen.fileEffects.push(
    { path: "/nowhere/a.txt", action: "restore" },
    { path: "/nowhere/b.txt", action: "remove" },
    { path: "/other/c.txt", action: "restore", problem: "something else has changed it since" },
  );

  screen.press(`/rewind${enter}`);
  await screen.shows(/1 {2}\S+ \S+ {2}Change them\.\n +2 {2}\S+ \S+ {2}Write them\./);
  screen.press(`/rewind 2${enter}`);

  await screen.shows("Back to before: “Write them.”");
  await screen.shows(
    /restore {2}a\.txt\n +remove {3}b\.txt\n +restore {2}\/other\/c\.txt: only with/,
  );
  await screen.shows("Nothing has changed yet. Type /rewind 2 yes to do this.");
  await screen.shows("/rewind 2 yes overwrite");
  expect(screen.told).toEqual([]);
});

test("P39 a confirmed rewind is done, and the prompt is in the line to edit it", async () => {
  await using it = await withPrompts("Write them.", "Change them.");
  const { screen, ids } = it;
  screen.press(`/rewind 1${enter}`);
  await screen.shows("Type /rewind 1 yes");

  screen.press(`/rewind 1 yes${enter}`);

  await screen.shows(`› the whole of ${ids[1]}`);
  expect(screen.told).toEqual([`rewind ${ids[1]} {"overwrite":[]}`]);
});

test("what the person types meanwhile stays in the line", async () => {
  await using it = await withPrompts("Write them.");
  const { screen } = it;
  screen.press(`/rewind 1${enter}`);
  await screen.shows("Type /rewind 1 yes");

  screen.press(`/rewind 1 yes${enter}something else`);

  await screen.shows("Up or Ctrl-R finds it");
  await screen.shows("› something else");
});

test.each([
  ["yes files", { conversation: false, overwrite: [] }],
  ["yes conversation", { files: false, overwrite: [] }],
  ["yes overwrite", { overwrite: ["/nowhere/a.txt"] }],
])("/rewind 1 %s takes back no more than that", async (words, options) => {
  await using it = await withPrompts("Write them.");
  const { screen, ids } = it;
  const problem = "something else has changed it since";
  screen.fileEffects.push({ path: "/nowhere/a.txt", action: "restore", problem });
  screen.press(`/rewind 1${enter}`);
  await screen.shows("Type /rewind 1 yes");

  screen.press(`/rewind 1 ${words}${enter}`);
  await screen.shows("No file has changed.");

  expect(screen.told).toEqual([`rewind ${ids[0]} ${JSON.stringify(options)}`]);
});

test("P38 only what was shown is confirmed: not another prompt, not other files, not twice", async () => {
  await using it = await withPrompts("Write them.", "Change them.");
  const { screen, ids } = it;

  screen.press(`/rewind 1 yes${enter}`);
  await screen.shows("Look at it first.");
  // The numbers move when a prompt is added.
  promptOf(screen, "A third one.");
  screen.press(`/rewind 1 yes${enter}`);
  await screen.shows("Back to before: “A third one.”");
  screen.fileEffects.push({ path: "/nowhere/a.txt", action: "remove" });
  screen.press(`/rewind 1 yes${enter}`);
  await screen.shows("This has changed since you looked.");
  expect(screen.told).toEqual([]);

  screen.press(`/rewind 1 yes${enter}`);
  await screen.shows("No file has changed.");
  expect(screen.told).toHaveLength(1);
  expect(ids).toHaveLength(2);
  screen.press(`\x15/rewind 1 yes${enter}`);
  await screen.until(
    () => screen.terminal.text.split("Look at it first.").length > 2,
    "it is not asked again",
  );
  expect(screen.told).toHaveLength(1);
});

test.each(["yes", "y", "1", "1 yes", "/rewind 1 y", "/rewind yes", "/rewind 1 yes all"])(
  "P38 %j confirms no rewind",
  async (typed) => {
    await using it = await withPrompts("Write them.");
    const { screen } = it;
    screen.press(`/rewind 1${enter}`);
    await screen.shows("Type /rewind 1 yes");

    screen.press(`${typed}${enter}`);
    await screen.shows(
      typed.startsWith("/") ? /Not understood|There is no member .yes/ : `› ${typed}\n`,
    );

    expect(screen.told.filter((each) => each.startsWith("rewind"))).toEqual([]);
  },
);

test("a number that no prompt has is refused, and so is /rewind before the first prompt", async () => {
  await using it = await withPrompts("Write them.");
  it.screen.press(`/rewind 2${enter}`);
  await it.screen.shows("There is no prompt 2");
  await it.screen.shows("Give a number from 1, the newest, to 1.");

  await using none = await withPrompts();
  none.screen.press(`/rewind${enter}`);
  await none.screen.shows("There is no prompt of yours to go back to.");
});
