import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Argument } from "../../src/permissions/commands/argument.ts";
import { findCommands } from "../../src/permissions/commands/find-commands.ts";
import type { LineCommands } from "../../src/permissions/commands/line-commands.ts";
import { parseLine } from "../../src/permissions/commands/parse-line.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { judgeLine, project } from "./judge-lines.ts";

/**
 * What bash runs of a line when no program can be found: every command is noted with its words,
 * and fails or succeeds as told.
 */
async function runInBash(directory: string, line: string, status: number): Promise<string[][]> {
  // What a process substitution still writes after its line is done must not be taken for another's.
  const log = join(directory, randomUUID());
  await writeFile(log, "");
  await mkdir(join(directory, "empty"), { recursive: true });
  await new Promise<void>((done) => {
    execFile(
      "/bin/bash",
      ["--noprofile", "--norc", "-c", line],
      {
        cwd: join(directory, "empty"),
        timeout: 30_000,
        env: {
          PATH: join(directory, "nothing"),
          HOME: join(directory, "empty"),
          LOG: log,
          STATUS: String(status),
          "BASH_FUNC_command_not_found_handle%%":
            "() { local IFS=$'\\x1f'; printf '%s\\x1e' \"$*\" >> \"$LOG\"; return $STATUS; }",
        },
      },
      () => done(),
    );
  });
  const text = (await readFile(log, "utf8")).replace(/\/dev\/fd\/\d+/g, "/dev/fd/63");
  const noted = text.split("\x1e").slice(0, -1);
  return noted.map((words) => words.split("\x1f"));
}

function readLine(text: string): LineCommands | undefined {
  const parsed = parseLine(text);
  if (parsed.type === "unparsable") return undefined;
  const line = findCommands(parsed.script);
  return line.doubts.length > 0 ? undefined : line;
}

function isFound({ commands }: LineCommands, words: readonly string[]): boolean {
  return commands.some((command) =>
    [command.words, ...command.wrappings].some((found) => stands(found, words)),
  );
}

/** True when the arguments may become these words. */
function stands(found: readonly Argument[], words: readonly string[]): boolean {
  const [argument, ...others] = found;
  if (!argument) return words.length === 0;
  if (argument.type === "unknown" && !argument.isOneWord) return true;
  if (argument.type === "pattern") return true;
  const [word, ...rest] = words;
  if (word === undefined || (argument.type === "literal" && argument.value !== word)) return false;
  return stands(others, rest);
}

const name = fc.constantFrom("aa", "bb", "cc");
const Words = z.array(z.string());
const wordList = await readFile(
  new URL("../fixtures/commands/words.json", import.meta.url),
  "utf8",
);
const word = fc.constantFrom(...Words.parse(JSON.parse(wordList)));
const { line } = fc.letrec<{ line: string; unit: string; simple: string }>((tie) => ({
  simple: fc
    .tuple(
      name,
      fc.array(fc.oneof({ weight: 4, arbitrary: word }, substitution(tie("unit"))), {
        maxLength: 3,
      }),
      redirect(),
    )
    .map(([program, words, tail]) => `${program} ${words.join(" ")}${tail}`.trimEnd()),
  unit: fc.oneof(
    { weight: 6, arbitrary: tie("simple") },
    { weight: 1, arbitrary: tie("unit").map((it) => `( ${it} )`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `{ ${it}; }`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `! ${it}`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("unit"), tie("unit")).map(([a, b]) => `if ${a}; then ${b}; fi`),
    },
    { weight: 1, arbitrary: tie("unit").map((it) => `for v in one two; do ${it}; done`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `for v in 'o n' p*; do ${it}; done`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `case x in x) ${it} ;; *) bb ;; esac`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `v=set; ${it}`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `v=$(${it}) aa`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `cc <<E\n$(${it})\nE\n`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `cc <<'E'\n$(${it})\nE\n`) },
    { weight: 1, arbitrary: tie("unit").map((it) => `cc <<< "$(${it})"`) },
  ),
  line: fc
    .array(
      fc.tuple(tie("unit"), fc.constantFrom(";", " &&", " ||", " |", "\n", " # no\n", " |&")),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((units) => units.map(([unit, separator]) => `${unit}${separator} `).join(""))
    .map((text) => text.replace(/(;|&&|\|\||\||\|&) $/, "")),
}));

function substitution(unit: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(unit, fc.constantFrom(["$(", ")"], ['"$(', ')"'], ["<(", ")"], ["pre$(", ")post"]))
    .map(([it, [open, close]]) => `${open}${it}${it.endsWith("\n") ? "" : " "}${close}`);
}

function redirect(): fc.Arbitrary<string> {
  return fc.constantFrom(
    "",
    "",
    "",
    " 2>&1",
    " >/dev/null",
    " </dev/null",
    " &>/dev/null",
    " 2>/dev/null 1>&2",
  );
}

test("every command that real bash runs from a generated line was found in it", async () => {
  await using directory = await temporaryDirectory();
  let judged = 0;
  let ran = 0;

  await fc.assert(
    fc.asyncProperty(line, fc.constantFrom(0, 1), async (text, status) => {
      const found = readLine(text);
      if (!found) return;
      judged++;
      for (const words of await runInBash(directory.path, text, status)) {
        ran++;
        if (!isFound(found, words)) {
          throw new Error(`bash ran ${JSON.stringify(words)} of ${JSON.stringify(text)}`);
        }
      }
    }),
    { numRuns: 150 },
  );

  expect(judged).toBeGreaterThan(50);
  expect(ran).toBeGreaterThan(50);
});

test("control: a command that was not found in a line is detected", async () => {
  await using directory = await temporaryDirectory();
  const found = readLine("aa x");

  const ran = await runInBash(directory.path, "aa x; bb $(cc y)", 0);

  expect(ran).toEqual([["aa", "x"], ["cc", "y"], ["bb"]]);
  expect(ran.map((words) => found && isFound(found, words))).toEqual([true, false, false]);
});

const index = "'q[$(aa)]'";
test.each([
  `read ${index} <<< x`,
  `x=${index}; read y[x] <<< x`,
  `[ "$(echo -v)" ${index} ]`,
  `x=$(echo -v); test "$x" ${index}`,
  `q=([${index}]=1)`,
  `x=${index}; q=([x]=1)`,
  `x=${index}; q+=([x]=1)`,
  `x=${index}; echo x {q[x]}>&1`,
  `_=1; : ${index}; echo $((_))`,
  `REPLY=1; read <<< ${index}; echo $((REPLY))`,
  `x=1; while echo $((x)); do read -r "x" || break; done <<< ${index}`,
  `x=1; until ! echo $((x)); do read -r \\x || break; done <<< ${index}`,
  `x=1; while echo $((x)); do y=x; read -r $y || break; done <<< ${index}`,
  `x=1; read -r 'x[0]' <<< ${index}; echo $((x))`,
  `x=(aa y); "\${x[@]}"`,
])("bash runs a program from %j, so it needs approval", async (text) => {
  await using directory = await temporaryDirectory();
  await using workspace = await project();

  const ran = await runInBash(directory.path, text, 0);
  const { decision } = await judgeLine(workspace.permissions(), text);

  expect(ran.map(([program]) => program)).toContain("aa");
  expect(decision).toBe("ask");
});
