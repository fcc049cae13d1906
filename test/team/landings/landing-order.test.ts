import { expect, test } from "vitest";
import { newLanding } from "../../../src/landing/landing-rules.ts";
import { CommitId, LandingId } from "../../../src/protocol/ids.ts";
import type { Landing } from "../../../src/protocol/landing.ts";
import { landingOrder } from "../../../src/team/landings/landing-order.ts";
import { alice, target } from "../../support/landings.ts";

const [id, other] = [LandingId.parse("1"), LandingId.parse("2")];
const [commit, base] = [CommitId.parse("a".repeat(40)), CommitId.parse("b".repeat(40))];
const draft = { member: alice, ref: "refs/troupe/team/alice/1", commit, base, target };
const landing: Landing = newLanding(draft, { id, at: new Date(0) });

test("the person's decision is an order about the commit that was seen, with the reason if there is one", () => {
  expect(landingOrder({ id, commit, decision: "land" }, [landing])).toEqual({
    ...{ type: "landing_decision", from: "user", landing_id: "1", commit, decision: "land" },
  });
  const discarding = { id, commit, decision: "discard", reason: "too large" } as const;
  expect(landingOrder(discarding, [landing])).toMatchObject({
    ...{ decision: "discard", reason: "too large" },
  });
});

test.each([
  ["that is not there", { id: other, commit }, landing, "landing-unknown", "Landings: 1."],
  ["with another commit", { id, commit: base }, landing, "landing-changed", "troupe changes"],
  [
    "that is on the target",
    { id, commit },
    { ...landing, state: "landed" },
    ...["landing-refused", `It is on ${target}`],
  ],
  [
    "that another one has replaced",
    { id, commit },
    { ...landing, state: "replaced", replaced_by: other },
    ...["landing-refused", "Landing 2 contains its work"],
  ],
] as const)("nothing is decided on a landing %s", (_, seen, known, code, hint) => {
  expect(() => landingOrder({ ...seen, decision: "land" }, [known])).toThrow(
    expect.objectContaining({ code, hint: expect.stringContaining(hint) }),
  );
});
