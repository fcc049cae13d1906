import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { newTeamId } from "../../../src/protocol/ids.ts";
import type { TeamRecord } from "../../../src/protocol/team.ts";
import { newTeam } from "../../../src/roster/team-file.ts";
import {
  permissionsOf,
  signPermissions,
  withSignedPermissions,
} from "../../../src/team/members/signed-permissions.ts";

const signature = hmacSignature(Buffer.alloc(32, 1));
const rule = { decision: "allow", rule: "bash(ls:*)", change: "added" } as const;
const rules = [{ ...rule, at: "2026-01-01T09:00:00.000Z" }];
const team = newTeam(new Date(0));
const signed = withRules(team, signature);
const forged = withRules(team, hmacSignature(Buffer.alloc(32, 2)));

test("P13 what the person decided counts where it was signed, for this very team, as it is", () => {
  expect(permissionsOf(signed, signature)).toEqual({ rules, mode: "plan" });
  const others: TeamRecord[] = [
    ...[team, forged, { ...signed, team_id: newTeamId(new Date(0)) }],
    ...[{ mode: "bypassPermissions" }, { mode: undefined }, { rules: [] }, { model: "p/m" }].map(
      (change) => ({ ...signed, permissions: { ...permissionsIn(signed), ...change } as never }),
    ),
  ];

  for (const other of others) expect(permissionsOf(other, signature)).toEqual({ rules: [] });
});

test("a team that was signed before there was a model to choose is signed as it was", () => {
  const undefinedToo = { rules, mode: "plan", model: undefined, effort: undefined } as const;

  expect(signPermissions(undefinedToo, team, signature).sig).toBe(permissionsIn(signed).sig);
});

test("P13 an edit of the rules in the roster does not count, and the person is told", () => {
  for (const edited of [team, forged]) {
    const { kept, warnings } = restored(edited, signed);
    expect(kept).toEqual({ ...edited, permissions: signed.permissions });
    expect(warnings).toEqual([expect.stringMatching(/were not written by troupe/)]);
  }
  const { kept, warnings } = restored(forged, team);
  expect(kept).toEqual(team);
  expect(kept).not.toHaveProperty("permissions");
  expect(warnings).toHaveLength(1);
});

test("rules that are as they were, or that troupe wrote where none were known, stay without a word", () => {
  for (const [edited, known] of [
    [{ ...signed, team_name: "renamed" }, signed],
    [signed, undefined],
    [signed, team],
    [signed, forged],
    [team, undefined],
    [team, team],
  ] as const) {
    expect(restored(edited, known)).toEqual({ kept: edited, warnings: [] });
  }
});

test("rules of a known roster that was forged do not come back", () => {
  expect(restored(team, forged)).toEqual({ kept: team, warnings: [] });
});

function withRules(of: TeamRecord, by: typeof signature): TeamRecord {
  return { ...of, permissions: signPermissions({ rules, mode: "plan" }, of, by) };
}

function permissionsIn({ permissions }: TeamRecord) {
  if (!permissions) throw new Error("It has none");
  return permissions;
}

function restored(edited: TeamRecord, known: TeamRecord | undefined) {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  return { kept: withSignedPermissions(edited, known, { signature, onWarning }), warnings };
}
