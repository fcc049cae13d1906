import { mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { hasErrno, TeamError } from "../../errors.ts";
import { exitCodes } from "../../team/exit-code.ts";
import type { Command, Io } from "../command.ts";
import { DemoPlayer } from "../demo/demo-player.ts";
import { story } from "../demo/story.ts";
import { oneLine } from "../render/one-line.ts";

const Flags = z.object({ dir: z.string().min(1).optional() });

export const demo: Command = {
  name: "demo",
  group: "run",
  summary: "Watch a team at work in a scratch directory; needs no key, network or setup",
  parameters: [],
  options: {
    dir: { takes: "<directory>", summary: "a new or empty directory (default: a temporary one)" },
  },
  examples: [
    { call: "troupe demo", does: "watch it, then look at the files it lists at the end" },
    { call: "troupe demo --dir try-troupe", does: "keep everything in a directory of your choice" },
  ],
  notes: [
    "The built-in rehearsal model plays every member. The demo checks itself and exits 1 if a step did not do what it says.",
  ],

  async run({ values }, io) {
    const { dir } = Flags.parse(values);
    const directory = await scratchDirectory(dir && resolve(io.processInfo.cwd, dir));
    for (const line of opening(directory)) io.out(line);
    const wrong = await perform(directory, io);
    if (io.signal.aborted) {
      io.err(oneLine(`The demo was stopped. What it has done so far is in ${directory}`));
      return exitCodes.unfinished;
    }
    if (wrong.length > 0) {
      for (const claim of wrong) io.err(oneLine(`The demo did not do what it says: ${claim}`));
      io.err(oneLine(`Its files are in ${directory}`));
      return exitCodes.error;
    }
    // `npm run demo` of a clone, where nothing is installed.
    const isInstalled = io.processInfo.env.npm_lifecycle_event === undefined;
    for (const line of ending(directory, isInstalled)) io.out(line);
    return exitCodes.done;
  },
};

/**
 * Returns the claims that failed. Later acts build on earlier ones, so the first failure ends the
 * demo.
 */
async function perform(directory: string, io: Io): Promise<string[]> {
  await using team = await io.openTeam({
    model: "rehearsal",
    mode: "default",
    cwd: directory,
    teamDir: join(directory, ".team"),
    denies: false,
  });
  const player = new DemoPlayer(team, directory, io);
  for (const [index, act] of story.entries()) {
    const wrong = await player.play(act, index + 1);
    if (wrong.length > 0 || io.signal.aborted) return wrong;
  }
  return [];
}

function opening(directory: string): string[] {
  return [
    "This is a rehearsal: a built-in player, not a language model, answers for every member.",
    "The mail, the tasks, the files and the questions are real.",
    oneLine(`They are in ${directory}`),
  ];
}

function ending(directory: string, isInstalled: boolean): string[] {
  const prompts = story.slice(0, 1).map(({ prompt }) => `  > ${prompt}`);
  return [
    "",
    "All of that happened, and was checked. Look around:",
    `  cd ${shellWord(directory)}`,
    "  troupe team           the members and their status",
    "  troupe messages       what they wrote to each other",
    "  troupe tasks          the board",
    "  troupe log bob        what bob did, step by step",
    "  ls -a . .team         the files",
    `From anywhere else: troupe team --team-dir ${shellWord(join(directory, ".team"))}`,
    "",
    "Continue there yourself, still without a key:",
    "  troupe --model rehearsal",
    ...prompts,
    "docs/tutorial.md has more prompts. With a language model you can ask for anything:",
    "  export ANTHROPIC_API_KEY=…",
    "  troupe",
    ...(isInstalled
      ? []
      : [
          "To install the command troupe, run this in the clone: npm install -g --ignore-scripts .",
        ]),
  ];
}

/** A path, quoted for the shell if needed. */
function shellWord(path: string): string {
  const shown = oneLine(path);
  return /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

/** A temporary directory, or `chosen` if that is new or empty. */
async function scratchDirectory(chosen: string | undefined): Promise<string> {
  if (chosen === undefined) return realpath(await mkdtemp(join(tmpdir(), "troupe-demo-")));
  if ((await entriesOf(chosen)).length > 0) {
    throw new TeamError("usage-wrong", `${chosen} is not empty`, {
      hint: "The demo writes files: choose a new or empty directory, or omit --dir.",
    });
  }
  await mkdir(chosen, { recursive: true });
  return realpath(chosen);
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    if (!hasErrno(error, "ENOTDIR")) throw error;
    throw new TeamError("usage-wrong", `${directory} is not a directory`, {
      cause: error,
      hint: "Choose a new or empty directory, or omit --dir.",
    });
  }
}
