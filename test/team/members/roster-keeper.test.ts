import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { Signature } from "../../../src/keys/signature.ts";
import { MemberName } from "../../../src/protocol/ids.ts";
import type { Member, TeamRecord } from "../../../src/protocol/team.ts";
import { MemoryRoster } from "../../../src/roster/memory-roster.ts";
import { isCharterSigned } from "../../../src/team/members/charter.ts";
import { restoredRecords } from "../../../src/team/members/restored-records.ts";
import { RosterKeeper } from "../../../src/team/members/roster-keeper.ts";
import { newTeam } from "../../../src/team/new-team.ts";

const alice = MemberName.parse("alice");
const signature = new Signature(randomBytes(32));
const record: Member = {
  name: alice,
  role: "coder",
  status: "idle",
  permission_mode: "plan",
  plan_required: true,
};

async function keeperOf(...members: Member[]) {
  const roster = new MemoryRoster(newTeam(new Date()));
  const keeper = new RosterKeeper(roster, signature);
  for (const member of members) await keeper.enlist(member);
  return { roster, keeper };
}

const edit = (roster: MemoryRoster, change: Partial<Member>) =>
  roster.update((team) => ({
    ...team,
    members: team.members.map((member) => ({ ...member, ...change })),
  }));

const memberOf = ({ members: [member] }: TeamRecord) => {
  if (!member) throw new Error("Nobody is there");
  return member;
};

test("changes that come while one is written are written together", async () => {
  const { roster, keeper } = await keeperOf(record);
  let writes = 0;
  roster.onChange(() => writes++);

  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      keeper.change(alice, (member) => ({ ...member, detail: `${index}` })),
    ),
  );

  expect(memberOf(await roster.read()).detail).toBe("49");
  expect(writes).toBeLessThan(5);
});

test("P13 an edit of what a member may do does not count, and is undone with the next change", async () => {
  const { roster, keeper } = await keeperOf(record);

  await edit(roster, {
    permission_mode: "bypassPermissions",
    plan_required: false,
    color: "pink",
  });
  await keeper.change(alice, (member) => ({ ...member, status: "working" }));

  const after = memberOf(await roster.read());
  expect(after).toMatchObject({ permission_mode: "plan", plan_required: true, color: "pink" });
  expect(isCharterSigned(after, signature)).toBe(true);
});

test.each<[string, Partial<Member>]>([
  ["another mode", { permission_mode: "bypassPermissions" }],
  ["no plan", { plan_required: false }],
  ["all tools", { tools: ["bash"] }],
  ["an end", { status: "shutdown" }],
  [
    "a plan that somebody else's request approved",
    { plan_request: "019b78c9-0a80-7982-9914-3907359dc4e0" as Member["plan_request"] },
  ],
])(
  "P13 a member whose record was edited between two starts to have %s is confined",
  async (_, change) => {
    const { roster } = await keeperOf(record);
    await edit(roster, change);
    const warnings: string[] = [];

    const { alive } = restoredRecords(
      await roster.read(),
      { signature, isKeyNew: false },
      (message) => warnings.push(message),
    );

    expect(alive).toMatchObject([
      { name: "alice", permission_mode: "default", plan_required: true },
    ]);
    expect(alive[0]?.status).not.toBe("shutdown");
    expect(warnings).toHaveLength(1);
  },
);

test("a record that was only recoloured is trusted", async () => {
  const { roster } = await keeperOf(record);
  await edit(roster, { color: "pink", status: "working" });

  const { alive } = restoredRecords(
    await roster.read(),
    { signature, isKeyNew: false },
    (message) => {
      throw new Error(message);
    },
  );

  expect(alive).toMatchObject([{ permission_mode: "plan", color: "pink" }]);
});

test("with a key that is new, a record that nobody has signed is believed", async () => {
  const { roster } = await keeperOf(record);
  await edit(roster, { sig: undefined });
  const signatures = { signature: new Signature(randomBytes(32)), isKeyNew: true };

  const { alive } = restoredRecords(await roster.read(), signatures, (message) => {
    throw new Error(message);
  });

  expect(alive).toMatchObject([{ permission_mode: "plan" }]);
});

test("P13 with a key that is new, a member whose record was signed with the lost one is confined", async () => {
  const { roster } = await keeperOf(record);
  const signatures = { signature: new Signature(randomBytes(32)), isKeyNew: true };
  const warnings: string[] = [];

  const { alive } = restoredRecords(await roster.read(), signatures, (it) => warnings.push(it));

  expect(alive).toMatchObject([{ permission_mode: "default", plan_required: true }]);
  expect(warnings).toHaveLength(1);
});
