import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { MemberName } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamOptions } from "../../src/team/team-options.ts";
import { mailNewestFirst } from "../../src/team/view/read-pages.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { gitEnvironment, gitIn, makeRepository } from "../support/repository.ts";
import { teamPlace, viewTeam } from "../support/team.ts";
import { checkoutPrompts, tutorialPrompts } from "../support/tutorial-prompts.ts";

/** The bundled program, as it is published. */
const program = resolve("dist/cli/main.js");

test("Spawn alice (coder) and bob (tester). Have alice send bob a message.", async () => {
  await using stage = await Stage.open();

  await stage.tell("Spawn alice (coder) and bob (tester). Have alice send bob a message.");

  expect(await stage.roster()).toEqual(["alice (coder): idle", "bob (tester): idle"]);
  const fromAlice = (await stage.mailOf("bob")).filter(({ from }) => from === "alice");
  expect(fromAlice).toMatchObject([{ type: "message", state: "delivered" }]);
});

test('Broadcast "status update: phase 1 complete" to all teammates', async () => {
  await using stage = await Stage.open();
  await stage.tell("Spawn alice (coder) and bob (tester).");

  await stage.tell('Broadcast "status update: phase 1 complete" to all teammates');

  for (const name of ["alice", "bob"]) {
    expect(await stage.mailOf(name)).toContainEqual(
      expect.objectContaining({
        ...{ type: "broadcast", from: "lead", state: "delivered" },
        content: "status update: phase 1 complete",
      }),
    );
  }
});

test("Check the lead inbox for any messages, and: Check your inbox for alice's result.", async () => {
  await using stage = await Stage.open();
  const team = stage.team;
  await team.spawn({ name: "alice", role: "coder", prompt: 'Send a message to lead: "Green."' });
  await team.quiet();

  const all = await stage.tell("Check the lead inbox for any messages");
  const ofAlice = await stage.tell("Check your inbox for alice's result.");

  expect(all.result).toContain("Green.");
  expect(ofAlice.result).toContain("alice");
  const unread = (await stage.mailOf("lead")).filter(({ state }) => state === "queued");
  expect(unread).toEqual([]);
});

test("Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.", async () => {
  await using stage = await Stage.open();

  await stage.tell(
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  );

  expect(await stage.file("schema.sql")).toMatch(/^CREATE TABLE users \(\n.*\n\);\n$/s);
  expect(await stage.roster()).toEqual(["alice (backend developer): idle"]);
  expect(await stage.mailOf("lead")).toContainEqual(
    expect.objectContaining({ type: "result", from: "alice", outcome: "done" }),
  );
});

test("Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.", async () => {
  await using stage = await Stage.open();
  await writeFile(join(stage.root, "schema.sql"), "CREATE TABLE mine (id INTEGER);\n");

  await stage.tell(
    "Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.",
  );

  expect(await stage.mailOf("lead")).toContainEqual(
    expect.objectContaining({
      ...{ type: "result", from: "bob" },
      content: expect.stringContaining("CREATE TABLE mine (id INTEGER);"),
    }),
  );
});

test("Spawn alice as a coder. Then request her shutdown. — List teammates to see alice's status after shutdown approval", async () => {
  await using stage = await Stage.open();

  await stage.tell("Spawn alice as a coder. Then request her shutdown.");
  const { result } = await stage.tell(
    "List teammates to see alice's status after shutdown approval",
  );

  expect(await stage.roster()).toEqual(["alice (coder): shutdown"]);
  expect(await stage.mailOf("lead")).toContainEqual(
    expect.objectContaining({ type: "shutdown_response", from: "alice", approve: true }),
  );
  expect(result).toContain("alice (coder): shutdown");
});

test("Spawn bob with a risky refactoring task. Review and reject his plan. — Spawn charlie, have him submit a plan, then approve it.", async () => {
  await using stage = await Stage.open();

  await stage.tell("Spawn bob with a risky refactoring task. Review and reject his plan.");
  const { undecided } = await stage.tell("Spawn charlie, have him submit a plan, then approve it.");

  const answers = [...(await stage.mailOf("bob")), ...(await stage.mailOf("charlie"))];
  expect(answers.filter(({ type }) => type === "plan_approval_response")).toMatchObject([
    { to: "bob", approve: false, feedback: expect.any(String) },
    { to: "charlie", approve: true },
  ]);
  expect(undecided).toEqual([]);
  expect(await stage.file("charlie-notes.md")).not.toBe("");
  await expect(stage.file("bob-notes.md")).rejects.toThrow("ENOENT");
});

