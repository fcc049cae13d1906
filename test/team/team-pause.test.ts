import { expect, test } from "vitest";
import { MemberName } from "../../src/protocol/ids.ts";
import { Members } from "../../src/team/members/members.ts";
import { TeamPause } from "../../src/team/team-pause.ts";
import { promised } from "../support/promised.ts";
import { SetMember } from "../support/set-member.ts";

const [alice, bob] = [MemberName.parse("alice"), MemberName.parse("bob")];

function openPause() {
  const members = new Members(() => undefined);
  const teammates = [alice, bob].map((name) => new SetMember(name));
  for (const each of teammates) members.add(each);
  const it = { isSettled: true, ends: 0, watched: promised() };
  const pause = new TeamPause({
    members: {
      get living() {
        return members.living;
      },
      onChange(listener) {
        it.watched.keep();
        return members.onChange(listener);
      },
    },
    isSettled: () => it.isSettled,
    onEnd: () => {
      it.ends++;
    },
  });
  return Object.assign(it, { teammates, pause, changed: () => members.changed() });
}

test("while something is done nobody may run, also where it fails, and then everybody may", async () => {
  const it = openPause();
  const [first, log] = [promised(), [] as string[]];

  const done = it.pause.during(async () => {
    log.push(`first, ${it.pause.isOn}`);
    await first.promise;
  });
  const failing = it.pause.during(async () => {
    log.push(`second, ${it.pause.isOn}`);
    throw new Error("a bug");
  });
  first.keep();
  await done;
  await expect(failing).rejects.toThrow("a bug");

  expect(log).toEqual(["first, true", "second, true"]);
  expect([it.pause.isOn, it.ends]).toEqual([false, 2]);
});

test("nothing is done while a member runs, or while members come and go", async () => {
  const it = openPause();
  const work = async () => expect.unreachable();
  it.teammates[1]?.set({ isBusy: true, isRunning: true });

  await expect(it.pause.during(work)).rejects.toMatchObject({
    ...{ code: "team-busy", message: "bob: still working" },
  });
  it.teammates[1]?.set({ isBusy: false, isRunning: false });
  it.isSettled = false;
  await expect(it.pause.during(work)).rejects.toMatchObject({ message: "Members change" });

  expect([it.pause.isOn, it.ends]).toEqual([false, 2]);
});

test("a member that only looks for work is waited for, and one that has begun a run is not", async () => {
  const it = openPause();
  it.teammates[0]?.set({ isBusy: true });
  const log: string[] = [];

  const waiting = it.pause.during(async () => void log.push("done"));
  await it.watched.promise;
  it.changed();
  expect(log).toEqual([]);
  it.teammates[0]?.set({ isBusy: false });
  it.changed();
  await waiting;
  it.teammates[0]?.set({ isBusy: true });
  const refused = it.pause.during(async () => void log.push("never"));
  it.teammates[0]?.set({ isRunning: true });
  it.changed();

  await expect(refused).rejects.toMatchObject({ message: "alice: still working" });
  expect(log).toEqual(["done"]);
});
