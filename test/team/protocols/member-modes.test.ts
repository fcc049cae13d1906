import { expect, test } from "vitest";
import { lead, user } from "../../../src/protocol/ids.ts";
import type { PermissionMode } from "../../../src/protocol/message.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { modeMessage, storedModes } from "../../../src/team/protocols/member-modes.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { member } from "../../support/team.ts";

const leads = { member: lead, mode: "acceptEdits", followsLead: false } as const;

test("a teammate's mode is its own one, where that is not wider than the lead's, or the lead's", async () => {
  const team = await openTeam("acceptEdits", [
    { ...member("narrow"), permission_mode: "plan", inherits: [] },
    { ...member("wide"), permission_mode: "bypassPermissions", inherits: [] },
    { ...member("same"), permission_mode: "default", inherits: ["permission_mode"] },
    { ...member("ended", "shutdown"), permission_mode: "plan", inherits: [] },
  ]);

  expect(await team.modes()).toEqual([
    leads,
    { member: "narrow", mode: "plan", followsLead: false },
    { member: "wide", mode: "acceptEdits", followsLead: false },
    { member: "same", mode: "acceptEdits", followsLead: true },
  ]);
});

test("the mode of a lead for which none is recorded is the usual one", async () => {
  const team = await openTeam(undefined, [member("alice")]);

  expect((await team.modes()).map(({ mode }) => mode)).toEqual(["default", "default"]);
});

test("P13 the mode of a member whose record somebody else wrote is not shown", async () => {
  const team = await openTeam("acceptEdits", []);
  await team.store.roster.update((record) => ({
    ...record,
    members: [{ ...member("mallory"), permission_mode: "bypassPermissions" }],
  }));

  expect(await team.modes()).toEqual([leads]);
});

test("a mode is ordered where it is not wider than the lead's", () => {
  expect(modeMessage("alice", "plan", [leads])).toEqual({
    ...{ type: "mode_set_request", from: user, mode: "plan" },
  });
  expect(modeMessage("alice", "bypassPermissions", [])).toMatchObject({
    mode: "bypassPermissions",
  });
  expect(() => modeMessage("alice", "bypassPermissions", [leads])).toThrow(
    expect.objectContaining({
      ...{ code: "config-invalid", hint: "The lead's mode is 'acceptEdits'." },
      message: expect.stringContaining("'alice' cannot have the mode 'bypassPermissions'"),
    }),
  );
});

async function openTeam(mode: PermissionMode | undefined, members: readonly MemberRecord[]) {
  const { store, protocols } = openTestProtocols();
  if (mode) await protocols.permissions.noteMode(mode);
  for (const record of members) await protocols.keeper.upsert(record);
  return { store, modes: async () => storedModes(await store.roster.read(), store.signature) };
}
