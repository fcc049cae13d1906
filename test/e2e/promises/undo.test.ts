import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findUndone, type RewindPoint } from "../../../src/agent/rewind.ts";
import { MemberName, MessageId } from "../../../src/protocol/ids.ts";
import type { Team } from "../../../src/team/team.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { positionsToCarry } from "../../../src/transcript/transcript.ts";
import { openStore, teamPlace } from "../../support/team.ts";
import { shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { nextQuestion } from "./scenes.ts";

const write = (path: string, content: string) => calls("write_file", { path, content });
const free = { mode: "acceptEdits", allow: ["bash"] } as const;

test("P39 the team goes back to a prompt, with the files that its tools changed, and names what it cannot take back", async () => {
  await using it = await twoPrompts();
  const { team, wire } = it;
  const [, second] = await team.checkpoints();
  expect(second?.text).toBe("Change them.");

  const preview = await team.previewRewind(second?.id ?? "");
  const before = await it.texts();
  const report = await team.rewind(second?.id ?? "");

  expect(before).toEqual(["two", "new", "by bob", "touched"]);
  expect(preview.members).toEqual([
    { member: "lead", effect: "goes-back" },
    { member: "alice", effect: "goes-back" },
    { member: "bob", effect: "ends" },
  ]);
  expect(preview.cannot).toContain(
    "What a command of lead did is not undone: printf touched > made-by-command",
  );
  expect(report.restored.sort()).toEqual(it.paths("a.txt", "b.txt", "bob.txt"));
  expect(await it.texts()).toEqual(["one", undefined, undefined, "touched"]);
  expect((await team.checkpoints()).map(({ text }) => text)).toEqual(["Write them."]);
  expect(await wire.statusOf("bob")).toBe("shutdown");

  await team.prompt("Something else.");
  await team.message("alice", "And you?");
  await team.quiet();
  for (const name of ["lead", "alice"]) {
    const shown = shownIn(wire.requestsOf(name).at(-1));
    expect(shown).toMatch(/Write them\.|First\./);
    expect(shown).not.toMatch(/Change them\.|Second\.|bob/);
  }
});

test("P39 the conversation is the same after a restart, and what came since is not delivered again", async () => {
  await using it = await twoPrompts();
  const [, second] = await it.team.checkpoints();
  await it.team.rewind(second?.id ?? "", { files: false });
  await it.team.close();

  const again = await it.wire.open(free);
  await again.prompt("Something else.");
  await again.quiet();

  expect(await it.texts()).toEqual(["two", "new", "by bob", "touched"]);
  const shown = shownIn(it.wire.requestsOf("lead").at(-1));
  expect(shown).toContain("Write them.");
  expect(shown).not.toMatch(/Change them\.|bob/);
  expect(it.wire.warnings).toEqual([]);
});

test("P39 a file that something else has changed since is named, and left unless it is confirmed", async () => {
  await using it = await twoPrompts();
  const { team } = it;
  const [first] = await team.checkpoints();
  const [path = ""] = it.paths("a.txt");
  await writeFile(path, "mine");

  const { files } = await team.previewRewind(first?.id ?? "");
  await team.rewind(first?.id ?? "", { conversation: false });

  const problem = "something else has changed it since";
  expect(files).toContainEqual({ path, action: "remove", problem });
  expect(await it.texts()).toEqual(["mine", undefined, undefined, "touched"]);
  expect(await team.checkpoints()).toHaveLength(2);

  await team.rewind(first?.id ?? "", { overwrite: [path] });
  expect(await it.texts()).toEqual([undefined, undefined, undefined, "touched"]);
  expect(await team.checkpoints()).toEqual([]);
});

test("P39 a rewind that a killed process has begun is finished by repeating it", async () => {
  await using it = await twoPrompts();
  const [, second] = await it.team.checkpoints();
  const { id = "" } = second ?? {};
  // As far as a process came that died before the lead's turn.
  const seenAt = new Date(second?.at ?? 0);
  const point = { id: MessageId.parse(id), sentAt: seenAt, seenAt };
  await it.team.close();
  await it.rewindAlone("alice", point);

  const again = await it.wire.open(free);
  await again.quiet();
  await again.rewind(id);

  expect(await it.texts()).toEqual(["one", undefined, undefined, "touched"]);
  await again.message("alice", "And you?");
  await again.quiet();
  const shown = shownIn(it.wire.requestsOf("alice").at(-1));
  expect(shown).toContain("First.");
  expect(shown).not.toContain("Second.");
});

test("P39 a rewind in a copy of the project changes nothing in the original", async () => {
  await using copied = await temporaryDirectory();
  await using it = await twoPrompts();
  await it.team.close();
  await cp(it.wire.root, copied.path, { recursive: true });
  // It says of teammates that they cannot continue outside the original.
  const options = { directory: join(copied.path, ".team"), onWarning: () => undefined };
  const place = teamPlace(it.wire.root, options);
  const team = await it.wire.open({ ...free, cwd: copied.path, place });
  const [first] = await team.checkpoints();

  const overwrite = it.paths("a.txt", "b.txt", "bob.txt");
  const report = await team.rewind(first?.id ?? "", { overwrite });

  expect(report.restored).toEqual([]);
  const problem = "it is in another directory";
  expect(report.files).toEqual(overwrite.map((path) => ({ path, action: "leave", problem })));
  expect(await it.texts()).toEqual(["two", "new", "by bob", "touched"]);
});

test("P39 what a member changed in a workspace of its own goes back too", async () => {
  await using own = await temporaryDirectory();
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("Ready."), reply([write("own.txt", "made")]), says("Made.")],
  });
  const team = await wire.open(free);
  await team.spawn({ name: "alice", role: "coder", prompt: "Wait.", root: own.path });
  await team.quiet();
  await team.prompt("Go on.");
  await team.message("alice", "Make it.");
  await team.quiet();
  const path = join(own.path, "own.txt");
  expect(existsSync(path)).toBe(true);

  const checkpoint = (await team.checkpoints()).find(({ text }) => text === "Go on.");
  await team.rewind(checkpoint?.id ?? "");

  expect(existsSync(path)).toBe(false);
});

