import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const noCache = { cache_read_tokens: 0, cache_write_tokens: 0 };
const usage = { ...noCache, input_tokens: 11_000, output_tokens: 1_000 };

test("a lead alone shows its tokens and how full its context is, also when the others have ended", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");

  screen.happen({ type: "turn-end", member: lead, turn: 1, usage });
  await screen.shows(/○ lead +idle +12k context 25%/);
  screen.members.pop();
  screen.happen({ type: "member-change", member: alice.name, status: "shutdown" });

  await screen.shows("12k · context 25% · a-model");
  expect(screen.terminal.text).not.toContain("○ lead");
});

test("the context of a model whose window is not known is a number of tokens", async () => {
  await using screen = await ScreenedTeam.open();

  screen.happen({ type: "turn-end", member: lead, turn: 1, usage });
  await screen.shows("12k · context 25% · a-model");
  screen.happen({ type: "model-set", member: lead, model: "other" });

  await screen.shows("12k · context 12k · other");
});

test("P40 a command in the background is shown while it runs, with a lead alone and with others", async () => {
  await using screen = await ScreenedTeam.open();
  const result = { call_id: "1", output: "started", is_error: false };
  screen.backgroundCommands.push({ member: lead, command: "make watch" });
  screen.happen({ type: "tool-result", member: lead, ...result });
  screen.happen({ type: "member-change", member: lead, status: "idle" });
  await screen.shows("○ in the background: make watch");

  const alice = screen.enlist("alice");
  await screen.shows(/○ lead +idle · in the background: make watch/);
  screen.backgroundCommands.push({ member: lead, command: "make serve" });
  screen.happen({ type: "tool-result", member: lead, ...result });
  await screen.shows(/lead +thinks .*· in the background \(\+1 more\): make serve/);
  screen.backgroundCommands.length = 0;
  screen.happen({ type: "member-change", member: alice.name, status: "idle" });

  await screen.showsNoMore("in the background");
});

test("a member that waits for its provider shows how long it still waits", async () => {
  await using screen = await ScreenedTeam.open();
  screen.happen({ type: "run-start", member: lead });

  screen.happen({
    type: "model-wait",
    member: lead,
    reason: "too many requests",
    delay_ms: 20_000,
  });

  await screen.shows("waits 20 s for its provider (too many requests)");
  await screen.shows("waits 18 s for its provider (too many requests)");
});

test("a reply that had not begun is not said to begin again", async () => {
  await using screen = await ScreenedTeam.open();

  screen.happen({ type: "reply-restart", member: lead, reason: "fewer requests (429)" });
  await screen.shows("  asks again: fewer requests (429)");
  screen.happen({ type: "text-delta", member: lead, text: "I" });
  screen.happen({ type: "reply-restart", member: lead, reason: "overloaded (529)" });

  await screen.shows("  starts its reply again: overloaded (529)");
});

test("the reason of a failure and what to do about it are two sentences", async () => {
  await using screen = await ScreenedTeam.open();

  screen.happen({
    ...{ type: "run-end", member: lead, outcome: "failed" },
    ...{ reason: "the key is refused (401)", hint: "Set another one." },
  });

  await screen.shows("failed: the key is refused (401). Set another one.");
});

test("why a call needs an answer is shown before the answer, once", async () => {
  await using screen = await ScreenedTeam.open();
  screen.happen({ type: "run-start", member: lead });

  screen.ask({ name: lead }, { command: "make" });

  await screen.shows(/▌ \$ make\n▌ it is not allowed yet\n(▌\n)?▌ ctrl-x to answer/);
  expect(screen.terminal.text).not.toContain("asks you");
});

test("hints that do not fit are left out whole, those of several members where there is one too", async () => {
  await using screen = await ScreenedTeam.open({ columns: 56 });
  await screen.shows(/^ {2}\/help · shift-tab mode +a-model · default$/m);

  screen.enlist("alice");

  await screen.shows(/^ {2}\/help · tab next member +a-model · default$/m);
});

test("while the lead works, the key that interrupts it takes the place of its usage, and not of its model", async () => {
  await using screen = await ScreenedTeam.open({ columns: 60 });
  screen.happen({ type: "run-start", member: lead });
  screen.happen({ type: "turn-start", member: lead, turn: 1 });
  const usage = { input_tokens: 12_000, output_tokens: 0 };
  screen.happen({
    ...{ type: "turn-end", member: lead, turn: 1 },
    usage: { ...usage, cache_read_tokens: 0, cache_write_tokens: 0 },
  });
  await screen.shows(/^ {2}\/help · esc interrupt +context 25% · a-model · default$/m);

  screen.terminal.resize(44, 20);
  await screen.shows(/^ {2}\/help · esc interrupt +a-model · default$/m);
  screen.terminal.resize(36, 20);
  await screen.shows(/^ {2}\/help +a-model · default$/m);
});

test("/interrupt says who was at work, and that nobody was", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press("/interrupt\r");
  await screen.shows("Nobody is at work.");
  screen.press("/interrupt lead\r");
  await screen.shows("lead is not at work.");
  screen.atWork.push(lead);
  screen.press("/interrupt\r");

  await screen.shows("Interrupted: lead.");
});
