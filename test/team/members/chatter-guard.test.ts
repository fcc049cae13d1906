import { expect, test } from "vitest";
import { lead, MemberName, system, user } from "../../../src/protocol/ids.ts";
import { ChatterGuard } from "../../../src/team/members/chatter-guard.ts";

const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
  MemberName,
];

function guardOfThree() {
  const teammates = [alice, bob, carol];
  return new ChatterGuard({
    isTeammate: (name) => teammates.includes(name),
    onLifted: () => undefined,
  });
}

/** One run of `self` that `from` has woken and that called these tools. */
function run(self: MemberName, from: MemberName[], tools = ["send_message"]) {
  return { self, wakers: new Set(from), calledTools: new Set(tools) };
}

/** Lets alice and bob answer each other so many times. */
function chat(guard: ChatterGuard, runs: number) {
  return Array.from({ length: runs }, (_, index) =>
    guard.note(index % 2 === 0 ? run(alice, [bob]) : run(bob, [alice])),
  );
}

test("P06 after 20 runs of a pair that only talks, its mail no longer wakes, and that is reported once", () => {
  const guard = guardOfThree();

  const told = chat(guard, 25);

  expect(told.filter((names) => names.length > 0)).toHaveLength(1);
  expect(told[19]).toEqual([alice]);
  expect(guard.isMuted(alice, bob)).toBe(true);
  expect(guard.isMuted(bob, alice)).toBe(true);
  expect(guard.isMuted(alice, carol)).toBe(false);
  expect(guard.isMuted(alice, lead)).toBe(false);
});

test("19 runs do not mute a pair", () => {
  const guard = guardOfThree();
  chat(guard, 19);

  expect(guard.isMuted(alice, bob)).toBe(false);
});

test("P06 a lead and a teammate that only talk are stopped, too, and the report does not reset that", () => {
  const guard = guardOfThree();
  for (let turn = 0; turn < 10; turn++) {
    guard.note(run(lead, [alice]));
    guard.note(run(alice, [lead], []));
  }

  expect(guard.isMuted(lead, alice)).toBe(true);
  expect(guard.isMuted(alice, lead)).toBe(true);
  guard.note(run(lead, [system], []));
  guard.note(run(lead, [system, alice], []));
  expect(guard.isMuted(lead, alice)).toBe(true);
  guard.note(run(lead, [system], ["bash"]));
  expect(guard.isMuted(lead, alice)).toBe(false);
});

test("a lead that reads report after report is never muted", () => {
  const guard = guardOfThree();
  for (let turn = 0; turn < 200; turn++) {
    guard.note(run(alice, [user], []));
    guard.note(run(lead, [alice], []));
  }

  expect(guard.isMuted(lead, alice)).toBe(false);
});

test.each([
  ["the person's mail", run(alice, [user])],
  ["the lead's mail", run(alice, [lead])],
  ["the lead's mail beside the peer's", run(alice, [bob, lead])],
  ["a third member's mail", run(alice, [carol])],
  ["the mail of two peers at once", run(alice, [bob, carol])],
  ["the runtime's mail", run(alice, [system])],
  ["another tool", run(alice, [bob], ["send_message", "bash"])],
])("%s resets the count", (_, other) => {
  const guard = guardOfThree();
  chat(guard, 20);

  guard.note(other);

  expect(guard.isMuted(alice, bob)).toBe(false);
});

test("three members that write in a ring are stopped, too", () => {
  const guard = guardOfThree();
  const ring = [run(alice, [carol]), run(bob, [alice]), run(carol, [bob])];

  for (let round = 0; round < 60; round++) for (const each of ring) guard.note(each);

  expect(guard.isMuted(alice, carol)).toBe(true);
  expect(guard.isMuted(bob, alice)).toBe(true);
});

test("a member that talks with several in turn is reported at its sixtieth run", () => {
  const guard = guardOfThree();
  const told = Array.from({ length: 65 }, (_, index) =>
    guard.note(run(alice, [index % 2 === 0 ? bob : carol])),
  );

  expect(told.flatMap((names, index) => names.map((name) => [index, name]))).toEqual([[59, carol]]);
  expect(guard.isMuted(alice, bob)).toBe(true);
  for (const heard of [lead, user, system]) expect(guard.isMuted(alice, heard)).toBe(false);
});

test("that mail may wake again is reported once, and only where some was muted", () => {
  let lifted = 0;
  const guard = new ChatterGuard({ isTeammate: () => true, onLifted: () => lifted++ });
  chat(guard, 19);
  guard.note(run(alice, [user]));
  expect(lifted).toBe(0);
  chat(guard, 20);
  guard.note(run(alice, [user]));
  guard.note(run(alice, [user]));

  expect(lifted).toBe(1);
});

test("what a pair does is nothing to others: their work does not let its mail wake again", () => {
  const guard = guardOfThree();
  chat(guard, 20);

  guard.note(run(carol, [user]));

  expect(guard.isMuted(alice, bob)).toBe(true);
});

test("work begins the count of a member anew, and runs that the lead has woken do not count", () => {
  const guard = guardOfThree();
  const talk = (count: number) => {
    for (let turn = 0; turn < count; turn++) guard.note(run(alice, [turn % 2 ? bob : carol]));
  };
  talk(59);
  guard.note(run(alice, [user]));
  talk(59);
  expect(guard.isMuted(alice, bob)).toBe(false);
  guard.note(run(alice, [user]));

  for (let turn = 0; turn < 70; turn++) guard.note(run(alice, [lead, bob]));

  expect(guard.isMuted(alice, bob)).toBe(false);
});
