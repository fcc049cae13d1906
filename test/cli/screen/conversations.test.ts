import { expect, test } from "vitest";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";

test("/compact is for the member of the open view, with what to keep", async () => {
  await using screen = await ScreenedTeam.open();
  screen.enlist("alice");
  await screen.shows("alice");
  screen.press(`/compact${enter}`);
  await screen.settle();
  screen.press("\t");
  await screen.settle();

  screen.press(`/compact the figures, and why${enter}`);
  await screen.until(() => screen.told.length === 2, "nothing was compacted");

  expect(screen.told).toEqual(["compact lead: ", "compact alice: the figures, and why"]);
});

test("/clear is for the member of the open view, for a named one, or for all", async () => {
  await using screen = await ScreenedTeam.open();
  screen.enlist("alice");
  await screen.shows("alice");
  screen.press("\t");
  await screen.settle();

  screen.press(`/clear${enter}`);
  await screen.until(() => screen.told.length === 1, "nothing was cleared");
  await screen.showsNoMore("Cleared");
  screen.press(`/clear @lead${enter}`);
  await screen.shows("Cleared: lead.");
  screen.press(`/clear all${enter}`);
  await screen.shows("Cleared: lead, alice.");
  screen.press(`/clear bob${enter}`);
  await screen.shows("bob");

  expect(screen.told).toEqual(["clear alice", "clear lead", "clear all"]);
});

test("what a member writes as a summary is not shown as its words, and what it says then is", async () => {
  await using screen = await ScreenedTeam.open();
  const member = screen.enlist("alice").name;
  await screen.shows("alice");
  screen.press("\t");
  await screen.settle();

  screen.happen(
    { type: "compaction-start", member, context_tokens: 12_345 },
    { type: "thinking-delta", member, text: "A secret thought.\n\n" },
    { type: "text-delta", member, text: "A secret word.\n\n" },
    { type: "model-wait", member, reason: "429", delay_ms: 100 },
    { type: "text-delta", member, text: "Another secret.\n\n" },
    { type: "compaction-end", member, summary: "A secret word.", context_tokens: 950 },
    { type: "text-delta", member, text: "Said aloud.\n\n" },
  );
  await screen.shows("Said aloud.");
  expect(screen.terminal.text).toContain("about 12.3k tokens are now 950");
  expect(screen.terminal.text).not.toContain("secret");

  screen.happen(
    { type: "compaction-start", member, context_tokens: 12_345 },
    { type: "text-delta", member, text: "Half a secret.\n\n" },
    { type: "turn-start", member, turn: 2 },
    { type: "text-delta", member, text: "Said without a summary.\n\n" },
  );
  await screen.shows("Said without a summary.");

  expect(screen.terminal.text).not.toContain("secret");
});
