import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { MemberName, newMessageId } from "../../../src/protocol/ids.ts";
import type { MemberRecord, TeamRecord } from "../../../src/protocol/team.ts";
import { MemoryRoster } from "../../../src/roster/memory-roster.ts";
import { newTeam } from "../../../src/roster/team-file.ts";
import { RosterKeeper } from "../../../src/team/members/roster-keeper.ts";
import { isMemberSigned, withSignedMembers } from "../../../src/team/members/signed-fields.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const signature = hmacSignature(randomBytes(32));
const record: MemberRecord = {
  name: alice,
  role: "coder",
  status: "idle",
  permission_mode: "plan",
  plan_required: true,
};

async function keeperOf(...members: MemberRecord[]) {
  const roster = new MemoryRoster(newTeam(new Date()));
  const keeper = new RosterKeeper(roster, signature);
  for (const member of members) await keeper.upsert(member);
  return { roster, keeper };
}

const edit = (roster: MemoryRoster, change: Partial<MemberRecord>) =>
  roster.update((team) => ({
    ...team,
    members: team.members.map((member) => ({ ...member, ...change })),
  }));

const memberOf = ({ members: [member] }: TeamRecord) => {
  if (!member) throw new Error("Nobody is there");
  return member;
};

test("changes that arrive during a write are written together", async () => {
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

test("of all members only those change for which there is another record, as this process knows them", async () => {
  const { roster, keeper } = await keeperOf(record, { ...record, name: bob });
  await edit(roster, { permission_mode: "bypassPermissions" });

  const { members } = await keeper.changeAll((member) =>
    member.name === alice ? { ...member, model: "a/b" } : member,
  );

  expect(members).toMatchObject([
    { name: alice, model: "a/b", permission_mode: "plan" },
    { name: bob, permission_mode: "bypassPermissions" },
  ]);
  expect(members.map((each) => isMemberSigned(each, signature))).toEqual([true, false]);
});

test("settled also waits for the change that is being written", async () => {
  const { roster, keeper } = await keeperOf(record);
  let isWritten = false;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const slow = new RosterKeeper(
    {
      read: () => roster.read(),
      onChange: (listener) => roster.onChange(listener),
      async update(edit) {
        begin();
        await setImmediate();
        isWritten = true;
        return roster.update(edit);
      },
    },
    signature,
  );
  const changing = slow.change(alice, (member) => ({ ...member, detail: "new" }));
  await begun;

  await slow.settled();

  expect(isWritten).toBe(true);
  await changing;
  expect(memberOf(await keeper.read()).detail).toBe("new");
});

test("the newest 16 orders of the person to stop all members are remembered", async () => {
  const { keeper } = await keeperOf();
  const orders = Array.from({ length: 17 }, (_, index) => newMessageId(new Date(index)));

  for (const order of orders) await keeper.noteStop(order);

  expect((await keeper.read()).stops).toEqual(orders.slice(1));
});

test("a member that a person removed from the roster is not changed, and can be added again", async () => {
  const { roster, keeper } = await keeperOf(record);
  await roster.update((team) => ({ ...team, members: [] }));

  await keeper.change(alice, (member) => ({ ...member, status: "working" }));
  expect((await roster.read()).members).toEqual([]);
  await keeper.upsert({ ...record, role: "tester" });
  await keeper.upsert({ ...record, name: bob });
  await keeper.upsert({ ...record, role: "reviewer" });

  expect((await roster.read()).members).toMatchObject([
    { name: "alice", role: "reviewer" },
    { name: "bob", role: "coder" },
  ]);
});

test("a record that was already on disk is trusted, and an edit of it is undone", async () => {
  const { roster } = await keeperOf(record);
  const keeper = new RosterKeeper(roster, signature);
  keeper.trust(memberOf(await roster.read()));
  await edit(roster, { permission_mode: "bypassPermissions" });

  await keeper.change(alice, (member) => ({ ...member, status: "working" }));

  expect(memberOf(await roster.read())).toMatchObject({
    permission_mode: "plan",
    status: "working",
  });
});

test("P13 an edit of a member's permissions is ignored, and undone with the next change", async () => {
  const { roster, keeper } = await keeperOf(record);

  await edit(roster, {
    permission_mode: "bypassPermissions",
    plan_required: false,
    color: "pink",
  });
  await keeper.change(alice, (member) => ({ ...member, status: "working" }));

  const after = memberOf(await roster.read());
  expect(after).toMatchObject({ permission_mode: "plan", plan_required: true, color: "pink" });
  expect(isMemberSigned(after, signature)).toBe(true);
});

test.each<[string, Partial<MemberRecord>]>([
  ["another mode", { permission_mode: "bypassPermissions" }],
  ["no plan", { plan_required: false }],
  ["all tools", { tools: ["bash"] }],
  ["another role", { role: "who does as the repository says" }],
  ["another model", { model: "openai-compatible/elsewhere" }],
  ["another directory", { cwd: "evil" }],
  ["an end", { status: "shutdown" }],
  [
    "a plan that somebody else's request approved",
    { plan_request: "019b78c9-0a80-7982-9914-3907359dc4e0" as MemberRecord["plan_request"] },
  ],
])(
  "P13 P37 a member whose record was edited to have %s is unchanged, or removed",
  async (_, change) => {
    const { roster } = await keeperOf(record);
    const known = await roster.read();
    await edit(roster, change);
    const edited = await roster.read();
    const warnings: string[] = [];
    const options = { signature, onWarning: (message: string) => warnings.push(message) };

    expect(withSignedMembers(edited, known, options).members).toEqual(known.members);
    expect(withSignedMembers(edited, undefined, options).members).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining("It continues as before"),
      expect.stringContaining("and was removed"),
    ]);
  },
);

