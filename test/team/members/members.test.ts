import { expect, test } from "vitest";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import { Members } from "../../../src/team/members/members.ts";
import { SetMember } from "../../support/set-member.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];

function team() {
  const changed: MemberName[] = [];
  const members = new Members((name) => changed.push(name));
  const handles = [lead, alice, bob].map((name) => new SetMember(name));
  for (const handle of handles) members.add(handle);
  const [first, second, third] = handles;
  if (!first || !second || !third) throw new Error("There are three");
  return { members, changed, theLead: first, alice: second, bob: third };
}

test("the lead and members that do not run are no teammates", () => {
  const { members } = team();

  expect([lead, alice, MemberName.parse("carol")].map((name) => members.isTeammate(name))).toEqual([
    false,
    true,
    false,
  ]);
  expect(members.livingTeammates.map(({ name }) => name)).toEqual(["alice", "bob"]);
});

test("a member that does not run is an error that lists the running ones", () => {
  const { members } = team();

  expect(members.require(alice).name).toBe(alice);
  expect(() => members.require(MemberName.parse("carol"))).toThrow(
    expect.objectContaining({ code: "member-unknown", hint: "Running: lead, alice, bob." }),
  );
});

test("a member that has ended does not do what only a living one can, and the others are named", () => {
  const it = team();
  expect(it.members.requireLiving(alice).name).toBe(alice);
  it.alice.set({ hasEnded: true });

  expect(() => it.members.requireLiving(alice)).toThrow(
    expect.objectContaining({ code: "member-ended", hint: "Running: lead, bob." }),
  );
});

test("ended members are not live, but their runs count", () => {
  const it = team();
  it.theLead.set({ runs: 2 });
  it.alice.set({ runs: 3, hasEnded: true });

  expect(it.members.living.map(({ name }) => name)).toEqual(["lead", "bob"]);
  expect(it.members.runs).toBe(5);
});

test("teammates are busy while one of them works, and the lead does not count", () => {
  const it = team();
  it.theLead.set({ isBusy: true });
  expect(it.members.isAnyTeammateBusy).toBe(false);
  it.bob.set({ isBusy: true });

  expect(it.members.isAnyTeammateBusy).toBe(true);
  expect([lead, alice, bob].map((name) => it.members.isBusy(name))).toEqual([true, false, true]);
  expect(it.members.isBusy(MemberName.parse("carol"))).toBe(false);
});

test("the member that has been idle longest comes first", () => {
  const it = team();
  const order = () => it.members.byRest.map(({ name }) => name);
  expect(order()).toEqual(["alice", "bob"]);

  it.alice.set({ isBusy: true });
  it.alice.set({ isBusy: false });

  expect(order()).toEqual(["bob", "alice"]);
  it.bob.set({ runs: 1 });
  expect(order()).toEqual(["bob", "alice"]);
});

test("a change of a member is reported, but not one of a replaced member", () => {
  const it = team();
  it.alice.set({ runs: 1 });
  expect(it.changed).toEqual(["alice"]);
  const next = new SetMember(alice);
  it.members.add(next);

  it.alice.set({ runs: 2 });
  expect(it.changed).toEqual(["alice"]);
  next.set({ runs: 1 });
  expect(it.changed).toEqual(["alice", "alice"]);
});
