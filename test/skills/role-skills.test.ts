import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemberSkills } from "../../src/team/member-skills.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { skillFile, writeFiles } from "./skill-files.ts";

async function skillsIn(files: Readonly<Record<string, string>>, warnings: string[] = []) {
  const directory = await temporaryDirectory();
  await mkdir(join(directory.path, "project"));
  await writeFiles(join(directory.path, "project"), files);
  const workspace = await Workspace.open({
    root: join(directory.path, "project"),
    teamDirectory: ".team",
  });
  const places = { workspace, teamDirectory: ".team", personal: [] };
  const skills = await MemberSkills.find(places, (message) => warnings.push(message));
  return { skills, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

test("P30 a role that names an unknown skill is refused, with the one that may be meant", async () => {
  await using it = await skillsIn({
    ".claude/skills/testing/SKILL.md": skillFile("description: x"),
  });

  expect(() => it.skills.require(["testing"])).not.toThrow();
  expect(() => it.skills.require(["testing", "testin"])).toThrow(
    expect.objectContaining({
      code: "spawn-refused",
      message: "There is no skill 'testin', which the role names",
      hint: "Did you mean testing?",
    }),
  );
});

test("a member is given a skill of its role whole; one that is gone since is told", async () => {
  const warnings: string[] = [];
  await using it = await skillsIn({
    ".claude/skills/testing/SKILL.md": skillFile("description: x", "Test it."),
  });

  const tell = (message: string) => warnings.push(message);

  expect(await it.skills.textOf("testing", tell)).toContain("Test it.\n</skill>");
  expect(await it.skills.textOf("gone", tell)).toBeUndefined();
  expect(warnings).toEqual([
    "The skill gone is gone, which a role names. Its members go on without it.",
  ]);
});
