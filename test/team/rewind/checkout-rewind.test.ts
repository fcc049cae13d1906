import { expect, test } from "vitest";
import type { KeptState } from "../../../src/checkouts/go-back.ts";
import type { LandingMove } from "../../../src/landing/landings.ts";
import { CommitId, MemberName } from "../../../src/protocol/ids.ts";
import { CheckoutRewind } from "../../../src/team/rewind/checkout-rewind.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { SetMember } from "../../support/set-member.ts";

const [alice, bob] = [MemberName.parse("alice"), MemberName.parse("bob")];
const commit = CommitId.parse("a".repeat(40));
const conversationStays =
  "Its conversation, its commits and its staged changes stay; git shows it the difference.";

test("going back names what has landed since, and what would land", async () => {
  const it = openCheckout();
  await it.handIn(alice, 1, { state: "conflict", onto: commit, files: ["a.txt"] });
  await it.handIn(alice, 2, { state: "discarded", reason: "no" });
  await it.handIn(alice, 3, { state: "conflict", onto: commit, files: ["a.txt"] });
  await it.handIn(bob, 4);
  await it.handIn(alice, 12);

  const cannot = async (number: number) => (await it.rewind.preview(number)).cannot;

  expect(await cannot(0)).toEqual([
    conversationStays,
    "Landing 1 (conflict) contains later work: discard it if that must not land.",
    "Landing 3 (conflict) contains later work: discard it if that must not land.",
    "Landing 5 (taken) contains later work: discard it if that must not land.",
  ]);
  expect(await cannot(3)).toEqual([
    conversationStays,
    "Landing 5 (taken) contains later work: discard it if that must not land.",
  ]);
  expect(await cannot(12)).toEqual([conversationStays]);
});

test("work that has landed stays on the target, and that is said", async () => {
  const it = openCheckout();
  await it.handIn(alice, 2, { state: "landed" });

  expect((await it.rewind.preview(1)).cannot).toEqual([
    conversationStays,
    "Landing 1 stays on main until the next work of alice lands there.",
  ]);
});

test("the member is ordered to go back, and what it had is the state to return to", async () => {
  const it = openCheckout();

  const report = await it.rewind.rewind(1);

  expect(it.member.orders).toEqual([{ type: "go-back", number: 1 }]);
  expect(report).toMatchObject({ state: { number: 1 }, before: { number: 2 } });
});

test("a member with commands in the background does not go back, and they are named", async () => {
  const it = openCheckout();
  it.member.set({ backgroundJobs: ["npm run dev", "sleep 9"] });

  await expect(it.rewind.rewind(1)).rejects.toMatchObject({
    ...{ code: "team-busy", message: "'alice' has commands running: npm run dev; sleep 9" },
  });
  expect(it.member.orders).toEqual([]);
});

test("the checkout of a member that has ended, or of a name that is none, does not go back", async () => {
  const it = openCheckout();
  it.member.set({ hasEnded: true });

  expect(() => it.rewind.states()).toThrow(expect.objectContaining({ code: "member-ended" }));
  await expect(it.rewind.preview(1)).rejects.toMatchObject({ code: "member-ended" });
  expect(() => it.of("No Name")).toThrow();
});

/** The checkout of alice, of which the states 0 to 2 are kept. */
function openCheckout() {
  const { store, members } = openTestProtocols();
  const member = new SetMember(alice);
  members.add(member);
  const states = [2, 1, 0].map((number): KeptState => {
    return { number, commit, at: "2026-01-01T09:00:00.000Z" };
  });
  const checkouts = {
    states: async () => states,
    previewGoingBack: async (_: MemberName, number: number) => ({
      ...{ state: { number, commit, at: "2026-01-01T09:00:00.000Z" }, files: [], inTheWay: [] },
    }),
  };
  const of = (name: string) => new CheckoutRewind({ checkouts, store }, { members }, name);
  return {
    member,
    of,
    rewind: of("alice"),
    async handIn(from: MemberName, number: number, move?: LandingMove): Promise<void> {
      const ref = `refs/troupe/team/${from}/${number}`;
      const taken = await store.landings.take({
        ...{ member: from, ref, base: commit, target: "main" },
        commit: CommitId.parse(String(number).padStart(40, "0")),
      });
      if (move) await store.landings.move(taken, move);
    },
  };
}
