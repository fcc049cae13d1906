import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";
const up = "\x1b[A";

async function openAtWork(): Promise<ScreenedTeam> {
  const screen = await ScreenedTeam.open();
  screen.happen({ type: "run-start", member: lead });
  await screen.shows("starts");
  return screen;
}

test("P40 a line for a member that works is marked as waiting until the member sees it", async () => {
  await using screen = await openAtWork();

  screen.press(`and the docs${enter}`);
  await screen.shows("⧗ to lead: and the docs · up takes it back");
  expect(screen.terminal.text).not.toContain("› and the docs");
  screen.see(lead);
  await screen.shows("› and the docs\n");

  await screen.showsNoMore("⧗");
  expect(screen.terminal.text.match(/and the docs/g)).toHaveLength(1);
});

test("Up on an empty line takes the newest waiting line back, to be changed or left out", async () => {
  await using screen = await openAtWork();
  screen.press(`one${enter}`);
  await screen.shows("⧗ to lead: one");
  screen.press(`two${enter}`);
  await screen.shows("⧗ to lead: two");

  screen.press(up);
  await screen.shows("› two");
  await screen.showsNoMore("⧗ to lead: two");
  screen.press(` and a half${enter}`);
  await screen.shows("⧗ to lead: two and a half");

  expect(screen.told).toEqual([
    "message lead: one",
    "message lead: two",
    "withdraw 1",
    "message lead: two and a half",
  ]);
});

test("what was typed since stays behind the line that comes back", async () => {
  await using screen = await openAtWork();
  screen.press(`one${enter}`);
  await screen.shows("⧗ to lead: one");

  screen.press(`${up}more`);

  await screen.shows(/› one\n {2}more/);
});

test("a line that was seen stays sent, and the screen says so", async () => {
  await using screen = await openAtWork();
  screen.isInTime = false;
  screen.press(`one${enter}`);
  await screen.shows("⧗ to lead: one");

  screen.press(up);
  await screen.shows("lead has seen it already.");
  screen.see(lead);

  await screen.shows("› one\n");
  await screen.shows(/^›$/m);
});

test("in another view, the line that comes back says whom it is to", async () => {
  await using screen = await openAtWork();
  const alice = screen.enlist("alice");
  await screen.shows("alice");
  screen.press(`one${enter}`);
  await screen.shows("⧗ to lead: one");
  screen.press("\t");
  await screen.shows(`── ${alice.name} ──`);

  screen.press(up);

  await screen.shows("› @lead one");
});

test("while nothing waits, Up is the line that was sent before", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press(`fix it${enter}`);
  await screen.shows("› fix it\n");

  screen.press(up);

  await screen.shows(/› fix it\n {2}\/help/);
  expect(screen.told).toEqual(["message lead: fix it"]);
});

test("what still waits when the person quits stays in the terminal", async () => {
  await using screen = await openAtWork();
  screen.press(`one${enter}`);
  await screen.shows("⧗ to lead: one");

  screen.press("\x04");
  await screen.departed;

  expect(screen.terminal.text).toMatch(/⧗ to lead: one$/m);
});
