import { expect, test } from "vitest";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";
const shiftTab = "\x1b[Z";
const altUp = "\x1b[1;3A";
const altDown = "\x1b[1;3B";

test("the footer shows the model and the mode of the viewed member, as they are now", async () => {
  await using screen = await ScreenedTeam.open({ columns: 110 });
  await screen.shows(/a-model · default$/m);
  screen.modes.set(MemberName.parse("alice"), "plan");
  const alice = screen.enlist("alice", { model: "small-model,other-model" });
  await screen.shows("alice");

  screen.press("\t");
  await screen.shows(/small-model · plan$/m);
  screen.modes.set(alice.name, "acceptEdits");
  screen.happen({ type: "mode-change", member: alice.name, mode: "acceptEdits" });
  await screen.shows(/small-model · acceptEdits$/m);
  const [from, to] = ["small-model", "other-model"];
  screen.happen({ type: "model-change", member: alice.name, from, to, reason: "overloaded" });
  await screen.shows(/other-model · acceptEdits$/m);
  screen.enlist("bob");
  await screen.shows("bob");

  expect(screen.terminal.text).toMatch(/other-model · acceptEdits$/m);
});

test("Shift-Tab goes through the lead's modes without the one that asks nothing, and keeps the line", async () => {
  await using screen = await ScreenedTeam.open({ columns: 110 });
  screen.press("half a line");
  await screen.shows("› half a line");

  screen.press(shiftTab);
  await screen.shows("The lead's permission mode is acceptEdits.");
  screen.press(shiftTab + shiftTab);
  await screen.shows("The lead's permission mode is default.");
  screen.modes.set(lead, "bypassPermissions");
  screen.happen({ type: "mode-change", member: lead, mode: "bypassPermissions" });
  await screen.shows("permission mode: bypassPermissions");
  screen.press(shiftTab);
  await screen.until(() => screen.told.length === 4, "no mode was set");

  expect(screen.told).toEqual([
    "mode lead acceptEdits",
    "mode lead plan",
    "mode lead default",
    "mode lead default",
  ]);
  await screen.shows("› half a line");
});

test("Alt-Up opens the previous view, and Alt-Down the next one", async () => {
  await using screen = await ScreenedTeam.open();
  screen.enlist("alice");
  screen.enlist("bob");
  await screen.shows(/○ bob/);

  screen.press(altUp);
  await screen.shows(/^── bob ─/m);
  screen.press(altDown);
  await screen.shows(/^── lead ─/m);

  expect(screen.told).toEqual([]);
});

test("/mode shows the mode of everybody, and sets that of one member or of all", async () => {
  await using screen = await ScreenedTeam.open();
  screen.modes.set(MemberName.parse("alice"), "default");
  screen.enlist("alice");
  await screen.shows("alice");

  screen.press(`/mode${enter}`);
  await screen.shows("default  lead, alice (as the lead)");
  screen.press(`/mode plan alice${enter}`);
  await screen.until(() => screen.told.length === 1, "no mode was set");
  screen.press(`/mode acceptEdits all${enter}`);
  await screen.until(() => screen.told.length === 2, "no mode was set");
  screen.press(`/mode acceptEdits${enter}`);
  await screen.until(() => screen.told.length === 3, "no mode was set");

  expect(screen.told).toEqual(["mode alice plan", "mode all acceptEdits", "mode lead acceptEdits"]);
});

test("Tab completes modes, and then names", async () => {
  await using screen = await ScreenedTeam.open();
  screen.enlist("alice");
  await screen.shows("alice");

  screen.press("/mode acc\tali\t");

  await screen.shows("› /mode acceptEdits alice");
});
