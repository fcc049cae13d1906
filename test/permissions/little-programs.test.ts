import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  isPrintingAwkProgram,
  isPrintingSedScript,
} from "../../src/permissions/commands/printing-scripts.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const sedPieces = fc.constantFrom(
  ...[
    "s/a/b/",
    "s,a,b,",
    "s/[/]/",
    "s",
    "y/a/b/",
    "/a/",
    "/[/]/",
    "/[^]/",
    "s/]/",
    "[[.].]",
    "[[:alpha:]]",
    "e touch out #/",
    "/",
    "[",
    "]",
    "w out",
    "e touch out",
  ],
  ...[
    "p",
    "d",
    "q",
    ";",
    "1",
    "$",
    "1,2",
    ",",
    "{",
    "}",
    "g",
    "e",
    "w",
    " out",
    "\\",
    "\n",
    "!",
    "r x",
    "a x",
  ],
);
const awkPieces = fc.constantFrom(
  ...[
    "{",
    "}",
    "print",
    "BEGIN",
    "/a/",
    '"out"',
    ">",
    ">>",
    "|",
    "$1",
    "system(",
    '"touch out"',
    ")",
    ";",
  ],
  ...[
    "getline",
    "<",
    "NR",
    "==",
    "1",
    "&&",
    "||",
    "#",
    '"',
    "\n",
    "/",
    "(",
    "printf",
    " ",
    "x",
    "=",
  ],
);

/** True when the program left something behind in its directory. */
async function leavesFile(
  directory: string,
  [program = "", ...rest]: readonly string[],
  timeout?: number,
): Promise<boolean> {
  const child = spawn(program, rest, { cwd: directory, stdio: "ignore", timeout });
  await once(child, "close");
  return (await readdir(directory)).length > 1;
}

async function emptyPlace(base: string, index: number): Promise<string> {
  const directory = join(base, String(index));
  await mkdir(directory);
  await writeFile(join(directory, "file"), "a [b] c\nsecond a\n");
  return directory;
}

test.each([
  { program: "sed", pieces: sedPieces, isPrinting: isPrintingSedScript },
  { program: "awk", pieces: awkPieces, isPrinting: isPrintingAwkProgram },
])("a $program program that is judged to only print leaves no file", async (given) => {
  const { program, pieces, isPrinting } = given;
  await using base = await temporaryDirectory();
  let index = 0;

  const scripts = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(scripts.filter(isPrinting), async (script) => {
      const directory = await emptyPlace(base.path, index++);
      // A script may loop for ever. One that is ended too early is only a weaker example.
      return !(await leavesFile(directory, [program, script, "file"], 2_000));
    }),
    { numRuns: 80 },
  );
});

test.each([
  ["sed", "w out"],
  ["sed", "1e touch out"],
  ["sed", "s/a/b/w out"],
  ["awk", '{ print > "out" }'],
  ["awk", 'BEGIN { system("touch out") }'],
])("%s %j, which writes a file, is not judged to only print", async (program, script) => {
  await using base = await temporaryDirectory();
  const directory = await emptyPlace(base.path, 0);

  expect(await leavesFile(directory, [program, script, "file"])).toBe(true);
  const isPrinting = program === "sed" ? isPrintingSedScript : isPrintingAwkProgram;
  expect(isPrinting(script)).toBe(false);
});
