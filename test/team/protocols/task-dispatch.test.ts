import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import { newTeam } from "../../../src/roster/team-file.ts";
import { StoredTaskBoard } from "../../../src/tasks/stored-task-board.ts";
import { TaskDispatch } from "../../../src/team/protocols/task-dispatch.ts";
import { TeamTasks } from "../../../src/team/protocols/team-tasks.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { member } from "../../support/team.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];

test("open tasks go to idle members, oldest first, until nobody is idle", async () => {
  const it = openDispatch();
  for (const subject of ["one", "two", "three"]) await it.create(subject);
  it.idle.push(alice, bob);

  it.dispatch.start();
  await it.asleep();

  expect(it.mail).toEqual(["alice: 1", "bob: 2"]);
  expect((await it.board.list()).map(({ owner }) => owner)).toEqual([alice, bob, null]);
  it.idle.push(bob);
  it.dispatch.wake();
  await it.asleep();
  expect(it.mail).toEqual(["alice: 1", "bob: 2", "bob: 3"]);
});

test("a new task wakes the dispatch, but not once it is stopped", async () => {
  const it = openDispatch();
  it.idle.push(alice, bob);
  it.dispatch.start();
  await it.asleep();
  expect(it.mail).toEqual([]);

  await it.create("one");
  expect(it.dispatch.isAsleep).toBe(false);
  await it.asleep();
  expect(it.mail).toEqual(["alice: 1"]);
  await it.dispatch.stop();
  await it.create("two");

  expect(it.dispatch.isAsleep).toBe(true);
  expect(it.mail).toEqual(["alice: 1"]);
});

test("a task that somebody else takes first is left to them, without a warning", async () => {
  const it = openDispatch();
  const { id } = await it.create("one");
  it.idle.push(alice);
  it.beforeClaim = async () => void (await it.board.claim(id, { by: bob }));

  it.dispatch.start();
  await it.asleep();

  expect([it.mail, it.warnings]).toEqual([[], []]);
  expect(await it.board.get(id)).toMatchObject({ owner: bob });
});

test("any other failure is a warning, and the next wake tries again", async () => {
  const it = openDispatch();
  await it.create("one");
  it.idle.push(alice);
  it.beforeClaim = async () => {
    throw new TeamError("write-failed", "The disk is full");
  };
  it.dispatch.start();
  await it.asleep();
  expect(it.warnings).toEqual([expect.stringMatching(/could not be assigned.*The disk is full/)]);

  it.beforeClaim = async () => undefined;
  it.dispatch.wake();
  await it.asleep();

  expect(it.mail).toEqual(["alice: 1"]);
});

/** A dispatch whose idle members a test lists; a member that gets mail is not idle any more. */
function openDispatch() {
  const board = new StoredTaskBoard({ clock: new ManualClock() });
  const mail: string[] = [];
  const warnings: string[] = [];
  const idle: MemberName[] = [];
  const asleep = new Set<() => void>();
  const tasks = new TeamTasks({
    board,
    post: {
      send: async (to, draft) => {
        idle.splice(idle.indexOf(MemberName.parse(to)), 1);
        mail.push(`${to}: ${draft.type === "task_assignment" ? draft.task_id : draft.type}`);
      },
    },
    roster: async () => ({ ...newTeam(new Date(0)), members: [member("alice"), member("bob")] }),
    isWaiting: () => false,
    approvedPlanOf: () => undefined,
    onTaken: async () => undefined,
    review: async () => undefined,
  });
  const claim = tasks.claim.bind(tasks);
  tasks.claim = async (by, id) => {
    await it.beforeClaim();
    return claim(by, id);
  };
  const dispatch: TaskDispatch = new TaskDispatch({
    board,
    tasks,
    idle: () => idle,
    onSleep: () => {
      for (const wake of asleep) wake();
      asleep.clear();
    },
    onWarning: (message) => warnings.push(message),
  });
  const it = {
    board,
    dispatch,
    mail,
    warnings,
    idle,
    beforeClaim: async (): Promise<void> => undefined,
    create: (subject: string) => board.create({ subject, created_by: lead }),
    /** Resolves when the dispatch sleeps. */
    asleep: () =>
      new Promise<void>((resolve) => {
        if (dispatch.isAsleep) resolve();
        else asleep.add(resolve);
      }),
  };
  return it;
}
