import { join } from "node:path";
import { expect, test } from "vitest";
import type { HookSource } from "../../../src/hooks/command-hooks.ts";
import { FileTeamView } from "../../../src/team/view/file-team-view.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { resultsIn, spawns } from "../../e2e/promises/scenes.ts";
import { gitIn, makeRepository } from "../../support/repository.ts";
import { teamPlace } from "../../support/team.ts";
import { type Part, TeamOnWire } from "../../support/team-on-wire.ts";
import { hook, seenOf, writingHooks } from "./seen-hooks.ts";

const lead: Part = [
  spawns("alice", { isolation: "checkout" }),
  calls("wait_for_teammates", {}),
  says("Done."),
];
const alice: Part = [
  calls("write_file", { path: "b.txt", content: "alice's\n" }),
  says("Written."),
];

async function teamInRepository(wire: TeamOnWire, commandHooks: readonly HookSource[]) {
  const root = await makeRepository(join(wire.root, "work"), {
    ...{ "a.txt": "a\n", ".gitignore": ".team/\nseen/\n" },
  });
  const place = teamPlace(wire.root, { directory: join(root, ".team") });
  const landing = { mode: "auto" } as const;
  const team = await wire.open({
    cwd: root,
    mode: "bypassPermissions",
    place,
    landing,
    commandHooks,
  });
  return { root, team, view: new FileTeamView(place) };
}

test("checkouts and landings are given to their hooks, as their schemas say", async () => {
  await using wire = await TeamOnWire.start({ lead, alice });
  const { root, team, view } = await teamInRepository(wire, [writingHooks()]);
  await team.prompt("Work.");
  await team.quiet();
  await team.stop("alice");

  const [landing] = await view.landings();
  expect(landing).toMatchObject({ state: "landed" });
  const alices = { teammate_name: "alice", agent_type: "coder" };
  expect(await seenOf(root, "WorktreeCreate")).toMatchObject([alices]);
  expect(await seenOf(root, "LandingReady")).toMatchObject([
    { ...alices, landing_id: landing?.id, commit: landing?.merge_commit, target: landing?.target },
  ]);
  expect(await seenOf(root, "WorktreeRemove")).toMatchObject([
    { teammate_name: "alice", worktree_path: expect.stringContaining("alice") },
  ]);
});

test("LandingReady with exit 2 sends the work back, with the reason for its member", async () => {
  await using wire = await TeamOnWire.start({ lead, alice });
  const { root, team, view } = await teamInRepository(wire, [
    hook("LandingReady", "echo 'No changelog.' >&2; exit 2"),
  ]);
  await team.prompt("Work.");
  await team.quiet();

  const [landing] = await view.landings();
  expect(["rejected", "failed"]).toContain(landing?.state);
  expect(landing?.check).toMatchObject({ output: "No changelog." });
  expect(wire.shownTo("alice")).toContain("No changelog.");
  await expect(gitIn(root, "show", `${landing?.target}:b.txt`)).rejects.toThrow();
});

test("WorktreeCreate with exit 2 refuses the spawn", async () => {
  await using wire = await TeamOnWire.start({ lead, alice });
  const { team } = await teamInRepository(wire, [
    hook("WorktreeCreate", "echo 'The disk is full.' >&2; exit 2"),
  ]);
  await team.prompt("Work.");
  await team.quiet();

  expect(resultsIn(wire.requestsOf("lead")[1])[0]).toEqual({
    text: expect.stringContaining("A hook refuses the checkout: The disk is full."),
    isError: true,
  });
  expect(wire.requestsOf("alice")).toEqual([]);
});
