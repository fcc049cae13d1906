import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { allow, judgeLine, project } from "../permissions/judge-lines.ts";

const fixtures = new URL("../fixtures/commands/", import.meta.url);
const Deceptive = z.array(
  z.object({ line: z.string(), allow: z.array(z.string()), note: z.string() }),
);
const Ordinary = z.object({ allow: z.array(z.string()), lines: z.array(z.string()) });

async function deceptive(): Promise<z.infer<typeof Deceptive>> {
  return Deceptive.parse(JSON.parse(await readFile(new URL("deceptive.json", fixtures), "utf8")));
}

test("no deceptive line runs unasked under a rule that allows its first words", async () => {
  await using workspace = await project();
  const cases = await deceptive();

  const unasked: string[] = [];
  for (const { line, allow: rules } of cases) {
    const permissions = workspace.permissions({ rules: allow(...rules) });
    const { decision } = await judgeLine(permissions, line);
    if (decision === "allow") unasked.push(line);
  }

  console.log(`deceptive lines: ${unasked.length} of ${cases.length} unasked`);
  expect(new Set(cases.map(({ line }) => line)).size).toBeGreaterThanOrEqual(170);
  expect(unasked).toEqual([]);
});

test("a judge that looks at the first words lets most deceptive lines through", async () => {
  const cases = await deceptive();

  const fooled = cases.filter(({ line, allow: rules }) =>
    rules.some((rule) => line.startsWith(rule.slice("bash(".length, -":*)".length))),
  );

  console.log(`deceptive lines: ${fooled.length} of ${cases.length} pass a first-word judge`);
  expect(fooled.length).toBeGreaterThan(cases.length / 2);
});

test("at most one in twenty ordinary lines is asked about", async () => {
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
])("%s are asked about without hanging", async (_, line) => {
  await using workspace = await project();
  const permissions = workspace.permissions({ rules: allow("bash(ls:*)", "bash(echo:*)") });

  const { decision } = await judgeLine(permissions, line);

  expect(decision).toBe("ask");
});
