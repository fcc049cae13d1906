import { join } from "node:path";
import { expect, test } from "vitest";
import type { KeptWork } from "../../../src/checkouts/checkouts.ts";
import { TeamError } from "../../../src/errors.ts";
import type { Git } from "../../../src/git/git.ts";
import { LandingQueue } from "../../../src/landing/landing-queue.ts";
import { CommitId, lead, MemberName, MessageId, user } from "../../../src/protocol/ids.ts";
import type { Landing, LandingCheck, LandingMode } from "../../../src/protocol/landing.ts";
import { exitCodeOf } from "../../../src/team/exit-code.ts";
import { summarize } from "../../../src/team/summary.ts";
import type { SupervisorOptions } from "../../../src/team/supervisor-options.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { alice, bob, commitEdits, type FileEdits, target } from "../../support/landings.ts";
import { ControlledStore } from "../../support/protocols.ts";
import { gitIn, makeRepository, openGit } from "../../support/repository.ts";
import { openSupervisor } from "../../support/supervisor.ts";

const reportId = MessageId.parse("01890000-0000-7000-8000-000000000001");
const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

test("P28 what a member has changed lands when its run ends, and the team is not quiet before", async () => {
  const held = gate();
  await using team = await openTeam({ mode: "auto", check: () => held.opened });
  team.works.set(alice, { "a.txt": lines.replace("1", "one") });
  team.works.set(bob, { "a.txt": lines.replace("9", "nine") });

  await team.spawn("alice");
  await team.spawn("bob");
  await team.until(() => team.areAllIdle && team.checked.length === 1);
  expect(team.supervisor.isQuiet).toBe(false);
  held.open();
  await team.until(() => team.supervisor.isQuiet);

  expect(await team.states()).toEqual(["landed", "landed"]);
  expect(await team.show("a.txt")).toBe(lines.replace("1", "one").replace("9", "nine").trimEnd());
  expect(await gitIn(team.root, "status", "--porcelain")).toBe("");
  expect(team.warnings).toEqual([]);
});

test("a run that has changed nothing hands in nothing", async () => {
  await using team = await openTeam({ mode: "auto" });

  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);

  expect(await team.states()).toEqual([]);
  expect(team.opened).toBe(0);
});

test("others and the lead hear of a landing with their next turn, and are not woken by it", async () => {
  await using team = await openTeam({ mode: "auto" });
  await team.spawn("bob");
  await team.until(() => team.supervisor.isQuiet);
  const { runs } = team.supervisor.members;
  team.works.set(alice, { "b.txt": "b\n" });

  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);

  // Of alice.
  expect(team.supervisor.members.runs).toBe(runs + 1);
  const [told] = await team.store.unreadOf(bob);
  expect(told).toMatchObject({ type: "landing_notification", landing_id: "1", from: "system" });
  expect(told?.content).toContain(`The work of alice is on ${target} now`);
  expect(told?.content).toContain("- b.txt");
  expect(told?.content).toContain(`git merge origin/${target}`);
  expect((await team.store.unreadOf(alice)).map(({ type }) => type)).toEqual([
    "landing_notification",
  ]);
  expect((await team.store.unreadOf(lead)).at(-1)).toMatchObject({ landing_state: "landed" });
});

test("P28 a conflict goes to its member once, with the files and what to do, and what it hands in then lands", async () => {
  await using team = await openTeam({ mode: "auto" });
  await team.landOther({ "a.txt": lines.replace("1", "eins") });
  team.works.set(alice, { "a.txt": lines.replace("1", "one") });
  // The mail about the conflict wakes it, and it solves it.
  team.later.set(alice, { "a.txt": lines.replace("1", "one, eins") });

  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);

  expect((await team.states()).slice(1)).toEqual(["replaced", "landed"]);
  const [conflict, second] = (await team.store.landings.list()).slice(1);
  expect(conflict).toMatchObject({ attempt: 1, replaced_by: second?.id });
  expect(second).toMatchObject({ attempt: 2 });
  const mail = await team.sentTo(alice, "message");
  expect(mail).toHaveLength(2);
  expect(mail[1]).toContain(`cannot be merged with ${target}. In conflict:\n- a.txt`);
  expect(mail[1]).toContain(`git merge origin/${target}`);
  expect(mail[1]).toContain("attempt 1 of 3");
});

