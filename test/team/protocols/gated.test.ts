import { expect, test } from "vitest";
import type { Verdict } from "../../../src/permissions/verdict.ts";
import type { ToolAction } from "../../../src/protocol/tools.ts";
import { gated } from "../../../src/team/protocols/plans.ts";

const looks: Verdict = { decision: "allow", reason: "it only looks", isReadOnly: true };
const changes: Verdict = { decision: "allow", reason: "a rule", isReadOnly: false };
const refused: Verdict = { decision: "deny", reason: "no plan yet", isReadOnly: false };
const list = { type: "command", command: "ls" } as const;
const gatedList = { ...list, isGated: true } as const;

/** What becomes of a call while the gate says this, where the permissions alone say `verdict`. */
async function judged(action: ToolAction, verdict: Verdict, closed: string | undefined) {
  const judge = async () => verdict;
  return gated({ judge }, { closed: () => closed }).judge({ tool: "any", action });
}

test.each([
  [list, looks, looks],
  [list, changes, refused],
  [{ type: "write", path: "a" } as const, changes, refused],
  [gatedList, looks, refused],
])(
  "P12 while the gate is closed, a verdict on %o that would be %o is %o",
  async (action, verdict, expected) => {
    expect(await judged(action, verdict, "no plan yet")).toEqual(expected);
  },
);

test.each([list, gatedList])("P12 when the gate is open, %o is judged as usual", async (action) => {
  expect(await judged(action, looks, undefined)).toEqual(looks);
  expect(await judged(action, changes, undefined)).toEqual(changes);
});

test("P12 while the gate is closed, a command may be tried where it changes nothing, unless it is gated itself", async () => {
  const triable: Verdict = { ...changes, confinement: "trial" };
  const outside: Verdict = { ...changes, confinement: "read-only" };

  expect(await judged(list, triable, "no plan yet")).toEqual({ ...refused, confinement: "trial" });
  expect(await judged(gatedList, triable, "no plan yet")).toEqual(refused);
  expect(await judged(list, outside, "no plan yet")).toEqual(refused);
});
