import { describe, expect, test } from "vitest";
import { lead, MemberName, newTeamId } from "../../protocol/ids.ts";
import type { Member, TeamRecord } from "../../protocol/team.ts";
import type { Roster } from "../../roster/roster.ts";
import { catchUncaughtErrors } from "../uncaught-errors.ts";

/** A roster that begins as `exampleTeam`. `reopen` is another process at the same roster. */
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
  describe(`${name} keeps the roster promises`, () => {
    test("an update is what is read afterwards", async () => {
      await using fixture = await open();

      const updated = await fixture.roster.update(add("bob"));

      expect(updated.members.map(({ name }) => name)).toEqual(["alice", "bob"]);
      expect(await fixture.roster.read()).toEqual(updated);
    });

    test("updates made at once are all kept", async () => {
      await using fixture = await open();

      await Promise.all(["bob", "carol", "dave"].map((name) => fixture.roster.update(add(name))));

      expect((await fixture.roster.read()).members).toHaveLength(4);
    });

    test("an update that throws changes nothing, and the next one works", async () => {
      await using fixture = await open();
      const before = await fixture.roster.read();

      const failed = fixture.roster.update(() => {
        throw new Error("changed my mind");
      });

      await expect(failed).rejects.toThrow("changed my mind");
      expect(await fixture.roster.read()).toEqual(before);
      await fixture.roster.update(add("bob"));
    });

    test("an update that makes no roster is refused", async () => {
      await using fixture = await open();
      const before = await fixture.roster.read();

      const failed = fixture.roster.update((team) => add("alice")(team));

      await expect(failed).rejects.toThrow("same name");
      expect(await fixture.roster.read()).toEqual(before);
    });

    test("what a caller does to a roster it was given changes nothing", async () => {
      await using fixture = await open();

      (await fixture.roster.read()).members.length = 0;

      expect((await fixture.roster.read()).members).toHaveLength(1);
    });

    test("fields that are not ours are kept", async () => {
      await using fixture = await open();

      await fixture.roster.update((team) => ({ ...team, motto: "nothing lost" }));
      await fixture.roster.update(add("bob"));

      expect(await fixture.roster.read()).toMatchObject({ motto: "nothing lost" });
    });

    test("a listener is told of the new roster until it leaves", async () => {
      await using fixture = await open();
      const seen: number[] = [];
      const stop = fixture.roster.onChange((team) => seen.push(team.members.length));

      await fixture.roster.update(add("bob"));
      stop();
      await fixture.roster.update(add("carol"));

      expect(seen).toEqual([2]);
    });

    test("a listener that throws breaks no update, and the others are told", async () => {
      await using fixture = await open();
      using uncaught = catchUncaughtErrors();
      const seen: number[] = [];
      fixture.roster.onChange(() => {
        throw new Error("a listener's bug");
      });
      fixture.roster.onChange((team) => seen.push(team.members.length));

      const updated = await fixture.roster.update(add("bob"));

      expect(await fixture.roster.read()).toEqual(updated);
      expect(seen).toEqual([2]);
      expect(await uncaught.settled()).toMatchObject([{ message: "a listener's bug" }]);
    });

    test.each(["lead", "user", "system", "all", "team", "outside"])(
      "nobody is enlisted as %s, which means somebody else",
      async (name) => {
        await using fixture = await open();
        const before = await fixture.roster.read();

        await expect(fixture.roster.update(add(name))).rejects.toThrow(
          `'${name}' is a reserved name`,
        );

        expect(await fixture.roster.read()).toEqual(before);
      },
    );

    test("a second process reads what the first has written", async ({ skip }) => {
      await using fixture = await open();
      if (!fixture.reopen) return skip("this backend lives in one process");
      await fixture.roster.update(add("bob"));

      const other = await fixture.reopen();

      expect(await other.read()).toEqual(await fixture.roster.read());
    });
  });
}

function add(name: string): (team: TeamRecord) => TeamRecord {
  const member: Member = { name: MemberName.parse(name), role: "tester", status: "idle" };
  return (team) => ({ ...team, members: [...team.members, member] });
}
