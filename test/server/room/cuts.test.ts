import { expect, test } from "vitest";
import type { RoomState } from "../../../src/protocol/dashboard.ts";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
import type { TeamStore } from "../../../src/team/team-store.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { openRoom, Page } from "./page.ts";

/** A small generator of numbers that a seed repeats. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

test("a page that loses its connection repeatedly finally shows the same as a new one", async () => {
  const seed = Number(process.env.TROUPE_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const roll = dice(seed);
  await using directory = await temporaryDirectory();
  const store = await openStore(directory.path);
  await enlist(store, member("m0", "working"), member("m1", "working"));
  await using room = openRoom(directory.path);
  await using page = new Page(room);

  let told = 0;
  for (let step = 0; step < 150; step++) {
    if (await happen(store, roll, step)) told += 1;
    if (roll(3) === 0) await page.cut();
    if (roll(2) === 0 && told > 0) {
      // At least that message will come, so that this does not wait for ever.
      await page.takeNext();
      told = 0;
    }
  }
  await store.send("lead", { type: "message", from: user, content: "the end" });
  await store[Symbol.asyncDispose]();
  await using fresh = new Page(room);
  await fresh.shows(isOver);

  expect(page.came.filter((event) => event === "state").length).toBe(1);
  await page.shows((shown) => JSON.stringify(shown) === JSON.stringify(fresh.shown));
});

function isOver({ running, members, messages }: RoomState): boolean {
  return (
    running === null &&
    members.every(({ doing }) => doing === null) &&
    messages.some(({ text }) => text === "the end")
  );
}

/** Something happens in the team. True where it is a message. */
async function happen(
  store: TeamStore,
  roll: (sides: number) => number,
  step: number,
): Promise<boolean> {
  const name = MemberName.parse(`m${roll(2)}`);
  const at = new Date().toISOString();
  switch (roll(5)) {
    case 0:
      store.events.append({ type: "turn-start", at, member: name, turn: 1 });
      return false;
    case 1:
      await store.tasks.create({ subject: `task ${step}`, created_by: lead });
      return false;
    case 2:
      store.events.append({ type: "warning", at, message: `warning ${step}` });
      return false;
    default:
      await store.send(name, { type: "message", from: user, content: `message ${step}` });
      return true;
  }
}
