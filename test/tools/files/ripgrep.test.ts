import { execFileSync } from "node:child_process";
import { truncate } from "node:fs/promises";
import { expect, test } from "vitest";
import { runHostProgram } from "../../../src/processes/host-program.ts";
import { listFiles } from "../../../src/tools/files/list-files.ts";
import { type RipgrepEnd, runRipgrep } from "../../../src/tools/files/ripgrep.ts";
import { searchFiles } from "../../../src/tools/files/search-files.ts";
import { Scene } from "../../workspace/fixture.ts";

const runner = { runProgram: runHostProgram };
const lineCount = 200_000;
const lines = { "many.txt": "needle\n".repeat(lineCount) };
const fileCount = 1500;
const files = Object.fromEntries(
  // More than a pipe holds: ripgrep cannot be through when the first are read.
  Array.from({ length: fileCount }, (_, index) => [`${"n".repeat(240)}-${index}`, ""]),
);

test("a text search that is stopped in the middle ends, and ripgrep with it", async () => {
  await using scene = await Scene.open(lines);
  // What follows the lines is longer than anybody could wait for.
  await truncate(scene.path("many.txt"), 2 ** 40);

  expect(await stopAtFirst((...search) => findText(scene, ...search))).toEqual({
    end: { type: "aborted" },
    ranBefore: 1,
    runsAfter: 0,
  });
});

test("a file search that is stopped in the middle ends, and ripgrep with it", async () => {
  await using scene = await Scene.open(files);

  expect(await stopAtFirst((...search) => findFiles(scene, ...search))).toEqual({
    end: { type: "aborted" },
    ranBefore: 1,
    runsAfter: 0,
  });
});

test.each([
  ["text", lines, lineCount, findText],
  ["files", files, fileCount, findFiles],
])(
  "control: a search for %s that is not stopped finds everything",
  async (_, content, count, find) => {
    await using scene = await Scene.open(content);
    let found = 0;

    const end = await find(scene, new AbortController().signal, () => found++);

    expect(end).toEqual({ type: "done" });
    expect(found).toBe(count);
  },
);

test("a program that cannot be started is a failure with a hint", async () => {
  const end = await runRipgrep({
    runner,
    arguments: ["x".repeat(200_000)],
    cwd: "/",
    signal: AbortSignal.any([]),
    onOutput: () => true,
  });

  expect(end).toEqual({
    type: "failed",
    message: expect.stringMatching(/could not be started \(.*E2BIG\)\. End commands/),
  });
});

test("many searches that wait for one signal cause no leak warning of Node", async () => {
  await using scene = await Scene.open({ "a.txt": "needle" });
  const member = await scene.member();
  const { signal } = new AbortController();
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);

  await Promise.all(
    Array.from({ length: 30 }, () => member.call("grep", { pattern: "needle" }, signal)),
  );
  await new Promise((resolve) => setImmediate(resolve));

  process.off("warning", note);
  expect(warnings).toEqual([]);
});

async function stopAtFirst(
  find: (signal: AbortSignal, onFound: () => void) => Promise<RipgrepEnd>,
): Promise<{ end: RipgrepEnd; ranBefore: number; runsAfter: number }> {
  const stop = new AbortController();
  let ranBefore = 0;
  const end = await find(stop.signal, () => {
    if (!stop.signal.aborted) ranBefore = countRipgreps();
    stop.abort();
  });
  return { end, ranBefore, runsAfter: countRipgreps() };
}

async function findText(
  scene: Scene,
  signal: AbortSignal,
  onFound: () => void,
): Promise<RipgrepEnd> {
  const area = await (await scene.workspace()).openSearch("many.txt");
  if (!area) throw new Error("There is nothing to search");
  await using _ = area.directory;
  const onMatch = () => {
    onFound();
    return true;
  };
  const options = {
    runner,
    pattern: "needle",
    area,
    excluded: [],
    glob: undefined,
    signal,
    onMatch,
  };
  return await searchFiles(options);
}

async function findFiles(
  scene: Scene,
  signal: AbortSignal,
  onFound: () => void,
): Promise<RipgrepEnd> {
  const area = await (await scene.workspace()).openSearch(".");
  if (!area) throw new Error("There is nothing to search");
  await using directory = area.directory;
  const onFile = () => {
    onFound();
    return true;
  };
  return await listFiles({ runner, directory, excluded: [], signal, onFile });
}

/** The living ones that this process has started. */
function countRipgreps(): number {
  const table = execFileSync("ps", ["-A", "-o", "ppid=,stat=,comm="], { encoding: "utf8" });
  return table.split("\n").filter((line) => {
    const [parent, state = "Z", program = ""] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && !state.startsWith("Z") && /\brg$/.test(program);
  }).length;
}