test("P39 the approval of a plan that was handed in since is void, after a restart too", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      says("Ready."),
      calls("plan_approval", { plan: "The plan" }),
      says("I wait."),
      write("planned.txt", "text"),
      says("Done."),
      write("unplanned.txt", "text"),
      says("Refused."),
      write("unplanned.txt", "text"),
      says("Refused."),
    ],
  });
  const options = { ...free, planApproval: "user" } as const;
  const team = await wire.open(options);
  await team.spawn({ name: "alice", role: "coder", prompt: "Wait.", planRequired: true });
  await team.quiet();
  await team.prompt("Go on.");
  await team.quiet();
  const asked = nextQuestion(team, "plan");
  await team.message("alice", "Make a plan.");
  await wire.requested("alice", 3);
  await team.answer(await asked, { decision: "allow-once" });
  await wire.made("planned.txt");
  await team.quiet();

  const checkpoint = (await team.checkpoints()).find(({ text }) => text === "Go on.");
  await team.rewind(checkpoint?.id ?? "");
  await team.message("alice", "Write.");
  await team.quiet();
  expect(wire.shownTo("alice")).toContain("you need an approved plan first");
  await team.close();
  const again = await wire.open(options);
  await again.message("alice", "Write now.");
  await again.quiet();

  expect(wire.requestsOf("alice")).toHaveLength(9);
  expect(existsSync(join(wire.root, "unplanned.txt"))).toBe(false);
  expect(await wire.recordOf("alice")).toMatchObject({ plan_required: true });
});

test("a team at work does not go back, and an unknown prompt is refused", async () => {
  await using wire = await TeamOnWire.start({
    lead: [reply([calls("bash", { command: "sleep 60" })]), says("Done.")],
  });
  const team = await wire.open(free);
  const watched = new Watched(team);
  await team.prompt("Wait.");
  await watched.until(({ type }) => type === "tool-call");
  const [checkpoint] = await team.checkpoints();

  await expect(team.rewind(checkpoint?.id ?? "")).rejects.toMatchObject({ code: "team-busy" });
  team.interrupt();
  await team.quiet();
  await expect(team.rewind("nothing")).rejects.toMatchObject({ code: "request-unknown" });
  await team.rewind(checkpoint?.id ?? "");

  expect(await team.checkpoints()).toEqual([]);
  await watched.until(({ type }) => type === "rewind");
});

/** The first prompt makes a file, the second one changes it, and has others work too. */
async function twoPrompts() {
  const wire = await TeamOnWire.start({
    lead: [
      reply([write("a.txt", "one"), calls("bash", { command: "true" })]),
      says("Written."),
      reply([
        write("a.txt", "two"),
        write("b.txt", "new"),
        calls("bash", { command: "printf touched > made-by-command" }),
        calls("spawn_teammate", { name: "bob", role: "coder", prompt: "Help." }),
      ]),
      says("Changed."),
      says("Noted."),
    ],
    alice: [says("First answer."), says("Second answer."), says("Third answer.")],
    bob: [reply([write("bob.txt", "by bob")]), says("Helped.")],
  });
  const team: Team = await wire.open(free);
  await team.spawn({ name: "alice", role: "coder", prompt: "First." });
  await team.prompt("Write them.");
  await team.quiet();
  await team.prompt("Change them.");
  await team.quiet();
  await team.message("alice", "Second.");
  await team.quiet();
  const paths = (...names: string[]) => names.map((name) => join(wire.root, name));
  return {
    ...{ wire, team, paths },
    texts: () =>
      Promise.all(
        paths("a.txt", "b.txt", "bob.txt", "made-by-command").map((path) =>
          existsSync(path) ? readFile(path, "utf8") : undefined,
        ),
      ),
    /** Appends what a rewind of one member appends. */
    async rewindAlone(name: string, point: RewindPoint) {
      await using store = await openStore(wire.root);
      const member = MemberName.parse(name);
      const { transcript } = await store.openMember(member, { onSetAside: () => undefined });
      const { voids } = await findUndone(transcript.entries(), point);
      expect(voids).toBeGreaterThan(0);
      const delivered = positionsToCarry(await transcript.tail());
      await transcript.append([{ type: "rewind", at: new Date().toISOString(), voids, delivered }]);
    },
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}