test("P28 a red check goes to its member with the output, and after three attempts to the lead", async () => {
  const check = { command: "npm test", exit_code: 1, reason: "exit 1", output: "1 failed" };
  await using team = await openTeam({ mode: "auto", check: async () => check });
  const tries = ["one", "two", "three"].map((content) => ({ "b.txt": content }));
  team.sequences.set(alice, tries);

  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);

  expect(await team.states()).toEqual(["replaced", "replaced", "failed"]);
  const mail = await team.sentTo(alice, "message");
  expect(mail).toHaveLength(3);
  expect(mail[1]).toContain("npm test\nexit 1. The end of its output:\n1 failed");
  const [told] = (await team.sentTo(lead, "message")).slice(-1);
  expect(told).toContain("Given up after 3 attempts");
  expect(await team.tip()).toBe(team.base);
  expect(exitCodeOf(await team.summary())).toBe(3);
});

test.each(["ask", "never"] as const)(
  "with %s, work waits until the person says so",
  async (mode) => {
    await using team = await openTeam({ mode });
    team.works.set(alice, { "b.txt": "b\n" });
    await team.spawn("alice");
    await team.until(() => team.supervisor.isQuiet);
    const [waiting] = await team.store.landings.list();
    expect(waiting).toMatchObject({ state: "taken", approved: false });
    expect([undefined, team.base]).toContain(await team.tip());
    if (!waiting) return;

    await team.decide(waiting, "land");
    await team.until(() => team.supervisor.isQuiet);

    expect(await team.states()).toEqual(["landed"]);
    expect(await team.show("b.txt")).toBe("b");
  },
);

test("exit 3 while work waits for the person, who is asked; not where nobody is to be asked", async () => {
  for (const [mode, code] of [["ask", 3] as const, ["never", 0] as const]) {
    await using team = await openTeam({ mode });
    team.works.set(alice, { "b.txt": "b\n" });
    await team.spawn("alice");
    await team.until(() => team.supervisor.isQuiet);
    const summary = await team.summary();

    expect(exitCodeOf({ ...summary, end: { outcome: "done", answers: [] } })).toBe(code);
    expect(summary.landings).toMatchObject([{ id: "1", member: "alice", state: "taken" }]);
  }
});

test("a decision about another commit than the person has seen is refused", async () => {
  await using team = await openTeam({ mode: "ask" });
  team.works.set(alice, { "b.txt": "b\n" });
  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);
  const [waiting] = await team.store.landings.list();
  if (!waiting) throw new Error("Nothing was handed in");

  await team.decide({ ...waiting, commit: team.base }, "land");
  await team.until(() => team.supervisor.isQuiet && team.warnings.length > 0);

  expect(team.warnings[0]).toContain("another commit than the one that was decided on");
  expect(await team.states()).toEqual(["taken"]);
});

test("what the person discards does not land, and its member is told", async () => {
  await using team = await openTeam({ mode: "ask" });
  team.works.set(alice, { "b.txt": "b\n" });
  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);
  const [waiting] = await team.store.landings.list();
  if (!waiting) throw new Error("Nothing was handed in");

  await team.decide(waiting, "discard", "too large");
  await team.until(() => team.told.includes("discarded"));

  expect(await team.states()).toEqual(["discarded"]);
  expect(await gitIn(team.root, "rev-parse", waiting.ref)).toBe(waiting.commit);
  const [told] = await team.store.unreadOf(alice);
  expect(told?.content).toContain("too large");
});

test("what a member hands in later replaces what waits", async () => {
  await using team = await openTeam({ mode: "ask" });
  team.sequences.set(alice, [{ "b.txt": "b\n" }, { "b.txt": "bb\n" }]);
  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);
  await team.supervisor.protocols.post.send("alice", {
    ...{ type: "message", from: lead, content: "More." },
  });
  await team.until(() => team.supervisor.isQuiet);

  const landings = await team.store.landings.list();

  expect(landings).toMatchObject([
    { state: "replaced", replaced_by: "2" },
    { state: "taken", attempt: 1 },
  ]);
});

test("what is handed in later replaces a landing that the queue moves on at the same time", async () => {
  await using team = await openTeam({ mode: "ask" });
  team.sequences.set(alice, [{ "b.txt": "b\n" }, { "b.txt": "bb\n" }]);
  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);
  const { landings } = team.store;
  const move = landings.move.bind(landings);
  let hasMoved = false;
  landings.move = async (landing, to) => {
    if (to.state === "replaced" && !hasMoved) {
      hasMoved = true;
      await move(landing, { state: "taken", reason: "It waits for your decision" });
    }
    return await move(landing, to);
  };

  await team.supervisor.protocols.post.send("alice", {
    ...{ type: "message", from: lead, content: "More." },
  });
  await team.until(() => team.supervisor.isQuiet);

  expect(await team.states()).toEqual(["replaced", "taken"]);
  expect(hasMoved).toBe(true);
  expect(team.warnings).toEqual([]);
});

