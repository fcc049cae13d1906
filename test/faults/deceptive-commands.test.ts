import { execFile } from "node:child_process";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { readOnlyGit } from "../../src/permissions/commands/git-programs.ts";
import { PermissionMode } from "../../src/protocol/message.ts";
import { allow, deny, judgeLine, project } from "../permissions/judge-lines.ts";

const run = promisify(execFile);
const fixtures = new URL("../fixtures/commands/", import.meta.url);
const Deceptive = z.array(
  z.object({
    line: z.string(),
    allow: z.array(z.string()),
    deny: z.array(z.string()).default([]),
    mode: PermissionMode.default("default"),
    note: z.string(),
  }),
);
const Ordinary = z.object({ allow: z.array(z.string()), lines: z.array(z.string()) });

async function deceptive(): Promise<z.infer<typeof Deceptive>> {
  const files = ["deceptive.json", "deceptive-programs.json", "deceptive-classes.json"];
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, fixtures), "utf8")));
  return texts.flatMap((text) => Deceptive.parse(JSON.parse(text)));
}

test("no deceptive line runs without approval, not even under a rule that allows its first words", async () => {
  await using workspace = await project();
  const cases = await deceptive();

  const unasked: string[] = [];
  for (const { line, allow: allowed, deny: denied, mode } of cases) {
    const rules = [...allow(...allowed), ...deny(...denied)];
    const permissions = workspace.permissions({ mode, rules });
    const { decision } = await judgeLine(permissions, line);
    if (decision === "allow") unasked.push(line);
  }

  console.log(`deceptive lines: ${unasked.length} of ${cases.length} unasked`);
  expect(new Set(cases.map(({ line }) => line)).size).toBeGreaterThanOrEqual(1_200);
  expect(unasked).toEqual([]);
});

test("control: a judge that looks at the first words allows most deceptive lines", async () => {
  const cases = (await deceptive()).filter(({ allow: rules }) => rules.length > 0);

  const fooled = cases.filter(({ line, allow: rules }) =>
    rules.some((rule) => line.startsWith(rule.slice("bash(".length, -":*)".length))),
  );

  console.log(`deceptive lines: ${fooled.length} of ${cases.length} pass a first-word judge`);
  expect(fooled.length).toBeGreaterThan(cases.length / 2);
});

/** Each is given the word after it, which then ends no options, if it takes one after all. */
function gitLines(subcommand: string): string[] {
  const { flags, optional, text } = readOnlyGit[subcommand] ?? {};
  const names = [flags, optional, text].flatMap((list) => list?.split(/\s+/) ?? []);
  const endings = ["-- --output=pwned", "--output=pwned", "HEAD --output=pwned"];
  return names.flatMap((name) => endings.map((ending) => `git ${subcommand} ${name} ${ending}`));
}

test.each(["log", "rev-list", "shortlog", "diff", "diff-tree", "blame", "describe"])(
  "no option of git %s hides an option that writes a file",
  async (subcommand) => {
    await using workspace = await project();
    const git = (line: string) =>
      run("bash", ["-c", `exec < /dev/null; cd '${workspace.root}'; ${line}`]).catch(
        () => undefined,
      );
    await git("rm -rf .git && git init -q && git add README.md");
    await git("git -c user.name=x -c user.email=x@x commit -qm x && echo y >> README.md");
    const permissions = workspace.permissions();
    const written = () =>
      access(join(workspace.root, "pwned")).then(
        () => true,
        () => false,
      );

    const allowed: string[] = [];
    for (const line of gitLines(subcommand)) {
      if ((await judgeLine(permissions, line)).decision === "allow") allowed.push(line);
    }
    await git(allowed.join("\n"));
    const isWritten = await written();
    await git("git diff --output=pwned");

    expect(allowed.length).toBeGreaterThan(3);
    expect(isWritten).toBe(false);
    expect(await written(), "the control").toBe(true);
  },
);

test("at most one in twenty ordinary lines needs approval", async () => {
  await using workspace = await project();
  const text = await readFile(new URL("ordinary.json", fixtures), "utf8");
  const { allow: rules, lines } = Ordinary.parse(JSON.parse(text));
  const permissions = workspace.permissions({ rules: allow(...rules) });

  const asked: string[] = [];
  for (const line of lines) {
    const { decision } = await judgeLine(permissions, line);
    if (decision !== "allow") asked.push(line);
  }

  console.log(`ordinary lines: ${asked.length} of ${lines.length} asked about`);
  expect(new Set(lines).size).toBeGreaterThanOrEqual(320);
  expect(asked.length).toBeLessThanOrEqual(lines.length * 0.05);
});

test.each([
  ["10,000 commands", "ls; ".repeat(10_000)],
  ["a line of 1 MB", `echo ${"a".repeat(1_000_000)}`],
  ["a pipe of 10,000 programs", `ls ${"| cat ".repeat(10_000)}`],
  ["a list of 10,000 conditions", `ls ${"&& ls ".repeat(10_000)}`],
  ["substitutions in substitutions", `echo ${"$(echo ".repeat(5_000)}${")".repeat(5_000)}`],
  ["groups in groups", `${"{ ".repeat(5_000)}ls;${" }".repeat(5_000)}`],
  ["brackets in a calculation", `echo $((${"(".repeat(20_000)}1${")".repeat(20_000)}))`],
  ["a long sum", `echo $((1${"+1".repeat(40_000)}))`],
  ["loops that multiply", `${"for i in 1 2 3 4 5 6 7 8 9; do ".repeat(9)}ls${"; done".repeat(9)}`],
  ["directories that multiply", `${"cd src; ".repeat(400)}ls`],
  ["directories in directories", `${"cd src && ".repeat(400)}ls`],
  ["a path of 90 kB", `ls ${"a/".repeat(45_000)}`],
  ["patterns that multiply", `ls ${"*/../*/../*/../* ".repeat(300)}`],
  ["braces that multiply", `echo ${"{1..9}".repeat(50)}`],
  ["a regular expression's nightmare", `sed -n 's/${"\\\\(a*\\\\)*".repeat(500)}/x' README.md`],
])("%s need approval and do not hang", async (_, line) => {
  await using workspace = await project();
  const permissions = workspace.permissions({ rules: allow("bash(ls:*)", "bash(echo:*)") });

  const { decision } = await judgeLine(permissions, line);

  expect(decision).toBe("ask");
});
