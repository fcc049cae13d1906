import { expect, test } from "vitest";
import { CommitId } from "../../../src/protocol/ids.ts";
import { maxContentBytes } from "../../../src/protocol/message.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { newTeam } from "../../../src/roster/team-file.ts";
import { signedFields } from "../../../src/team/members/signed-fields.ts";
import {
  aliveSince,
  isolationOf,
  isSameMember,
  type SpawnSurroundings,
  spawnedRecord,
} from "../../../src/team/members/spawning.ts";
import type { SpawnRequest } from "../../../src/tools/team/team-access.ts";
import { member } from "../../support/team.ts";

const now = new Date("2026-01-01T09:00:00.000Z");
const request: SpawnRequest = { name: "alice", role: "coder", prompt: "Begin." };

test("a teammate is as the lead is where nothing else is asked for", () => {
  expect(spawn({ ...request, name: "Alice", role: " coder " })).toEqual({
    name: "alice",
    role: "coder",
    status: "working",
    model: "lead/model",
    color: "cyan",
    cwd: "/repo",
    permission_mode: "acceptEdits",
    inherits: ["model", "effort", "permission_mode"],
    plan_required: false,
    alive_since: now.toISOString(),
    spawned_at: now.toISOString(),
    incarnation: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test("a teammate has the requested properties", () => {
  const asked = { model: "other/model", effort: "high", tools: ["bash"] } as const;

  expect(
    spawn({ ...request, ...asked, cwd: "sub", mode: "plan", planRequired: true }),
  ).toMatchObject({
    ...{ ...asked, cwd: "/repo/sub", permission_mode: "plan", plan_required: true, inherits: [] },
  });
  expect(spawn({ ...request, root: "copy" })).toMatchObject({
    ...{ root: "/repo/copy", cwd: "/repo/copy" },
  });
  expect(spawn({ ...request, root: "copy", cwd: "sub" })).toMatchObject({
    ...{ root: "/repo/copy", cwd: "/repo/copy/sub" },
  });
});

test("a teammate that is spawned again keeps what it had, and is another incarnation", () => {
  const before = spawn({
    ...{ ...request, model: "other/model", root: "copy", cwd: "sub", mode: "plan" },
    ...{ planRequired: true, tools: ["bash"] },
  });

  const again = spawn({ ...request, role: "tester" }, { members: [{ ...before, color: "red" }] });

  const { incarnation: _, role: __, color: ___, ...kept } = before;
  expect(again).toMatchObject({ ...kept, role: "tester", color: "red" });
  expect(again.incarnation).not.toBe(before.incarnation);
});

test("a teammate that is spawned again has the lead's current model, effort and mode where none was asked for", () => {
  const before = spawn({ ...request, mode: "plan" });
  expect(before.inherits).toEqual(["model", "effort"]);
  const later = {
    model: "later/model",
    effort: "low",
    mode: "bypassPermissions",
    cwd: "/repo",
  } as const;

  expect(spawn(request, { members: [before], lead: later })).toMatchObject({
    ...{ model: "later/model", effort: "low", permission_mode: "plan" },
    inherits: ["model", "effort"],
  });
  expect(spawn(request, { members: [spawn(request)], lead: later })).toMatchObject({
    ...{ model: "later/model", permission_mode: "bypassPermissions" },
  });
});

test("a teammate that is spawned again keeps the effort that was asked for, until another one is", () => {
  const before = spawn({ ...request, effort: "low" });
  const lead = { model: "lead/model", effort: "high", mode: "default", cwd: "/repo" } as const;

  expect(spawn(request, { members: [before], lead })).toMatchObject({ effort: "low" });
  expect(spawn({ ...request, effort: "none" }, { members: [before], lead })).toMatchObject({
    ...{ effort: "none", inherits: ["model", "permission_mode"] },
  });
});

test("what an older version recorded counts as asked for", () => {
  const { inherits: _, ...older } = spawn(request);
  const later = { model: "later/model", mode: "bypassPermissions", cwd: "/repo" } as const;

  expect(spawn(request, { members: [older], lead: later })).toMatchObject({
    ...{ model: "lead/model", permission_mode: "acceptEdits", inherits: ["effort"] },
  });
});

test("a teammate that moves to another workspace begins at its top", () => {
  const members = [spawn({ ...request, root: "copy", cwd: "sub" })];
  const cwdOf = (more: Partial<SpawnRequest>) => spawn({ ...request, ...more }, { members }).cwd;

  expect(cwdOf({ root: "other" })).toBe("/repo/other");
  expect(cwdOf({ root: "copy" })).toBe("/repo/copy/sub");
  expect(cwdOf({ cwd: "deep" })).toBe("/repo/copy/deep");
});

test("teammates have different colors, as long as there are enough", () => {
  const members: MemberRecord[] = [];
  for (let number = 1; number <= 9; number++) {
    members.push(spawn({ ...request, name: `member-${number}` }, { members, maxTeammates: 9 }));
  }

  const colors = members.map(({ color }) => color);
  expect(new Set(colors).size).toBe(8);
  expect(colors[8]).toBe(colors[0]);
});

test("the mode of a teammate that is spawned again becomes no wider than the lead's", () => {
  const members = [{ ...member("alice"), permission_mode: "acceptEdits" as const }];

  const inMode = (mode: "default" | "bypassPermissions") =>
    spawn(request, { members, lead: { model: "lead/model", mode, cwd: "/repo" } }).permission_mode;

  expect(inMode("default")).toBe("default");
  expect(inMode("bypassPermissions")).toBe("acceptEdits");
});

test.each([
  ["no role", { role: " " }, "spawn-refused", /needs a role/],
  ["no prompt", { prompt: "\n" }, "spawn-refused", /prompt is empty/],
  ["too long a prompt", { prompt: "x".repeat(maxContentBytes + 1) }, "content-too-large", /long/],
  ["unknown tools", { tools: ["bash", "fly", "swim"] }, "spawn-refused", /named 'fly', 'swim'$/],
  [
    ...(["too long instructions", { instructions: "x".repeat(65_537) }] as const),
    ...(["content-too-large", /instructions/] as const),
  ],
  ["a wider mode", { mode: "bypassPermissions" }, "spawn-refused", /wider than/],
  ["an unknown model", { model: "none" }, "config-invalid", /none/],
] as const)("a teammate with %s is refused", (_, asked, code, message) => {
  const refusal = refusalOf(() => spawn({ ...request, ...asked } as SpawnRequest));

  expect(refusal.message).toMatch(message);
  if (code !== "config-invalid") expect(refusal).toMatchObject({ code });
});

test("a teammate that works is not spawned again, one that rests is", () => {
  const members = [member("alice")];

  expect(refusalOf(() => spawn(request, { members, isBusy: () => true }))).toMatchObject({
    ...{ code: "spawn-refused", message: "'alice' is currently working" },
  });
  expect(spawn(request, { members }).name).toBe("alice");
});

test("no more teammates live than may, but those that are there are woken, and the ended do not count", () => {
  const members = [member("alice"), member("bob"), member("carol", "shutdown")];
  const spawnOf = (name: string, maxTeammates: number) => () =>
    spawn({ ...request, name }, { members, maxTeammates });

  expect(refusalOf(spawnOf("dave", 2)).message).toBe(
    "There are 2 teammates, and no more than 2 may be alive",
  );
  expect(refusalOf(spawnOf("carol", 2)).message).toMatch(/no more than 2/);
  expect(spawnOf("alice", 2)().name).toBe("alice");
  expect(spawnOf("dave", 3)().name).toBe("dave");
});

test("a teammate without a color of its own, as a person may write one, gets one", () => {
  expect(spawn(request, { members: [member("bob"), member("alice")] }).color).toBe("yellow");
});

test.each<[string, Partial<MemberRecord>]>([
  ["role", { role: "tester" }],
  ["model", { model: "other/model" }],
  ["effort", { effort: "low" }],
  ["workspace", { root: "/copy" }],
  ["directory", { cwd: "/repo/sub" }],
  ["set of tools", { tools: ["bash"] }],
  ["sandbox", { sandbox: "required" }],
  ["text of instructions", { instructions: "Be brief." }],
])("a member with another %s is opened again", (_, change) => {
  const record = spawn(request);

  expect(isSameMember({ ...record, ...change }, record)).toBe(false);
  expect(isSameMember({ ...record, permission_mode: "plan", color: "red" }, record)).toBe(true);
});

/** What a spawn puts in force for a member that is open, and what only says when and that it was spawned. */
const changedInPlace: readonly string[] = [
  ...["status", "permission_mode", "inherits", "plan_required", "plan_request"],
  ...["spawned_at", "alive_since", "incarnation", "ending"],
];

test.each(signedFields)(
  "P30 a member whose %s was changed is opened again, or has that anyway",
  (field) => {
    const record = spawn(request);
    const isPlace = field === "checkout";
    const changed = { ...record, [field]: isPlace ? { path: "/elsewhere" } : ["changed"] };

    expect(isSameMember(changed, record)).toBe(changedInPlace.includes(field));
    expect(isSameMember(changed, changed)).toBe(true);
  },
);

test("a teammate's sandbox is never weaker than the lead's, and stays as it was asked for", () => {
  const lead = { model: "lead/model", mode: "default", cwd: "/repo", sandbox: "auto" } as const;
  const before = spawn({ ...request, sandbox: "required" }, { lead });

  expect(before).toMatchObject({ sandbox: "required" });
  expect(spawn(request, { lead, members: [before] })).toMatchObject({ sandbox: "required" });
  expect(spawn(request, { lead })).not.toHaveProperty("sandbox");
  expect(refusalOf(() => spawn({ ...request, sandbox: "off" }, { lead }))).toMatchObject({
    ...{
      code: "spawn-refused",
      message: "The sandbox 'off' is weaker than the lead's, which is 'auto'",
    },
  });
});

const checkout = {
  ...{ path: "/checkouts/alice", target: "troupe/default" },
  base: CommitId.parse("a".repeat(40)),
};
const inCheckout = { ...member("alice"), checkout, root: "/checkouts/alice/sub" };

test("a teammate that has a checkout stays in it, and in its directory there", () => {
  const elsewhere = { ...inCheckout, cwd: "/checkouts/alice/sub/deep" };
  const placeOf = (known: MemberRecord, more: Partial<SpawnRequest> = {}) => {
    const { root, cwd, checkout: kept } = spawn({ ...request, ...more }, { members: [known] });
    return [root, cwd, kept?.path];
  };

  const { root, path } = { ...inCheckout, ...checkout };
  expect(placeOf(inCheckout)).toEqual([root, root, path]);
  expect(placeOf(elsewhere)).toEqual([root, `${root}/deep`, path]);
  expect(placeOf(elsewhere, { cwd: "other" })).toEqual([root, `${root}/other`, path]);
  expect(placeOf({ ...member("alice"), checkout })).toEqual([path, path, path]);
  expect(refusalOf(() => placeOf(inCheckout, { root: "copy" })).message).toMatch(
    /'alice' has a checkout, and works in it/,
  );
});

test.each<[string, MemberRecord, Partial<SpawnRequest>]>([
  ["of an earlier life", { ...inCheckout, status: "shutdown" }, {}],
  ["that it is not to have any longer", inCheckout, { isolation: "shared" }],
])("nothing is left of the directories of a checkout %s", (_, known, more) => {
  const again = spawn({ ...request, ...more }, { members: [known] });

  expect(again).toMatchObject({ cwd: "/repo" });
  for (const field of ["root", "checkout"]) expect(again).not.toHaveProperty(field);
  expect(spawn({ ...request, ...more, root: "copy" }, { members: [known] })).toMatchObject({
    ...{ root: "/repo/copy", cwd: "/repo/copy" },
  });
});

test("a teammate has a checkout as it was asked for, now or before, and otherwise as usual", () => {
  const [without, having] = [member("alice"), inCheckout];

  expect(isolationOf({}, undefined, "checkout")).toBe("checkout");
  expect(isolationOf({}, undefined, "shared")).toBe("shared");
  expect(isolationOf({}, without, "checkout")).toBe("shared");
  expect(isolationOf({}, having, "shared")).toBe("checkout");
  for (const known of [undefined, without, having]) {
    expect(isolationOf({ isolation: "checkout" }, known, "shared")).toBe("checkout");
    expect(isolationOf({ isolation: "shared" }, known, "checkout")).toBe("shared");
  }
});

test("instructions are kept when a teammate is spawned again, until there are others, or empty ones", () => {
  const before = spawn({ ...request, instructions: "Be brief." });
  const again = (instructions?: string) => {
    return spawn(
      { ...request, ...(instructions !== undefined && { instructions }) },
      {
        members: [before],
      },
    );
  };

  expect(again().instructions).toBe("Be brief.");
  expect(again("Be long.").instructions).toBe("Be long.");
  expect(again("")).not.toHaveProperty("instructions");
  expect(spawn({ ...request, instructions: "x".repeat(65_536) }).instructions).toHaveLength(65_536);
});

test("a member has been in the team since its first spawn after its last end", () => {
  const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];
  const alive = { ...member("alice"), spawned_at: late, alive_since: early };

  expect(aliveSince(undefined)).toBeUndefined();
  expect(aliveSince(alive)).toBe(early);
  expect(aliveSince({ ...alive, alive_since: undefined })).toBe(late);
  expect(aliveSince({ ...alive, status: "shutdown" })).toBeUndefined();
  expect(spawn(request, { members: [alive] })).toMatchObject({
    ...{ alive_since: early, spawned_at: now.toISOString() },
  });
  expect(spawn(request, { members: [{ ...alive, status: "shutdown" }] }).alive_since).toBe(
    now.toISOString(),
  );
});

function refusalOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("It was not refused");
}

/** The record of a teammate in a team whose lead may edit files. */
function spawn(
  asked: SpawnRequest,
  { members = [], ...surroundings }: Partial<SpawnSurroundings> & { members?: MemberRecord[] } = {},
): MemberRecord {
  return spawnedRecord(asked, {
    team: { ...newTeam(now), members },
    lead: { model: "lead/model", mode: "acceptEdits", cwd: "/repo" },
    isolation: "shared",
    toolNames: ["bash", "read_file"],
    maxTeammates: 8,
    isBusy: () => false,
    checkModel: (id) => {
      if (id === "none") throw new Error("There is no model named none");
    },
    now,
    ...surroundings,
  });
}
