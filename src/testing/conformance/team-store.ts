import { describe, expect, test as plainTest } from "vitest";
import { lead, MemberName } from "../../protocol/ids.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import type { TeamStore } from "../../team/team-store.ts";
import { testWith } from "./test-with.ts";

/** A new team without members. */
export interface TeamStoreFixture extends AsyncDisposable {
  store: TeamStore;
}

/** The promises in team-store.ts, one test each. The parts of a store have their own suites. */
export function testTeamStore(name: string, open: () => Promise<TeamStoreFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the team store's promises`, () => {
    test("mail to a member reaches its reader", async ({ store }) => {
      await enlist(store, "alice", "idle");
      const { reader } = await store.openMember(alice, ignored);

      const sent = await store.send("Alice", hello);

      expect((await reader.unread()).map(({ message }) => message)).toEqual([sent]);
      expect(sent).toMatchObject({ from: "lead", to: "alice", content: "hello" });
    });

    test("the lead has a mailbox from the start", async ({ store }) => {
      const { reader } = await store.openMember(lead, ignored);

      await store.send("lead", hello);

      expect(await reader.unread()).toHaveLength(1);
    });

    test("mail to an unknown member is refused, and the error lists the members", async ({
      store,
    }) => {
      await enlist(store, "alice", "idle");

      await expect(store.send("carol", hello)).rejects.toMatchObject({
        code: "member-unknown",
        hint: "Members: lead, alice.",
      });
    });

    test("mail to an ended member is refused, to a failed one not", async ({ store }) => {
      await enlist(store, "alice", "shutdown");
      await enlist(store, "bob", "failed");

      await expect(store.send("alice", hello)).rejects.toMatchObject({
        code: "member-ended",
        hint: "Members: lead, bob.",
      });
      await store.send("bob", hello);
    });

    plainTest.each(["../lead", "a/b", "ALL", "", "x".repeat(33), "ünal", "-a"])(
      "%j is refused as a member's name",
      async (name) => {
        await using fixture = await open();

        const sending = fixture.store.send(name, hello);

        await expect(sending).rejects.toMatchObject({
          code: expect.stringMatching(/^(name-invalid|member-unknown)$/),
        });
      },
    );

    test("a closed member can be opened again, with its unread mail", async ({ store }) => {
      const first = await store.openMember(lead, ignored);
      const sent = await store.send("lead", hello);

      await first[Symbol.asyncDispose]();
      const second = await store.openMember(lead, ignored);

      expect(second).not.toBe(first);
      expect((await second.reader.unread()).map(({ message }) => message)).toEqual([sent]);
      expect(second.lost.aborted).toBe(false);
    });

    test("the newest unread mail can be read without opening the member", async ({ store }) => {
      await enlist(store, "alice", "idle");
      expect(await store.newestUnread(alice)).toBeUndefined();

      await store.send("alice", hello);
      const { id } = await store.send("alice", hello);
      expect(await store.newestUnread(alice)).toBe(id);
      const { reader } = await store.openMember(alice, ignored);
      await reader.unread();
      await reader.acknowledge(id);

      expect(await store.newestUnread(alice)).toBeUndefined();
    });

    test("opening a member twice returns the same object", async ({ store }) => {
      const first = await store.openMember(lead, ignored);

      expect(await store.openMember(lead, ignored)).toBe(first);
    });
  });
}

const alice = MemberName.parse("alice");
const hello = { type: "message", from: lead, content: "hello" } as const;
const ignored = { onSetAside: () => undefined };

export async function enlist(
  store: TeamStore,
  name: string,
  status: MemberRecord["status"] = "idle",
): Promise<void> {
  const member: MemberRecord = { name: MemberName.parse(name), role: "coder", status };
  await store.roster.update((team) => ({ ...team, members: [...team.members, member] }));
}
