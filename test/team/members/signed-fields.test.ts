import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { MemberName } from "../../../src/protocol/ids.ts";
import type { MemberRecord, TeamRecord } from "../../../src/protocol/team.ts";
import { newTeam } from "../../../src/roster/team-file.ts";
import {
  confine,
  isMemberSigned,
  restoreSignedFields,
  signMember,
  withSignedMembers,
} from "../../../src/team/members/signed-fields.ts";

const signature = hmacSignature(Buffer.alloc(32, 1));
const others = hmacSignature(Buffer.alloc(32, 2));
const full: MemberRecord = {
  ...{ name: MemberName.parse("alice"), role: "coder", status: "idle", model: "a/b" },
  ...{ root: "/repo", cwd: "/repo/src", permission_mode: "default", plan_required: true },
  ...{ plan_request: "019b78c9-0a80-7982-9914-3907359dc4e0", tools: ["bash"], color: "red" },
  ...{ spawned_at: "2026-01-01T09:00:00.000Z", incarnation: "one", detail: "…" },
} as MemberRecord;
const signed = signMember(full, signature);

test.each([
  { name: MemberName.parse("bob") },
  ...[
    { role: "tester" },
    { model: "c/d" },
    { effort: "max" },
    { root: "/" },
    { cwd: "/" },
    { status: "shutdown" },
  ],
  ...[{ permission_mode: "bypassPermissions" }, { sandbox: "off" }, { plan_required: false }],
  ...[{ plan_request: undefined }, { tools: undefined }, { tools: ["bash", "write_file"] }],
  ...[{ spawned_at: "2026-01-01T10:00:00.000Z" }, { incarnation: "two" }, { root: undefined }],
  ...[{ inherits: ["permission_mode"] }, { inherits: [] }],
  ...[{ instructions: "Obey alice." }, { sig: undefined }, { sig: "…" }],
  ...[{ agent: { name: "reviewer", sha256: "0" } }, { disallowed_tools: ["bash"] }],
  ...[{ own_rules: { only: ["bash(git:*)"] } }, { asks_nobody: true }, { max_turns: 9 }],
  ...[{ max_cost: 9 }, { network: "open" }, { skills: ["pdf"] }],
  ...[{ hooks: { Stop: [] } }, { mcp_servers: { names: ["github"], own: {} } }],
] as Partial<MemberRecord>[])("a record with another %j is not signed", (change) => {
  expect(isMemberSigned(signed, signature)).toBe(true);
  expect(isMemberSigned({ ...signed, ...change }, signature)).toBe(false);
});

test("what decides nothing is not signed, nor is what another key has signed", () => {
  const ending = { reason: "…", expected: true };
  const changes = [{ status: "failed" }, { color: "blue" }, { detail: "!" }, { ending }];
  for (const change of changes as Partial<MemberRecord>[]) {
    expect(isMemberSigned({ ...signed, ...change }, signature)).toBe(true);
  }
  expect(isMemberSigned(signed, others)).toBe(false);
});

test("a record that inherits is signed as such", () => {
  const inheriting = signMember({ ...full, inherits: ["permission_mode"] }, signature);

  expect(isMemberSigned(inheriting, signature)).toBe(true);
  for (const inherits of [
    undefined,
    [],
    ["model", "permission_mode"],
  ] as MemberRecord["inherits"][]) {
    expect(isMemberSigned({ ...inheriting, inherits }, signature)).toBe(false);
  }
});

test("of an edited record only what decides nothing counts", () => {
  const { tools: _, ...known } = signed;
  const edited = { ...signed, color: "blue", role: "boss", status: "working" } as MemberRecord;

  expect(restoreSignedFields(edited, known)).toEqual({ ...known, color: "blue" });
});

test("a member of a team that was taken over must ask for everything", () => {
  const wide = { ...full, permission_mode: "bypassPermissions", plan_required: false } as const;
  expect(confine(wide)).toEqual({ ...full, permission_mode: "default", plan_required: true });
  expect(confine({ ...wide, inherits: ["model", "permission_mode"] })).toMatchObject({
    ...{ permission_mode: "default", inherits: ["model"] },
  });
});

test("only members that troupe wrote are in a team, each as it was known", () => {
  const bob = signMember(named("bob"), signature);
  const strange = signMember(named("carol"), others);

  expect(vouched([signed, bob], [])).toEqual({ members: [signed, bob], warnings: [] });
  expect(vouched([signed, strange], [signed])).toEqual({
    members: [signed],
    warnings: [expect.stringMatching(/'carol' was not written by troupe, and was removed/)],
  });
  // A record that was signed, and is not the newest.
  const older = signMember({ ...full, permission_mode: "bypassPermissions" }, signature);
  expect(vouched([{ ...older, color: "blue" }], [signed])).toEqual({
    members: [{ ...signed, color: "blue" }],
    warnings: [],
  });
  expect(vouched([{ ...signed, role: "boss" }], [signed])).toEqual({
    members: [signed],
    warnings: [expect.stringMatching(/'alice' was not written.*continues as before/)],
  });
  // What is known counts as far as it is signed.
  expect(vouched([signed], [{ ...signed, role: "boss" }]).members).toEqual([signed]);
});

test("a member whose name was damaged is still there, and one that a person took out is not", () => {
  const bob = signMember(named("bob"), signature);
  const damaged = { ...bob, name: MemberName.parse("bpb") };

  expect(vouched([signed, damaged], [signed, bob]).members).toEqual([signed, bob]);
  expect(vouched([signed], [signed, bob]).members).toEqual([signed]);
  expect(vouched([signed, { ...bob, role: "boss" }], [signed, bob]).members).toEqual([signed, bob]);
  const carol = signMember(named("carol"), signature);
  expect(vouched([signed, carol], [signed, bob]).members).toEqual([signed, carol]);
});

function named(name: string): MemberRecord {
  return { ...full, name: MemberName.parse(name) };
}

function vouched(members: MemberRecord[], known: MemberRecord[]) {
  const team: TeamRecord = { ...newTeam(new Date(0)), members };
  const warnings: string[] = [];
  const found = withSignedMembers(
    team,
    known.length > 0 ? { ...team, members: known } : undefined,
    {
      signature,
      onWarning: (message) => warnings.push(message),
    },
  );
  return { members: found.members, warnings };
}
