import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { type Line, TeamOnWire } from "../../support/team-on-wire.ts";
import { coder, never, onceTold } from "./scenes.ts";

const loseDirectory = (wire: TeamOnWire) => rm(join(wire.root, "sub"), { recursive: true });

/** What may have become of a teammate's files while no process ran. */
const mishaps: [string, (wire: TeamOnWire) => Promise<void>][] = [
  ["whose directory is gone", loseDirectory],
  [
    "whose directory is a file now",
    async (wire) => {
      await loseDirectory(wire);
      await writeFile(join(wire.root, "sub"), "");
    },
  ],
  [
    "whose transcript is a link now",
    async (wire) => {
      const path = join(wire.teamDirectory, "transcripts", "alice.jsonl");
      await rename(path, join(wire.root, "elsewhere.jsonl"));
      await symlink(join(wire.root, "elsewhere.jsonl"), path);
    },
  ],
];

/** A team that was closed while alice, in a directory of her own, held a task, and then had a mishap. */
async function afterMishap(mishap: (wire: TeamOnWire) => Promise<void>, lead: Line) {
  const wire = await TeamOnWire.start({
    lead: [lead],
    alice: [
      reply([calls("create_task", { subject: "Paint" }), calls("claim_task", { task_id: "1" })]),
      never,
    ],
    bob: [says("Ready."), says("Still here.")],
  });
  await mkdir(join(wire.root, "sub"));
  const before = await wire.open({ autoclaim: false });
  await before.spawn({ ...coder("alice"), cwd: "sub" });
  await wire.requested("alice", 2);
  await before.spawn(coder("bob"));
  await wire.requested("bob", 1);
  await before.close();
  await mishap(wire);
  return wire;
}

test.each(mishaps)(
  "P08 a teammate %s is failed and holds nothing, and the others continue",
  async (_, mishap) => {
    await using wire = await afterMishap(mishap, says("Noted."));

    const team = await wire.open({ autoclaim: false });
    await team.message("bob", "Are you there?");
    await wire.requested("bob", 2);
    await team.quiet();

    expect(await wire.statusOf("alice")).toBe("failed");
    expect(await wire.statusOf("bob")).toBe("idle");
    expect(await team.tasks()).toMatchObject([{ status: "pending", owner: null }]);
    expect(wire.warnings).toContainEqual(expect.stringContaining("'alice' cannot continue: "));
  },
);

test.each(mishaps)("P07 a teammate %s can be stopped by the person", async (_, mishap) => {
  await using wire = await afterMishap(mishap, says("Noted."));

  const team = await wire.open({ autoclaim: false });
  await team.stop("alice");
  await team.quiet();

  expect(await wire.recordOf("alice")).toMatchObject({ status: "shutdown" });
  expect((await wire.recordOf("alice"))?.ending).toBeUndefined();
  expect(wire.shownTo("lead")).toContain("alice is shut down: the person stopped it.");
  await expect(team.stop("alice")).rejects.toMatchObject({ code: "member-ended" });
  await expect(team.stop("nobody")).rejects.toMatchObject({ code: "member-unknown" });
});

test("P07 a teammate that cannot continue is shut down by its lead without being asked, and its mail goes back", async () => {
  const asks = onceTold(
    "End alice.",
    calls("shutdown_request", { teammate: "alice" }),
    says("So."),
  );
  await using wire = await afterMishap(loseDirectory, asks);

  const team = await wire.open({ autoclaim: false });
  await team.message("alice", "Nobody reads this.");
  await team.prompt("End alice.");
  await team.quiet();

  expect(await wire.statusOf("alice")).toBe("shutdown");
  expect(wire.shownTo("lead")).toContain("'alice' was shut down");
  expect(wire.warnings).toContainEqual(expect.stringContaining("Nobody reads this."));
});

test("P07 stopping all members also ends those that cannot continue", async () => {
  await using wire = await afterMishap(loseDirectory, says("Noted."));

  const team = await wire.open({ autoclaim: false });
  await team.stop();

  expect((await team.roster()).members.map(({ status }) => status)).toEqual([
    "shutdown",
    "shutdown",
  ]);
});