test("the work of a member that has ended goes to the lead where it cannot land", async () => {
  const held = gate();
  const check = { command: "npm test", exit_code: 1, reason: "exit 1", output: "" };
  await using team = await openTeam({ mode: "auto", check: () => held.opened.then(() => check) });
  team.works.set(alice, { "b.txt": "b\n" });
  await team.spawn("alice");
  await team.until(() => team.checked.length === 1 && team.areAllIdle);
  await team.supervisor.end(alice, { reason: "not needed", expected: true });
  held.open();
  await team.until(() => team.supervisor.isQuiet);

  const mail = await team.sentTo(lead, "message");
  expect(mail.at(-1)).toContain("alice has ended. Its work is kept as refs/troupe/team/alice/1");
});

test("P28 the next process goes on with a landing that this one has left, and tells of it once", async () => {
  await using directory = await temporaryDirectory();
  const root = await makeRepository(join(directory.path, "work"), { "a.txt": lines });
  await using store = new ControlledStore();
  const never = new Promise<undefined>(() => {});
  const first = await openTeam({
    mode: "auto",
    root,
    store,
    check: (_, signal) => or(signal, never),
  });
  first.works.set(alice, { "b.txt": "b\n" });
  await first.spawn("alice");
  await first.until(() => first.checked.length === 1);
  await first[Symbol.asyncDispose]();
  expect(await first.states()).toEqual(["merged"]);

  await using second = await openTeam({ mode: "auto", root, store });
  await second.until(() => second.supervisor.isQuiet);

  expect(await second.states()).toEqual(["landed"]);
  const told = (await store.unreadOf(alice)).filter(({ type }) => type === "landing_notification");
  expect(told).toHaveLength(1);
});

test("work that cannot be kept is told to the lead, and its member goes on", async () => {
  await using team = await openTeam({ mode: "auto" });
  team.works.set(alice, "unusable");
  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);

  expect(team.warnings[0]).toContain("The work of alice is not handed in");
  expect((await team.sentTo(lead, "message"))[0]).toContain("is not handed in");
  expect((await team.statuses()).alice).toBe("idle");
});

test("after git could not be opened for landings, it is opened again for the next ones", async () => {
  await using team = await openTeam({ mode: "auto", failures: 1 });
  team.sequences.set(alice, [{ "b.txt": "b\n" }, { "b.txt": "bb\n" }]);
  await team.spawn("alice");
  await team.until(() => team.supervisor.isQuiet);
  expect(team.warnings).toEqual([expect.stringContaining("Git is not installed")]);
  expect(await team.states()).toEqual([]);

  await team.supervisor.protocols.post.send("alice", {
    ...{ type: "message", from: lead, content: "More." },
  });
  await team.until(() => team.supervisor.isQuiet);

  expect(await team.states()).toEqual(["landed"]);
  expect(await team.show("b.txt")).toBe("bb");
});

interface LandingTeamOptions {
  mode: LandingMode;
  /** How often what brings work to the target cannot be opened (default: never). */
  failures?: number;
  check?: (commit: CommitId, signal: AbortSignal) => Promise<LandingCheck | undefined>;
  root?: string;
  store?: ControlledStore;
}

