import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expandPattern } from "../../src/permissions/commands/expand-patterns.ts";
import { findCommands } from "../../src/permissions/commands/find-commands.ts";
import { parseLine } from "../../src/permissions/commands/parse-line.ts";
import { judgeLine, project } from "./judge-lines.ts";

const hundred = "{1..100}";
const loops = (body: string) =>
  ["a", "b", "c"].map((name) => `for ${name} in ${hundred}; do `).join("") +
  `${body}${"; done".repeat(3)}`;

const monsters: [string, string][] = [
  ["loops that multiply a test", loops("[[ 1 ]]")],
  ["loops that multiply a calculation", loops("((1))")],
  ["loops that multiply an assignment", loops("x=1")],
  ["env 4,000 times", `${"env ".repeat(4_000)}ls`],
  ["timeout 1,500 times", `${"timeout 5 ".repeat(1_500)}ls`],
  ["xargs 2,600 times", `${"xargs ".repeat(2_600)}ls`],
  ["eval 3,000 times", `${"eval ".repeat(3_000)}ls`],
  ["8,000 words", `cat ${"a ".repeat(8_000)}`],
  ["braces that make 100,000 words", `cat ${`${hundred} `.repeat(1_000)}`],
  ["8,000 patterns", `echo ${"* ".repeat(8_000)}`],
  ["3,000 substitutions", `cat ${"<(ls) ".repeat(2_700)}`],
  ["2,500 cases", `case x in ${"a) ;; ".repeat(2_500)} esac; rm x`],
  ["busybox 2,000 times", `${"busybox ".repeat(2_000)}ls`],
  ["directories before 490 commands", `${"cd src || cd test; ".repeat(4)}${"cat x; ".repeat(490)}`],
  ["find with 1,900 commands", `find . ${"-exec ".repeat(1_900)}`],
  ["busybox 1,900 times", `${"busybox ".repeat(1_900)}ls`],
  ["a line of 17 kB", `echo ${"a".repeat(17_000)}`],
];

// Each of them took seconds, or did not end, where work is not bounded.
test("lines that expand exponentially need approval, and are judged fast", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions();

  for (const [name, line] of monsters) {
    const { decision } = await judgeLine(permissions, line);
    expect({ name, decision }).toEqual({ name, decision: "ask" });
  }
});

test("no more commands and words are found in a line than a person could read", () => {
  for (const [name, line] of monsters) {
    const parsed = parseLine(line);
    if (parsed.type === "unparsable") continue;
    const { commands } = findCommands(parsed.script);
    expect({ name, isFew: commands.length <= 501 }).toEqual({ name, isFew: true });
  }
});

test("a pattern with many stars needs approval, since matching it may take long", async () => {
  await using workspace = await project();
  await mkdir(join(workspace.root, "long"));
  await writeFile(join(workspace.root, "long", "a".repeat(200)), "");

  const many = await judgeLine(workspace.permissions(), `cat long/${"*?".repeat(20)}X`);
  const few = await judgeLine(workspace.permissions(), `cat long/${"*?".repeat(3)}X`);

  expect([many.decision, few.decision]).toEqual(["ask", "allow"]);
});

test.each([
  ["a*b?c", "axxbyc", true],
  ["a*b?c", "axxbc", false],
  ["*.ts", "a.ts", true],
  ["*.ts", "a.ts.js", false],
  [".t*", ".team", true],
  ["*", ".team", false],
  ["*a*a", "aa", true],
  ["*a*a", "a", false],
])("the pattern %s matches %s: %s", async (pattern, name, isMatched) => {
  await using workspace = await project();
  await mkdir(join(workspace.root, "few"));
  await writeFile(join(workspace.root, "few", name), "");
  const parsed = parseLine(`cat few/${pattern}`);
  if (parsed.type === "unparsable") throw new Error(parsed.reason);
  const [command] = findCommands(parsed.script).commands;
  const word = command?.words[1];
  if (word?.type !== "pattern") throw new Error("no pattern");

  const names = await expandPattern(word, workspace.root, { isStill: true });

  expect(
    names.words.some((found) => found.type === "literal" && found.value === `few/${name}`),
  ).toBe(isMatched);
});

test("names whose letters depend on the locale are not expanded, so they need approval", async () => {
  await using workspace = await project();
  await mkdir(join(workspace.root, "few"));
  await symlink(workspace.outside, join(workspace.root, "few", "é"));

  const verdict = await judgeLine(workspace.permissions(), "cat few/??/secret.txt");

  expect(verdict.decision).toBe("ask");
});
