import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../src/model/model.ts";
import { Team } from "../../src/team/team.ts";
import { calls, ScriptedModel, type ScriptStep, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamPlace } from "../support/team.ts";
import { skillFile, writeFiles } from "./skill-files.ts";

/** A workspace, and the person's own skills beside it. */
async function world(files: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory();
  const { path } = directory;
  await mkdir(join(path, "project"));
  await writeFiles(path, files);
  const warnings: string[] = [];
  const requests: ModelRequest[] = [];
  return {
    path,
    warnings,
    requests,
    /** Runs the team once: `steps` is what the lead's model answers. */
    async run(prompt: string, ...steps: ScriptStep[]) {
      const model = new ScriptedModel(steps);
      await using team = await Team.open({
        cwd: join(path, "project"),
        place: teamPlace(path, {
          directory: join(path, "project/.team"),
          onWarning: (message) => warnings.push(message.replaceAll(path, "…")),
        }),
        guidance: { skills: [join(path, "home/.claude/skills")] },
        model: "test/model",
        openModel: () => model,
      });
      await team.prompt(prompt);
      await team.quiet();
      requests.push(...model.requests);
      return model.requests;
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const shown = (request: ModelRequest | undefined) => JSON.stringify(request?.conversation);

test("a member is told of skills in its first turn, and reads one and its files, also the person's own", async () => {
  await using it = await world({
    "project/.claude/skills/tests/SKILL.md": skillFile("name: tests\ndescription: How to test."),
    "home/.claude/skills/pdf/SKILL.md": skillFile(
      "name: pdf\ndescription: Reads PDFs.\nallowed-tools: Bash(rm:*)",
      "See reference.md.",
    ),
    "home/.claude/skills/pdf/reference.md": "page 1",
    "home/.claude/settings.json": "private",
  });
  const home = join(it.path, "home/.claude");

  const requests = await it.run(
    "Go.",
    calls("skill", { name: "pdf" }),
    calls("read_file", { path: join(home, "skills/pdf/reference.md") }),
    calls("read_file", { path: join(home, "settings.json") }),
    calls("read_file", { path: join(home, "skills/pdf/../../settings.json") }),
    calls("write_file", { path: join(home, "skills/pdf/reference.md"), content: "changed" }),
    calls("bash", { command: "rm -r ." }),
    says("Done."),
  );

  expect(shown(requests[0])).toContain("- tests: How to test.\\n- pdf: Reads PDFs.");
  expect(requests[0]?.system).not.toContain("How to test");
  expect(shown(requests[1])).toContain("See reference.md.");
  expect(shown(requests[2])).toContain("page 1");
  expect(shown(requests.at(-1))).not.toContain("private");
  expect(shown(requests.at(-1)).match(/Error: (Denied|Not permitted)/g)).toHaveLength(4);
  expect(await readFile(join(home, "skills/pdf/reference.md"), "utf8")).toBe("page 1");
});

test("without skills there is no tool for them, and nothing of them in a request", async () => {
  await using it = await world({ "project/.claude/settings.json": "{}" });

  const requests = await it.run("Go.", says("Done."));

  expect(names(requests[0])).not.toContain("skill");
  expect(JSON.stringify(requests[0])).not.toMatch(/<skills|"skill"/);
});

test("skills that are only for the person are no reason for the tool", async () => {
  await using it = await world({
    "project/.claude/skills/deploy/SKILL.md": skillFile(
      "description: Deploys.\ndisable-model-invocation: true",
    ),
  });

  const requests = await it.run("Go.", says("Done."));

  expect(JSON.stringify(requests[0])).not.toMatch(/<skills|"skill"/);
});

test("P18 a member that began with the tool keeps it when the skills are gone, and one without stays without", async () => {
  await using it = await world({
    "project/.claude/skills/tests/SKILL.md": skillFile("description: How to test."),
  });
  const [first] = await it.run("One.", says("1"));
  await rm(join(it.path, "project/.claude"), { recursive: true });
  const [second, third] = await it.run("Two.", calls("skill", { name: "tests" }), says("2"));

  expect(names(second)).toEqual(names(first));
  expect(names(second)).toContain("skill");
  expect(shown(third)).toContain("There is no skill");

  await using other = await world({});
  const [without] = await other.run("One.", says("1"));
  await writeFiles(other.path, {
    "project/.claude/skills/tests/SKILL.md": skillFile("description: How to test."),
  });
  const [later] = await other.run("Two.", says("2"));

  expect(names(later)).toEqual(names(without));
  expect(shown(later)).not.toContain("How to test");
});

test("a skill is read as it is when it is asked for; an unknown name is an error that says what there is", async () => {
  await using it = await world({
    "project/.claude/skills/tests/SKILL.md": skillFile("description: x", "old"),
    "project/.claude/skills/deploy/SKILL.md": skillFile(
      "description: x\ndisable-model-invocation: true",
    ),
  });
  const file = join(it.path, "project/.claude/skills/tests/SKILL.md");

  const requests = await it.run(
    "Go.",
    async () => {
      await writeFile(file, skillFile("description: x", "new"));
      return calls("skill", { name: "tests" });
    },
    calls("skill", { name: "../../etc/passwd" }),
    calls("skill", { name: "deploy" }),
    async () => {
      await writeFile(file, "---\n");
      return calls("skill", { name: "tests" });
    },
    says("Done."),
  );

  expect(shown(requests[1])).toMatch(/new\\n<\/skill>/);
  expect(shown(requests[2])).toContain('There is no skill \\"../../etc/passwd\\". Skills: tests.');
  expect(shown(requests[3])).toContain("only for the person, who calls it as /deploy");
  expect(shown(requests[4])).toContain(
    "The skill tests cannot be used: its front matter has no end",
  );
});

test("a broken skill is a warning, and the team starts", async () => {
  await using it = await world({
    "project/.claude/skills/a/SKILL.md": "Nothing.",
    "project/.claude/skills/b/SKILL.md": skillFile("description: b"),
  });

  const requests = await it.run("Go.", says("Done."));

  expect(it.warnings).toEqual([
    "…/project/.claude/skills/a/SKILL.md is not used as a skill: it has no description",
  ]);
  expect(shown(requests[0])).toContain("- b: b");
});

test("P16 after a compaction, a member is told of its skills again", async () => {
  await using it = await world({
    "project/.claude/skills/tests/SKILL.md": skillFile("description: How to test."),
  });
  await it.run(`A long story. ${"And more. ".repeat(5_000)}`, says("1"));
  await it.run("More of it.", says("2"));
  const model = new ScriptedModel([says("Summary."), says("Done.")]);
  await using team = await Team.open({
    cwd: join(it.path, "project"),
    place: teamPlace(it.path, { directory: join(it.path, "project/.team") }),
    model: "test/model",
    openModel: () => model,
  });
  await team.compact();
  await team.prompt("Go on.");
  await team.quiet();

  const last = model.requests.at(-1);
  expect(shown(last)).not.toContain("A long story");
  expect(shown(last)).toContain("- tests: How to test.");
});
