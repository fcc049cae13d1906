import { expect, test } from "vitest";
import { lead, newMessageId, system, TeammateName, user } from "../../../src/protocol/ids.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const elsewhere = "from another shell or the dashboard";

test.each([
  ["allowed once", "approved", undefined, `allowed alice once, ${elsewhere}`],
  ["allowed always", "approved", "bash(make)", `allowed alice from now on, ${elsewhere}`],
  ["denied", "rejected", undefined, `denied alice, ${elsewhere}`],
  ["withdrawn", "cancelled", undefined, "the question of alice was withdrawn"],
] as const)(
  "a question that is %s elsewhere is told, with the call",
  async (_title, state, rule, text) => {
    await using screen = await ScreenedTeam.open();
    const question = screen.ask(screen.enlist("alice"), { command: "make" });
    await screen.shows("ctrl-x to answer");

    screen.withdraw(question, state, rule);
    await screen.shows(text);

    expect(screen.terminal.text).toMatch(/\? alice asks to run\n +bash\n +\$ make\n/);
    await screen.showsNoMore("ctrl-x to answer");
  },
);

test("a question that is answered here is told once", async () => {
  await using screen = await ScreenedTeam.open();
  const question = screen.ask(screen.enlist("alice"), { command: "make" });
  await screen.shows("ctrl-x to answer");
  await screen.choose();

  screen.press("y");
  await screen.shows("allowed alice once\n");
  screen.withdraw(question, "approved");
  screen.happen({ type: "warning", message: "the next event" });
  await screen.shows("the next event");

  expect(screen.terminal.text).not.toContain(elsewhere);
});

test("a plan that waits for the person is shown as a question of its member, in the strip too", async () => {
  await using screen = await ScreenedTeam.open();
  screen.submitPlan(screen.enlist("bob"), "1. Look");

  await screen.shows(/\? bob +asks you: approve the plan/);
});

test("a stop from another shell is shown", async () => {
  await using screen = await ScreenedTeam.open();
  const id = newMessageId(screen.clock.now());
  const mail = { type: "message-sent", member: user, message_type: "shutdown_request" } as const;

  screen.happen({ ...mail, id, to: TeammateName.parse("alice"), preview: "" });
  await screen.shows("user → alice: stop\n");
  screen.happen({ ...mail, id: newMessageId(screen.clock.now()), to: lead, preview: "" });

  await screen.shows("user → lead: stop everybody");
});

test("the end of a member is told once, and it leaves the strip", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  screen.enlist("bob");
  await screen.shows(/○ bob/);

  screen.members[0] = { ...alice, status: "shutdown" };
  const [status, detail] = ["shutdown", "the person stopped it"] as const;
  screen.happen({ type: "member-change", member: alice.name, status, detail });
  const preview = `alice is shut down: ${detail}.`;
  const id = newMessageId(screen.clock.now());
  const mail = { type: "message-sent", message_type: "teammate_terminated", to: lead } as const;
  screen.happen({ ...mail, member: system, id, preview });
  screen.happen({ type: "warning", message: "the next event" });
  await screen.shows("the next event");

  expect(screen.terminal.text.match(/alice is shut down/g)).toHaveLength(1);
  expect(screen.terminal.text).not.toMatch(/^[–○] alice/m);
  expect(screen.terminal.text).toMatch(/^○ bob/m);
});
