import { expect, test } from "vitest";
import type { Verdict } from "../../src/permissions/verdict.ts";
import { gated } from "../../src/team/gated-permissions.ts";

const looks: Verdict = { decision: "allow", reason: "it only looks", isReadOnly: true };
const changes: Verdict = { decision: "allow", reason: "a rule", isReadOnly: false };
const refused: Verdict = { decision: "deny", reason: "no plan yet", isReadOnly: false };
const list = { type: "command", command: "ls" } as const;

/** What becomes of a call while the gate says this, where the permissions alone say `verdict`. */
async function judged(tool: string, verdict: Verdict, closed: string | undefined) {
  const judge = async () => verdict;
  return gated({ judge }, { closed: () => closed }).judge({ tool, action: list });
}

test.each([
  ["bash", looks, looks],
  ["bash", changes, refused],
  ["write_file", changes, refused],
  // It goes on after the call, when nobody looks any more.
  ["background_run", looks, refused],
])(
  "P12 while the gate is closed, what becomes of %s that is %o is %o",
  async (tool, verdict, expected) => {
    expect(await judged(tool, verdict, "no plan yet")).toEqual(expected);
  },
);

test.each(["bash", "background_run"])(
  "P12 once the gate is open, %s is judged as ever",
  async (tool) => {
    expect(await judged(tool, looks, undefined)).toEqual(looks);
    expect(await judged(tool, changes, undefined)).toEqual(changes);
  },
);