/** A team whose members' work is made by hand, without checkouts. */
async function openTeam({ mode, check, ...given }: LandingTeamOptions) {
  const directory = given.root ? undefined : await temporaryDirectory();
  const root =
    given.root ?? (await makeRepository(join(directory?.path ?? "", "work"), { "a.txt": lines }));
  const git = await openGit(root);
  const base = CommitId.parse(await git.text(["rev-parse", "HEAD"]));
  const works = new Map<MemberName, FileEdits | "unusable">();
  const later = new Map<MemberName, FileEdits>();
  const sequences = new Map<MemberName, FileEdits[]>();
  const checked: string[] = [];
  const told: string[] = [];
  let [opened, number] = [0, 0];
  const kept = new Map<MemberName, number>();

  const keep = async (member: MemberName): Promise<KeptWork | undefined> => {
    const next = sequences.get(member)?.shift() ?? works.get(member);
    works.delete(member);
    if (next === "unusable") throw new TeamError("git-failed", "Its repository is damaged");
    if (!next) return undefined;
    const follows = later.get(member);
    if (follows) works.set(member, follows);
    later.delete(member);
    const tip = (kept.get(member) ?? 0) > 0 ? await tipOf(git) : undefined;
    kept.set(member, (kept.get(member) ?? 0) + 1);
    const parents = tip === undefined ? [base] : [base, tip];
    const index = join(root, ".git", `index-${++number}`);
    const commit = await commitEdits(git, { parents, edits: next, index });
    const ref = `refs/troupe/team/${member}/${number}`;
    await git.text(["update-ref", ref, commit]);
    return { ref, commit, base, target };
  };
  const landing: SupervisorOptions["landing"] = {
    mode,
    keep,
    async openWorks({ tell, ...parts }) {
      opened++;
      if (opened <= (given.failures ?? 0)) {
        throw new TeamError("git-missing", "Git is not installed");
      }
      const queue = new LandingQueue({
        ...{ ...parts, git, isProtected: () => false },
        check: async (commit, signal) => {
          checked.push(commit);
          team.supervisor.members.changed();
          return await check?.(commit, signal);
        },
        tell: async (landed: Landing) => {
          await tell(landed, landed.state === "landed" ? ["b.txt"] : []);
        },
      });
      return { queue, [Symbol.asyncDispose]: async () => undefined };
    },
  };
  const end = { outcome: "done", reason: undefined, reportId } as const;
  const unsettled = new Set<MemberName>();
  const supervised = await openSupervisor({
    landing,
    ...(given.store && { store: given.store }),
    onRun: async (name) => void unsettled.add(name),
    lastRun: (name) => (name !== lead && unsettled.has(name) ? { end, unsettledEnd: end } : {}),
    onSettled: (name) => void unsettled.delete(name),
  });
  const { store, supervisor } = supervised;
  store.landings.onChange(({ state }) => {
    told.push(state);
    supervisor.members.changed();
  });
  const team = {
    ...{ root, base, works, later, sequences, checked, told, store, supervisor },
    get opened() {
      return opened;
    },
    get areAllIdle() {
      return supervised.areAllIdle;
    },
    warnings: supervised.warnings,
    statuses: () => supervised.statuses(),
    until: (holds: () => boolean) => supervised.until(holds),
    async spawn(name: string) {
      await supervised.spawn(name);
      const checkout = { path: "/nowhere", base, target };
      await supervisor.protocols.keeper.change(MemberName.parse(name), (record) => ({
        ...record,
        checkout,
      }));
    },
    async landOther(edits: FileEdits) {
      const index = join(root, ".git", `index-${++number}`);
      const commit = await commitEdits(git, { parents: [base], edits, index });
      const ref = "refs/troupe/team/other/1";
      await git.text(["update-ref", ref, commit]);
      await supervisor.landings.take(bob, { ref, commit, base, target });
      await this.until(() => supervisor.landings.isAtRest);
    },
    async states() {
      return (await store.landings.list()).map(({ state }) => state);
    },
    show: (path: string) => gitIn(root, "show", `${target}:${path}`),
    tip: () => tipOf(git),
    summary: () => summarize(supervisor, { date: new Date(0), ms: 0 }),
    async sentTo(to: MemberName, type: string): Promise<string[]> {
      const { mailbox } = await store.openMember(to, { onSetAside: () => undefined });
      const contents: string[] = [];
      for await (const record of mailbox.records()) {
        if ("message" in record && record.message.type === type) {
          contents.unshift(record.message.content);
        }
      }
      return contents;
    },
    async decide(landing: Landing, decision: "land" | "discard", reason?: string) {
      const { id: landing_id, commit } = landing;
      const order = { type: "landing_decision", landing_id, commit, decision } as const;
      await store.send(lead, { ...order, from: user, ...(reason && { reason }) });
      await this.until(() => !supervisor.isQuiet || this.warnings.length > 0 || told.length > 1);
    },
    async [Symbol.asyncDispose]() {
      await supervised[Symbol.asyncDispose]();
      await directory?.[Symbol.asyncDispose]();
    },
  };
  return team;
}

async function tipOf(git: Git): Promise<CommitId | undefined> {
  const { code, output } = await git.run(["rev-parse", "-q", "--verify", `refs/heads/${target}`]);
  return code === 0 ? CommitId.parse(output.toString("utf8").trim()) : undefined;
}

function gate() {
  let open = () => {};
  const opened = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  return { opened, open };
}

function or(signal: AbortSignal, other: Promise<undefined>): Promise<undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return Promise.race([aborted, other]);
}
