import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../../src/keys/team-key.ts";
import { signRecord } from "../../src/lib/signed-record.ts";
import { lead, TeamId } from "../../src/protocol/ids.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamPlace } from "../support/team.ts";
import { shownIn, TeamOnWire } from "../support/team-on-wire.ts";

test("archived teams are listed with their first prompt, members and cost, newest first", async () => {
  await using it = await openTwoTeams();

  const archives = await new FileTeamView(it.place).archives();

  expect(archives).toMatchObject([
    {
      ...{ firstPrompt: "Plan the garden.", members: ["lead", "alice"], isOwn: true },
      startedAt: expect.stringMatching(/^20\d\d-.*Z$/),
      costUsd: null,
    },
  ]);
  // A person may keep a copy beside it.
  const archive = join(it.place.directory, "archive");
  await cp(join(archive, await it.archived()), join(archive, "my-copy"), { recursive: true });
  expect(await new FileTeamView(it.place).archives()).toEqual(archives);
  const [{ name = "", archivedAt = "" } = {}] = archives;
  expect(archivedAt.replaceAll(":", "-")).toBe(name);
  expect(await new FileTeamView(teamPlace(join(it.wire.root, "elsewhere"))).archives()).toEqual([]);
});

test("P15 archived teams that cannot be read are named, and the others are listed", async () => {
  await using it = await openTwoTeams();
  const archive = join(it.place.directory, "archive");
  const name = await it.archived();
  const [newer, directory] = ["2026-01-01T00-00-00.000Z", "2026-01-02T00-00-00.000Z"];
  for (const broken of [newer, directory]) {
    await cp(join(archive, name), join(archive, broken), { recursive: true });
  }
  const roster = JSON.parse(await readFile(join(archive, newer, "config.json"), "utf8"));
  await writeFile(join(archive, newer, "config.json"), JSON.stringify({ ...roster, format: 999 }));
  await rm(join(archive, directory, "transcripts", "lead.jsonl"));
  await mkdir(join(archive, directory, "transcripts", "lead.jsonl"));
  const warnings: string[] = [];
  const place = teamPlace(it.wire.root, { onWarning: (message) => warnings.push(message) });

  expect(await new FileTeamView(place).archives()).toMatchObject([{ name }]);

  expect(warnings).toHaveLength(2);
  for (const broken of [newer, directory]) {
    expect(warnings).toContainEqual(expect.stringContaining(`${broken} cannot be read`));
  }
});

test("an archived team can be read, and takes no mail", async () => {
  await using it = await openTwoTeams();

  const view = await new FileTeamView(it.place).archive(await it.archived());

  const { entries } = await view.transcript(lead, { limit: 100 });
  expect(JSON.stringify(entries)).toContain("Plan the garden.");
  // By its type none of this can be called.
  const acting = view as ReturnType<typeof it.team.view>;
  const rule = { decision: "deny", rule: "bash" } as const;
  const actions = [acting.send("lead", "Hello?"), acting.stop(), acting.addRule(rule)];
  for (const action of actions) {
    await expect(action).rejects.toMatchObject({ code: "team-closed" });
  }
  await expect(new FileTeamView(it.place).archive("../..")).rejects.toThrow(/no archived team/);
});

test("a team that was brought back continues, and the other one is in the archive", async () => {
  await using it = await openTwoTeams();
  await it.team.close();

  await new FileTeamView(it.place).restore(await it.archived());

  expect(await new FileTeamView(it.place).archives()).toMatchObject([
    { firstPrompt: "Build a shed." },
  ]);
  const again = await it.wire.open();
  await again.prompt("Go on.");
  await again.quiet();
  expect(shownIn(it.wire.requestsOf("lead").at(-1))).toContain("Plan the garden.");
  expect(shownIn(it.wire.requestsOf("lead").at(-1))).not.toContain("Build a shed.");
  await again.close();
  expect(it.wire.warnings).toEqual([]);
  await new FileTeamView(it.place).restore(await it.archived());
  expect(await new FileTeamView(it.place).archives()).toMatchObject([
    { firstPrompt: "Plan the garden." },
  ]);
});

test("nothing is brought back while a lead is alive, or where there is no such team", async () => {
  await using it = await openTwoTeams();
  const name = await it.archived();

  await expect(new FileTeamView(it.place).restore(name)).rejects.toMatchObject({
    code: "lead-alive",
  });
  await it.team.close();
  for (const wrong of ["2020-01-01T00-00-00.000Z", "../archive", ""]) {
    await expect(new FileTeamView(it.place).restore(wrong)).rejects.toMatchObject({
      code: "team-missing",
    });
  }

  expect(await it.archived()).toBe(name);
  expect(existsSync(join(it.place.directory, "restore.json"))).toBe(false);
});