test("Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.", async () => {
  await using stage = await Stage.open({ mode: "default" });

  const { tasks } = await stage.tell(
    "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.",
  );

  expect(tasks.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  for (const { owner, result } of tasks) {
    expect(["alice", "bob"]).toContain(owner);
    expect(result).toBeTruthy();
  }
  const assigned = [...(await stage.mailOf("alice")), ...(await stage.mailOf("bob"))].filter(
    ({ type, from }) => type === "task_assignment" && from === "system",
  );
  expect(assigned).toHaveLength(3);
});

test("Create tasks with dependencies. Watch teammates respect the blocked order.", async () => {
  await using stage = await Stage.open({ mode: "default" });
  const changes: string[] = [];
  const watching = (async () => {
    for await (const event of stage.team.events()) {
      if (event.type === "task-change") changes.push(`${event.id} ${event.status}`);
    }
  })();

  await stage.tell("Create tasks with dependencies. Watch teammates respect the blocked order.");
  await stage.team.close();
  await watching;

  expect(changes.filter((change) => !change.endsWith("pending"))).toEqual(
    ["1", "2", "3"].flatMap((id) => [`${id} in_progress`, `${id} completed`]),
  );
});

test("the whole tutorial in one team, prompt after prompt, leaves nothing undone", async () => {
  await using stage = await Stage.open();

  for (const prompt of tutorialPrompts) {
    const { end, members, undecided } = await stage.tell(prompt);
    expect({ prompt, outcome: end?.outcome, undecided }).toEqual({
      ...{ prompt, outcome: "done", undecided: [] },
    });
    expect(members.filter(({ status }) => status === "failed")).toEqual([]);
  }

  const { tasks, cost_usd } = await stage.team.summary();
  expect(tasks.map(({ status }) => status)).toEqual(Array(6).fill("completed"));
  expect(cost_usd).toBe(0);
});

test("three teammates change one file side by side in checkouts, and all of it lands; a conflict is solved by its member", async () => {
  const sections = ["Install", "Use", "Remove"].map((title) => `## ${title}\n\nTo do.\n`);
  const guide = `# Guide\n\n${sections.join("\n")}`;
  await using stage = await Stage.open({
    ...{ landing: { mode: "auto" }, mode: "bypassPermissions" },
    env: { ...gitEnvironment },
  });
  await makeRepository(stage.root, { "guide.md": guide });
  const onTarget = () => gitIn(stage.root, "show", "troupe/default:guide.md");

  const [write = "", add = ""] = checkoutPrompts;
  const first = await stage.tell(write);

  expect(first.landings.map(({ member, state }) => `${member} ${state}`).sort()).toEqual([
    "alice landed",
    "bob landed",
    "carol landed",
  ]);
  const written = ["alice", "bob", "carol"].map((name) => `as ${name}.`);
  for (const words of written) expect(await onTarget()).toContain(words);
  expect(await onTarget()).not.toContain("To do.");

  // Both write the same place, so at most one is not in conflict.
  await stage.tell(add);

  const { landings } = await stage.team.summary();
  expect(new Set(landings.map(({ state }) => state))).toEqual(new Set(["landed"]));
  const headings = (await onTarget()).match(/^## .*$/gm);
  expect(headings?.slice(0, 3)).toEqual(["## Install", "## Use", "## Remove"]);
  expect(headings?.slice(3).sort()).toEqual(["## Notes of alice", "## Notes of bob"]);
  expect(await onTarget()).not.toMatch(/^[<=>]{7}/m);
  // The person's own files are as they were.
  expect(await stage.file("guide.md")).toBe(guide);
});

test("a denied call is reported and keeps no member busy", async () => {
  await using stage = await Stage.open({
    mode: "default",
    approvals: { unattended: () => "nobody is there" },
  });

  const { denied, end } = await stage.tell(
    "Spawn alice as a coder. Ask her to create a file called a.txt with text.",
  );

  expect(denied).toMatchObject([{ from: "alice", subject: { tool: "write_file" } }]);
  expect(end?.outcome).toBe("done");
  expect(await stage.mailOf("lead")).toContainEqual(
    expect.objectContaining({
      ...{ type: "result", from: "alice" },
      content: expect.stringContaining("nobody is there"),
    }),
  );
});

test("a team that was closed in the middle of a scene finishes it when it is opened again", async () => {
  await using stage = await Stage.open({ mode: "default" });
  const asked = new Promise<string>((resolve, reject) => {
    (async () => {
      for await (const event of stage.team.events()) {
        if (event.type === "request-change" && event.request_type === "permission") {
          resolve(event.id);
        }
      }
    })().catch(reject);
  });
  await stage.team.prompt(
    "Spawn alice as a coder. Ask her to create a file called a.md with news.",
  );
  const id = await asked;

  await stage.reopen();
  await stage.team.answer(id, { decision: "allow-once" });
  await stage.team.quiet();

  expect(await stage.file("a.md")).toContain("news");
  expect(await stage.roster()).toEqual(["alice (coder): idle"]);
});

/** The calls of the lead in the scene: three tasks, a look at the team, two spawns, a wait and a look. */
test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "P08 after kill -9 in call %i of the lead no task is missing",
  async (count) => {
    await using directory = await temporaryDirectory();
    const env = { PATH: process.env.PATH, HOME: directory.path };
    const cwd = join(directory.path, "work");
    await mkdir(cwd);
    const run = (prompt: string, output: string) => {
      const argv = ["run", prompt, "--model", "rehearsal", "--output", output];
      return spawn(process.execPath, [program, ...argv], {
        cwd,
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
    };
    const first = run("Create 3 tasks on the board, then spawn alice and bob.", "stream-json");
    const exited = once(first, "exit");
    let calls = 0;
    for await (const line of createInterface({ input: first.stdout })) {
      const { type, member } = JSON.parse(line);
      if (type === "tool-call" && member === "lead") calls += 1;
      if (calls === count) break;
    }
    first.kill("SIGKILL");
    await exited;

    const second = run("Wait.", "json");
    const [out] = await Promise.all([text(second.stdout), once(second, "exit")]);

    const { tasks, members, exit_code } = JSON.parse(out);
    expect(tasks).toMatchObject(Array(3).fill({ status: "completed" }));
    expect(members).toMatchObject([{ name: "lead" }, { name: "alice" }, { name: "bob" }]);
    expect(exit_code).toBe(0);
  },
);

test("its answers can be recorded and replayed", async () => {
  await using directory = await temporaryDirectory();
  const recordTo = join(directory.path, "recording.jsonl");
  const prompt = "Spawn alice as a coder. Ask her to check if a.txt exists.";
  await using first = await Stage.open({ recordTo });
  const played = await first.tell(prompt);
  await first.team.close();

  await using second = await Stage.open({ model: `replay:${recordTo}` });
  const again = await second.tell(prompt);

  expect(again.result).toBe(played.result);
  expect(await second.roster()).toEqual(["alice (coder): idle"]);
});

/** A team of rehearsal models in a directory of its own. */
class Stage implements AsyncDisposable {
  readonly root: string;
  readonly #directory: AsyncDisposable;
  readonly #options: Partial<TeamOptions>;
  #team: Team | undefined;

  private constructor(root: string, directory: AsyncDisposable, options: Partial<TeamOptions>) {
    this.root = root;
    this.#directory = directory;
    this.#options = options;
  }

  static async open(options: Partial<TeamOptions> = {}): Promise<Stage> {
    const directory = await temporaryDirectory();
    const stage = new Stage(join(directory.path, "work"), directory, options);
    await mkdir(stage.root);
    await stage.reopen();
    return stage;
  }

  get team(): Team {
    if (!this.#team) throw new Error("There is no team");
    return this.#team;
  }

  async reopen(): Promise<void> {
    await this.#team?.close();
    this.#team = await Team.open({
      cwd: this.root,
      place: teamPlace(this.root),
      approvals: "wait",
      env: { PATH: process.env.PATH },
      model: "rehearsal",
      mode: "acceptEdits",
      checkouts: { directory: join(this.root, "..", "checkouts") },
      ...this.#options,
    });
  }

  async tell(prompt: string) {
    await this.team.prompt(prompt);
    return this.team.quiet();
  }

  async roster(): Promise<string[]> {
    const { members } = await this.team.roster();
    return members.map(({ name, role, status }) => `${name} (${role}): ${status}`);
  }

  /** Everything that a member was ever sent, oldest first. */
  async mailOf(name: string): Promise<(Message & { state: string })[]> {
    const view = viewTeam(this.root);
    const mail: (Message & { state: string })[] = [];
    for await (const record of mailNewestFirst(view, MemberName.parse(name))) {
      if (record.state === "set aside") throw new Error(`Set aside: ${record.reason}`);
      mail.unshift({ ...record.message, state: record.state });
    }
    return mail;
  }

  file(name: string): Promise<string> {
    return readFile(join(this.root, name), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#team?.close();
    await this.#directory[Symbol.asyncDispose]();
  }
}
