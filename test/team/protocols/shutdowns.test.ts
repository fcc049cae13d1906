import { expect, test } from "vitest";
import { Secrets } from "../../../src/lib/secrets.ts";
import { lead, parseTeammateName } from "../../../src/protocol/ids.ts";
import { RosterKeeper } from "../../../src/team/members/roster-keeper.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { Post } from "../../../src/team/post.ts";
import { Shutdowns } from "../../../src/team/protocols/shutdowns.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { member } from "../../support/team.ts";

const alice = parseTeammateName("alice");

test("P07 shutdown requests to an earlier member of the same name are over, even at the same time by the clock", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const agreed = await it.shutdowns.ask(lead, alice);
  await it.shutdowns.answer(alice, agreed.id, { approve: true });
  const pending = await it.shutdowns.ask(lead, alice);
  it.ended.length = 0;
  await it.enlist("second");

  await it.restart();

  expect(it.ended).toEqual([]);
  expect(await it.stateOf(pending.id)).toBe("expired");
  expect(it.shutdowns.isAnyOpen).toBe(false);
});

test("control: what was asked of the very same one is carried on", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const pending = await it.shutdowns.ask(lead, alice);

  await it.restart();
  expect(it.shutdowns.isAnyOpen).toBe(true);
  expect(await it.stateOf(pending.id)).toBe("pending");

  await it.shutdowns.answer(alice, pending.id, { approve: true });
  it.ended.length = 0;
  await it.restart();
  expect(it.ended).toEqual(["alice: it agreed to shut down"]);
});

test("nobody is ended by the grace time of its predecessor", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  await it.shutdowns.ask(lead, alice);

  await it.shutdowns.settle(alice);
  await it.enlist("second");
  it.clock.advance(10_000);

  expect(it.ended).toEqual([]);
});

/** The shutdowns of a team in which alice is, and in which nobody is really ended. */
async function openShutdowns() {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  const keeper = new RosterKeeper(store.roster, store.signature);
  const ended: string[] = [];
  const open = () =>
    new Shutdowns({
      ...{ requests: store.requests, keeper, clock, graceMs: 5_000 },
      post: new Post({ store, secrets: new Secrets([]), clock }),
      end: async (name, reason) => void ended.push(`${name}: ${reason}`),
      onWarning: (message) => {
        throw new Error(message);
      },
    });
  return {
    clock,
    ended,
    shutdowns: open(),
    enlist: (incarnation: string) => keeper.upsert({ ...member("alice"), incarnation }),
    async restart() {
      this.shutdowns[Symbol.dispose]();
      this.shutdowns = open();
      await this.shutdowns.restore((await keeper.read()).members);
    },
    stateOf: async (id: Parameters<typeof store.requests.get>[0]) =>
      (await store.requests.get(id)).state,
    async [Symbol.asyncDispose]() {
      this.shutdowns[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