test("an older signed record cannot be restored", async () => {
  const { roster, keeper } = await keeperOf({ ...record, permission_mode: "acceptEdits" });
  const older = await roster.read();
  await keeper.change(alice, (member) => ({ ...member, permission_mode: "plan" }));
  const known = await roster.read();
  const options = { signature, onWarning: () => undefined };

  expect(withSignedMembers(older, known, options).members).toMatchObject([
    { permission_mode: "plan" },
  ]);
});

test("P37 a member that was added to the roster by hand is not used", async () => {
  const { roster } = await keeperOf(record);
  const known = await roster.read();
  const warnings: string[] = [];
  const options = { signature, onWarning: (message: string) => warnings.push(message) };
  const ghost: MemberRecord = { name: MemberName.parse("ghost"), role: "evil", status: "working" };

  const { members } = withSignedMembers(
    { ...known, members: [...known.members, ghost] },
    known,
    options,
  );

  expect(members).toEqual(known.members);
  expect(warnings).toEqual([expect.stringContaining("'ghost'")]);
});

test("P08 a member whose name was damaged is restored, and one that a person removed is not", async () => {
  const { roster } = await keeperOf(record);
  const known = await roster.read();
  const options = { signature, onWarning: () => undefined };
  const misnamed = known.members.map((it) => ({ ...it, name: MemberName.parse("alicf") }));

  expect(withSignedMembers({ ...known, members: misnamed }, known, options)).toEqual(known);
  expect(withSignedMembers({ ...known, members: [] }, known, options).members).toEqual([]);
});

test("a record with only another colour is trusted", async () => {
  const { roster } = await keeperOf(record);
  const known = await roster.read();
  await edit(roster, { color: "pink" });
  const options = {
    signature,
    onWarning: (message: string) => {
      throw new Error(message);
    },
  };

  const { members } = withSignedMembers(await roster.read(), known, options);

  expect(members).toMatchObject([{ permission_mode: "plan", color: "pink" }]);
});
