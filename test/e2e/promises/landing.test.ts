import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { type LandingState, landingIsOff } from "../../../src/protocol/landing.ts";
import type { TeamOptions } from "../../../src/team/team-options.ts";
import { FileTeamView } from "../../../src/team/view/file-team-view.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { gitIn, makeRepository, writeFiles } from "../../support/repository.ts";
import { teamPlace } from "../../support/team.ts";
import { type Part, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { spawns } from "./scenes.ts";

const target = "troupe/default";
const lead: Part = [
  spawns("alice", { isolation: "checkout" }),
  calls("wait_for_teammates", {}),
  says("Done."),
];
const writes = (path: string) => calls("write_file", { path, content: "alice's\n" });

/** A team whose lead works in a repository, in which the person has changed a file. */
async function teamInRepository(wire: TeamOnWire, landing: TeamOptions["landing"]) {
  const root = await makeRepository(join(wire.root, "work"), {
    ...{ "a.txt": "a\n", ".gitignore": ".team/\n" },
  });
  await writeFiles(root, { "a.txt": "the person's\n" });
  const place = teamPlace(wire.root, {
    directory: join(root, ".team"),
    onWarning: (message) => wire.warnings.push(message),
  });
  const open = () => wire.open({ cwd: root, mode: "bypassPermissions", place, landing });
  return { root, open, view: new FileTeamView(place) };
}

test("P28 what a teammate has made is checked as it would be on the target, and lands there", async () => {
  await using wire = await TeamOnWire.start({ lead, alice: [writes("b.txt"), says("Written.")] });
  const check = "cat a.txt b.txt > $HOME/seen && pwd";
  const { root, open, view } = await teamInRepository(wire, {
    check: check.replace("$HOME", wire.root),
  });
  const team = await open();

  await team.prompt("Work.");
  await team.quiet();

  const [landing] = await view.landings();
  expect(landing).toMatchObject({ member: "alice", state: "landed", target, check: null });
  expect(await gitIn(root, "show", `${target}:b.txt`)).toBe("alice's");
  expect(await wire.made("seen")).toBe("a\nalice's");
  expect(await gitIn(root, "status", "--porcelain")).toBe(" M a.txt");
  expect(await gitIn(root, "log", "--format=%s", "main")).toBe("first");
  await team.message("lead", "What has landed?");
  await team.quiet();
  expect(wire.shownTo("lead")).toMatch(/The work of alice is on troupe\/default now.*- b\.txt/);
  expect(wire.warnings).toEqual([]);
});

test("P28 without a check and without a mode nothing lands before the person says so, also in the next process", async () => {
  await using wire = await TeamOnWire.start({ lead, alice: [writes("b.txt"), says("Written.")] });
  const { root, open, view } = await teamInRepository(wire, undefined);
  const first = await open();
  await first.prompt("Work.");
  await first.quiet();
  const [waiting] = await view.landings();
  expect(waiting).toMatchObject({ state: "taken", reason: landingIsOff });
  await first.close();
  if (!waiting) return;
  await view.decideLanding({ id: waiting.id, commit: waiting.commit, decision: "land" });

  const watched = new Watched(await open());
  const [decided] = await view.landings();
  if (decided?.state !== "landed") await watched.until(isNow("landed"));

  expect(await gitIn(root, "show", `${target}:b.txt`)).toBe("alice's");
});

test("P28 work that would make other programs run code waits for the person, and is dropped on their word", async () => {
  await using wire = await TeamOnWire.start({
    lead,
    alice: [writes(".vscode/tasks.json"), says("Written.")],
  });
  const { root, open, view } = await teamInRepository(wire, { mode: "auto" });
  const team = await open();
  await team.prompt("Work.");
  await team.quiet();
  const [waiting] = await view.landings();
  expect(waiting).toMatchObject({
    state: "taken",
    reason: expect.stringContaining(".vscode/tasks.json"),
  });

  if (!waiting) return;

  const watched = new Watched(team);
  await view.decideLanding({ ...waiting, decision: "discard", reason: "no editors" });
  await watched.until(isNow("discarded"));

  expect(await gitIn(root, "ls-tree", "-r", "--name-only", target)).toBe(".gitignore\na.txt");
  expect((await view.landings()).map(({ state, reason }) => [state, reason])).toEqual([
    ["discarded", "no editors"],
  ]);
});

function isNow(state: LandingState) {
  return (event: AgentEvent) => event.type === "landing-change" && event.state === state;
}
