import { describe, expect, test as plainTest } from "vitest";
import { lead, MemberName, newTeamId } from "../../protocol/ids.ts";
import type { MemberRecord, TeamRecord } from "../../protocol/team.ts";
import type { Roster } from "../../roster/roster.ts";
import { catchUncaughtErrors } from "../uncaught-errors.ts";
import { testWith } from "./test-with.ts";

/** A roster with the content of `exampleTeam`. `reopen` opens the same one as another process. */
export interface RosterFixture extends AsyncDisposable {
  roster: Roster;
  reopen?(): Promise<Roster>;
}

export function exampleTeam(): TeamRecord {
  return {
    team_name: "default",
    team_id: newTeamId(new Date(0)),
    lead,
    members: [{ name: MemberName.parse("alice"), role: "coder", status: "idle" }],
    format: 1,
  };
}

/** The promises in roster.ts, one test each. */
export function testRoster(name: string, open: () => Promise<RosterFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the roster promises`, () => {
    test("an update is visible to later reads", async ({ roster }) => {
      const updated = await roster.update(add("bob"));

      expect(updated.members.map(({ name }) => name)).toEqual(["alice", "bob"]);
      expect(await roster.read()).toEqual(updated);
    });

    test("simultaneous updates are all kept", async ({ roster }) => {
      await Promise.all(["bob", "carol", "dave"].map((name) => roster.update(add(name))));

      expect((await roster.read()).members).toHaveLength(4);
    });

    test("an update that throws changes nothing, and the next one works", async ({ roster }) => {
      const before = await roster.read();

      const failed = roster.update(() => {
        throw new Error("changed my mind");
      });

      await expect(failed).rejects.toThrow("changed my mind");
      expect(await roster.read()).toEqual(before);
      await roster.update(add("bob"));
    });

    test("an update that returns an invalid roster is refused", async ({ roster }) => {
      const before = await roster.read();

      const failed = roster.update((team) => add("alice")(team));

      await expect(failed).rejects.toThrow("same name");
      expect(await roster.read()).toEqual(before);
    });

    test("changing a returned roster does not change the store", async ({ roster }) => {
      (await roster.read()).members.length = 0;

      expect((await roster.read()).members).toHaveLength(1);
    });

    test("unknown fields are kept", async ({ roster }) => {
      await roster.update((team) => ({ ...team, motto: "nothing lost" }));
      await roster.update(add("bob"));

      expect(await roster.read()).toMatchObject({ motto: "nothing lost" });
    });

    test("a listener gets each new roster until it unsubscribes", async ({ roster }) => {
      const seen: number[] = [];
      const stop = roster.onChange((team) => seen.push(team.members.length));

      await roster.update(add("bob"));
      stop();
      await roster.update(add("carol"));

      expect(seen).toEqual([2]);
    });

    test("a listener that throws breaks no update, and the others are called", async ({
      roster,
    }) => {
      using uncaught = catchUncaughtErrors();
      const seen: number[] = [];
      roster.onChange(() => {
        throw new Error("a listener's bug");
      });
      roster.onChange((team) => seen.push(team.members.length));

      const updated = await roster.update(add("bob"));

      expect(await roster.read()).toEqual(updated);
      expect(seen).toEqual([2]);
      expect(await uncaught.settled()).toMatchObject([{ message: "a listener's bug" }]);
    });

    plainTest.each(["lead", "user", "system", "all", "team", "outside"])(
      "no member can have the reserved name %s",
      async (name) => {
        await using fixture = await open();
        const before = await fixture.roster.read();

        await expect(fixture.roster.update(add(name))).rejects.toThrow(
          `'${name}' is a reserved name`,
        );

        expect(await fixture.roster.read()).toEqual(before);
      },
    );

    test("a second process reads what the first has written", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("this backend lives in one process");
      await fixture.roster.update(add("bob"));

      const other = await fixture.reopen();

      expect(await other.read()).toEqual(await fixture.roster.read());
    });
  });
}

function add(name: string): (team: TeamRecord) => TeamRecord {
  const member: MemberRecord = { name: MemberName.parse(name), role: "tester", status: "idle" };
  return (team) => ({ ...team, members: [...team.members, member] });
}
