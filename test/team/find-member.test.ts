import { expect, test } from "vitest";
import { lead } from "../../src/protocol/ids.ts";
import { newTeam } from "../../src/roster/team-file.ts";
import {
  aliveMembers,
  findMember,
  findRecipient,
  hasEnded,
  memberNames,
} from "../../src/team/find-member.ts";
import { member } from "../support/team.ts";

const [alice, bob] = [member("alice"), member("bob", "shutdown")];
const team = { ...newTeam(new Date(0)), members: [alice, bob] };

test("mail reaches the lead and those who are alive, however their name is written", () => {
  expect(findRecipient(team, "lead")).toBe(lead);
  expect(findRecipient(team, "Alice")).toBe("alice");
  expect(findRecipient({ ...team, members: [member("carol", "failed")] }, "carol")).toBe("carol");
});

test("mail to an ended or unknown member is refused, with the names of those who are alive", () => {
  const hint = "Members: lead, alice.";
  const refusal = (name: string) => expect(() => findRecipient(team, name));

  refusal("bob").toThrow(expect.objectContaining({ code: "member-ended", hint }));
  refusal("carol").toThrow(expect.objectContaining({ code: "member-unknown", hint }));
});

test("a person finds those who have ended, too", () => {
  expect(["lead", "alice", "BOB"].map((name) => findMember(team, name))).toEqual([
    ...["lead", "alice", "bob"],
  ]);
  expect(() => findMember(team, "carol")).toThrow(
    expect.objectContaining({ code: "member-unknown", hint: "Members: lead, alice, bob." }),
  );
});

test("the names of a team, of those who are alive, and who has ended", () => {
  expect(memberNames(team)).toEqual(["lead", "alice", "bob"]);
  expect(aliveMembers(team)).toEqual(["lead", "alice"]);
  expect([lead, alice.name, bob.name].map((name) => hasEnded(team, name))).toEqual([
    ...[false, false, true],
  ]);
});
