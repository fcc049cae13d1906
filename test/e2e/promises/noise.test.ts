import { expect, test } from "vitest";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { type Line, occurrences, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { after, Latch } from "./scenes.ts";

const prompt = "Begin.";
const stillness = "no longer wakes them";

/** Answers whatever it is told by a message to `peer`, and then with a word. */
function thanks(peer: string): Line[] {
  let answers = 0;
  const next: Line = () =>
    answers++ % 2 === 0
      ? calls("send_message", { to: peer, content: `Thank you! (${answers})` })
      : says("I thanked.");
  return [next];
}

test("P06 a run that ends with nothing to say costs the lead no request, and is shown in its next one", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [reply([])] });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt });
  await team.quiet();
  await team.message("alice", "Again.");
  await team.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(2);
  expect(wire.requestsOf("lead")).toEqual([]);

  await team.prompt("How is she?");
  await team.quiet();
  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(occurrences(wire.shownTo("lead"), 'type=\\"idle_notification\\"')).toBe(2);
});

test("P06 talk among teammates costs the lead one request at the end, with all of it", async () => {
  const [alicesEnd, carolsTurn] = [new Latch(), new Latch()];
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      says("Alice is ready."),
      calls("send_message", { to: "bob", content: "Two times two?" }),
      says("I asked bob."),
      says("Bob says four."),
    ],
    bob: [
      says("Bob is ready."),
      after(alicesEnd, calls("send_message", { to: "alice", content: "Four." })),
      says("I answered alice."),
    ],
    carol: [says("Carol is ready."), after(carolsTurn, says("Carol is done."))],
  });
  const team = await wire.open();
  const watched = new Watched(team);
  for (const name of ["alice", "bob", "carol"]) await team.spawn({ name, role: "coder", prompt });
  await team.quiet();
  const before = wire.requestsOf("lead").length;

  await team.message("carol", "Take your time.");
  await wire.requested("carol", 2);
  await team.message("alice", "Ask bob.");
  await watched.until(({ type, member }) => type === "run-end" && member === "alice", 2);
  alicesEnd.open();
  await watched.until(({ type, member }) => type === "run-end" && member === "alice", 3);
  await watched.until(({ type, member }) => type === "run-end" && member === "bob", 2);
  await wire.requested("lead", before + 1);
  carolsTurn.open();
  await team.quiet();

  // One for the run that the person had woken, and one when nobody works any more.
  expect(wire.requestsOf("lead")).toHaveLength(before + 2);
  const shown = wire.shownTo("lead");
  for (const text of ["I asked bob.", "Bob says four.", "I answered alice.", "Carol is done."]) {
    expect({ text, times: occurrences(shown, text) }).toEqual({ text, times: 1 });
  }
});

test("P06 two members that endlessly thank each other stop after 20 runs, and the lead is notified once", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: thanks("bob"),
    bob: thanks("alice"),
  });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.spawn({ name: "alice", role: "coder", prompt });
  await team.spawn({ name: "bob", role: "coder", prompt });
  const summary = await team.quiet();

  const pair = watched.events.filter(({ member }) => member === "alice" || member === "bob");
  const runs = pair.filter(({ type }) => type === "run-start").length;
  // Those that the person had begun, and 20 of the pair.
  expect(runs).toBeGreaterThanOrEqual(20);
  expect(runs).toBeLessThanOrEqual(23);
  expect(occurrences(wire.shownTo("lead"), stillness)).toBe(1);
  expect(wire.requestsOf("lead").length).toBeLessThanOrEqual(5);
  expect(summary.members.map(({ status }) => status)).toEqual(["idle", "idle", "idle"]);
  // Nothing is lost by it: what did not wake is shown with the next run.
  const waiting =
    (await wire.stored("inbox", "alice.jsonl")) + (await wire.stored("inbox", "bob.jsonl"));
  expect(occurrences(waiting, "Thank you!")).toBeGreaterThan(20);
});

test("P06 another member's mail or another tool call lets the two wake each other again", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: thanks("bob"),
    bob: thanks("alice"),
    carol: [
      says("Ready."),
      calls("send_message", { to: "alice", content: "Carol greets you." }),
      says("Greeted."),
    ],
  });
  const team = await wire.open();
  for (const name of ["carol", "alice", "bob"]) await team.spawn({ name, role: "coder", prompt });
  await team.quiet();
  const bobsBefore = wire.requestsOf("bob").length;

  await team.message("carol", "Greet alice.");
  await team.quiet();

  expect(occurrences(wire.shownTo("alice"), "Carol greets you.")).toBe(1);
  expect(wire.requestsOf("bob").length).toBeGreaterThan(bobsBefore + 10);
  expect(occurrences(wire.shownTo("lead"), stillness)).toBe(2);
});

test("P06 members that work between their messages may keep talking", async () => {
  const rounds = 30;
  const works = (peer: string): Line[] => {
    let request = 0;
    return [
      () => {
        const round = Math.floor(request / 3);
        const turn = request++ % 3;
        if (round >= rounds) return says("Finished.");
        if (turn === 0) return calls("list_tasks", {});
        if (turn === 1) return calls("send_message", { to: peer, content: `Step ${round}.` });
        return says(`Did step ${round}.`);
      },
    ];
  };
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: works("bob"),
    bob: works("alice"),
  });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt });
  await team.spawn({ name: "bob", role: "coder", prompt });
  await team.quiet();

  expect(wire.shownTo("lead")).not.toContain(stillness);
  expect(wire.shownTo("alice")).toContain(`Step ${rounds - 1}.`);
});