test("P37 a team of somebody else is not brought back, and a forged record brings back nothing", async () => {
  await using it = await openTwoTeams();
  await it.team.close();
  const name = await it.archived();
  for (const key of await readdir(join(it.wire.root, "state/troupe/keys"))) {
    const isArchived =
      (await (await new FileTeamView(it.quiet).archive(name)).team()).team_id === key;
    if (isArchived) await rm(join(it.wire.root, "state/troupe/keys", key));
  }

  await expect(new FileTeamView(it.place).restore(name)).rejects.toMatchObject({
    code: "team-foreign",
  });
  expect(await new FileTeamView(it.place).archives()).toMatchObject([{ isOwn: false }]);

  const to = "2026-01-01T00-00-00.000Z";
  const record = { from: name, to, step: "set-aside" };
  await writeFile(join(it.place.directory, "restore.json"), JSON.stringify(record));
  const again = await it.wire.open();
  expect((await again.roster()).team_id).toBe(it.second);
  expect(it.wire.warnings).toEqual([expect.stringContaining("was not signed by you")]);
});

const forged = {
  team_id: "01a1ed61-62aa-4314-9a55-580cb13e9425",
  ...{ from: "2026-01-01T00-00-00.000Z", to: "2026-01-02T00-00-00.000Z", sig: "00" },
};

for (const [what, record] of [
  ["without a signature", { ...forged, sig: undefined, step: "set-aside" }],
  ["that sets the team aside", { ...forged, step: "set-aside" }],
  ["that brings a team back", { ...forged, step: "bring-back" }],
  ["without a field", {}],
] as const) {
  test(`P37 a record of a repository ${what} stops no start, and moves no team`, async () => {
    await using root = await temporaryDirectory();
    for (const options of [{}, { fresh: true }, { takeOver: true }]) {
      const warnings: string[] = [];
      const place = teamPlace(root.path, { onWarning: (message) => warnings.push(message) });
      const archived = join(place.directory, "archive", forged.from);
      await mkdir(archived, { recursive: true, mode: 0o700 });
      const roster = { team_name: "default", team_id: forged.team_id, lead: "lead", members: [] };
      await writeFile(join(archived, "config.json"), JSON.stringify(roster));
      await writeFile(join(place.directory, "restore.json"), JSON.stringify(record));
      await chmod(place.directory, 0o700);

      await using store = await FileTeamStore.open(place, options);

      expect((await store.roster.read()).team_id).not.toBe(forged.team_id);
      expect(existsSync(join(archived, "config.json"))).toBe(true);
      expect(existsSync(join(place.directory, "restore.json"))).toBe(false);
      expect(warnings).toEqual([expect.stringContaining("no team is brought back")]);
    }
  });
}

test("P37 a forged record does not let a team of somebody else start", async () => {
  await using it = await openTwoTeams();
  await it.team.close();
  await rm(join(it.wire.root, "state/troupe/keys", it.second));
  const record = JSON.stringify({ ...forged, step: "set-aside" });
  await writeFile(join(it.place.directory, "restore.json"), record);

  await expect(it.wire.open()).rejects.toMatchObject({ code: "team-foreign" });

  expect(existsSync(join(it.place.directory, "restore.json"))).toBe(true);
});

test("P37 a start completes what brings a team back in place of somebody else's", async () => {
  await using it = await openTwoTeams();
  await it.team.close();
  await rm(join(it.wire.root, "state/troupe/keys", it.second));
  const from = await it.archived();
  const team_id = TeamId.parse(
    (await (await new FileTeamView(it.quiet).archive(from)).team()).team_id,
  );
  const path = teamKeyPath({ teamId: team_id, ...it.place.keyPlace });
  const signature = hmacSignature((await loadTeamKey({ path })) ?? new Uint8Array());
  const record = { team_id, from, to: "2026-01-01T00-00-00.000Z", step: "set-aside" };
  const signed = JSON.stringify(signRecord(record, signature));
  await writeFile(join(it.place.directory, "restore.json"), signed);

  const again = await it.wire.open();

  expect((await again.roster()).team_id).toBe(team_id);
  expect(await new FileTeamView(it.place).archives()).toMatchObject([
    { name: record.to, isOwn: false },
  ]);
});

test("a file of the person in the team directory is in nobody's way", async () => {
  await using it = await openTwoTeams();
  await it.team.close();
  await mkdir(join(it.place.directory, "outputs"), { recursive: true });
  await writeFile(join(it.place.directory, "outputs", "mine.md"), "mine");

  await new FileTeamView(it.quiet).restore(await it.archived());

  expect(await readdir(join(it.place.directory, "outputs"))).toContain("mine.md");
  const again = await it.wire.open();
  expect((await again.roster()).members.map(({ name }) => name)).toEqual(["alice"]);
});

/** A team with alice that was set aside, and a second one that runs. */
async function openTwoTeams() {
  const wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Ready.")] });
  const first = await wire.open();
  await first.spawn({ name: "alice", role: "coder", prompt: "Begin." });
  // Her report is the first mail of the lead.
  await first.quiet();
  await first.prompt("Plan the garden.");
  await first.quiet();
  await first.close();
  const team = await wire.open({ fresh: true });
  await team.prompt("Build a shed.");
  await team.quiet();
  const place = teamPlace(wire.root);
  return {
    ...{ wire, team, place, quiet: teamPlace(wire.root, { onWarning: () => undefined }) },
    second: (await team.roster()).team_id,
    archived: async () => (await new FileTeamView(place).archives())[0]?.name ?? "",
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}
