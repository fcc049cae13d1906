import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { readCursor } from "../src/mailbox/mail-cursor.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { type Habit, type Phase, phaseLetters, takenIn } from "./desk.ts";
import { type Tally, tallyLetters } from "./letters.ts";
import { Program } from "./processes.ts";
import type { Random } from "./random.ts";

const historyBytes = 64 * 1024 * 1024;

export interface CrowdOptions {
  writers: number;
  lettersEach: number;
  /** In characters, or a mixture of all sizes. */
  letterSize?: number | "mixed";
  rotateBytes: number;
  historyBytes?: number;
  habit?: Habit | "truncates" | "skips-torn";
  writerKind?: "right" | "naive";
  /** How many letters a writer sends before it yields. */
  burst: number;
}

/** Many processes write while one reads, rotates, and keeps up. */
export async function runCrowd(options: CrowdOptions): Promise<Tally & { rotations: number }> {
  await using directory = await temporaryDirectory();
  const team = await prepareTeam(directory.path);
  await using reader = startReader(team, options);
  const { writers, lettersEach, letterSize = "mixed", writerKind = "right", burst } = options;
  const names = Array.from({ length: writers }, (_, index) => `writer${index}`);
  await growth(join(team, "phases"), 1);
  const crowd = names.map((name) => {
    const given = [team, name, 0, lettersEach, letterSize, burst, writerKind];
    return Program.start({ name: "mail-writer", arguments: given });
  });
  await Promise.all(crowd.map((writer) => writer.ended()));
  reader.finish();
  await reader.ended();

  const cursor = await readCursor(join(team, "inbox", ".ada", "cursor"));
  return { ...(await tallyTeam(team, names)), rotations: (cursor?.generation ?? 1) - 1 };
}

export interface KillOptions {
  kills: number;
  random: Random;
  habit?: Habit;
  /** The phases that every other kill is aimed at. */
  aims?: readonly Phase[];
}

export interface ReaderKillTally extends Tally {
  kills: number;
  /** Kills between `unread` and the transcript: letters that an acknowledge-first reader loses. */
  killsBeforeKept: number;
  /** Kills between the transcript and the cursor: letters that a forgetful reader shows twice. */
  killsBeforeAcknowledged: number;
}

/** Two processes write all the time, while the reader is killed repeatedly. */
export async function killReaders(options: KillOptions): Promise<ReaderKillTally> {
  const { kills, random, habit = "right", aims = ["read", "kept"] } = options;
  await using directory = await temporaryDirectory();
  const team = await prepareTeam(directory.path);
  await using bob = startWriter(team, { name: "bob" });
  await using eve = startWriter(team, { name: "eve" });
  const hits = { killsBeforeKept: 0, killsBeforeAcknowledged: 0 };
  for (let kill = 0; kill < kills; kill++) {
    await using reader = startReader(team, { habit, rotateBytes: 20_000 });
    await growth(join(team, "phases"), 1 + random.below(100));
    if (kill % 2 === 1) await lastLetter(join(team, "phases"), phaseLetters[random.pick(aims)]);
    await reader.kill();
    const phase = (await readFile(join(team, "phases"), "utf8")).at(-1);
    if (phase === phaseLetters.read) hits.killsBeforeKept++;
    if (phase === phaseLetters.kept) hits.killsBeforeAcknowledged++;
  }
  await Promise.all([bob.kill(), eve.kill()]);
  await finishReading(team, habit);
  return { ...(await tallyTeam(team, ["bob", "eve"])), kills, ...hits };
}

export interface WriterKillOptions {
  kills: number;
  random: Random;
  habit?: "right" | "skips-torn";
}

export interface WriterKillTally extends Tally {
  kills: number;
  /** Kills between the write and the return of `append`. */
  killsBeforeReturn: number;
  /** Kills in the middle of a write. Only the correct reader reports them. */
  tornLines: number;
}

/**
 * One process reads all the time, while the writer is killed repeatedly: at any moment, when a
 * write is visible, and in the middle of a write, in turn.
 */
export async function killWriters(options: WriterKillOptions): Promise<WriterKillTally> {
  const { kills, random, habit = "right" } = options;
  await using directory = await temporaryDirectory();
  const team = await prepareTeam(directory.path);
  await using reader = startReader(team, { habit, rotateBytes: 5_000_000 });
  for (let kill = 0; kill < kills; kill++) {
    const first = kill * 1_000_000;
    if (kill % 3 === 2) {
      await dieWriting(team, first);
      continue;
    }
    await using writer = startWriter(team, { name: "bob", first, size: 256 * 1024 });
    await growth(join(team, "sent-bob"), 20 + random.below(200));
    // The visible write is in progress or has just ended.
    if (kill % 3 === 1) spinUntilGrowth(join(team, "inbox", "ada.jsonl"));
    await writer.kill();
  }
  reader.finish();
  await reader.ended();

  const tally = await tallyTeam(team, ["bob"]);
  const quarantine = join(team, "inbox", ".ada", "quarantine.jsonl");
  const tornLines = existsSync(quarantine)
    ? readFileSync(quarantine, "utf8").split("\n").length - 1
    : 0;
  const killsBeforeReturn = tally.seen - (tally.sent - tally.lost);
  return { ...tally, kills, killsBeforeReturn, tornLines };
}

/** A kill rarely hits the write itself: this writer is killed when half of its line is written. */
async function dieWriting(team: string, first: number): Promise<void> {
  const given = [team, "bob", first, first + 5, 256 * 1024, 8, "dies-writing"];
  await using writer = Program.start({ name: "mail-writer", arguments: given });
  if (await writer.hasSucceeded()) throw new Error("The writer was not killed");
}

export interface BacklogOptions {
  letters: number;
  /** The memory limit of the reader's objects. */
  heapMb: number;
  habit?: "right" | "truncates";
}

/** Many letters wait; a reader with little memory reads them. Undefined if it ran out of memory. */
export async function readBacklog(options: BacklogOptions): Promise<Tally | undefined> {
  const { letters, heapMb, habit = "right" } = options;
  await using directory = await temporaryDirectory();
  const team = await prepareTeam(directory.path);
  await using writer = Program.start({
    name: "mail-writer",
    arguments: [team, "bob", 0, letters, 800, letters, "right"],
  });
  await writer.ended();
  await using reader = Program.start({
    name: "mail-reader",
    arguments: [team, habit, 1024 * 1024, historyBytes],
    nodeOptions: [`--max-old-space-size=${heapMb}`],
    isQuiet: true,
  });
  reader.finish();
  const hasEnded = await reader.hasSucceeded();
  return hasEnded ? await tallyTeam(team, ["bob"]) : undefined;
}

async function finishReading(team: string, habit: Habit): Promise<void> {
  await using reader = startReader(team, { habit, rotateBytes: 20_000 });
  reader.finish();
  await reader.ended();
}

async function prepareTeam(directory: string): Promise<string> {
  await mkdir(join(directory, "inbox"));
  await mkdir(join(directory, "transcripts"));
  return directory;
}

type ReaderOptions = Pick<CrowdOptions, "habit" | "rotateBytes" | "historyBytes">;

function startReader(team: string, options: ReaderOptions): Program {
  const { habit = "right", rotateBytes } = options;
  const given = [team, habit, rotateBytes, options.historyBytes ?? historyBytes];
  return Program.start({ name: "mail-reader", arguments: given });
}

interface WriterOptions {
  name: string;
  first?: number;
  size?: number;
}

/** A writer that runs until it is killed. */
function startWriter(team: string, options: WriterOptions): Program {
  const { name, first = 0, size = 150 } = options;
  const given = [team, name, first, Number.MAX_SAFE_INTEGER, size, 8, "right"];
  return Program.start({ name: "mail-writer", arguments: given });
}

/** Resolves when the file at `path` has grown by this many bytes. */
async function growth(path: string, bytes: number): Promise<void> {
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const end = size() + bytes;
  while (size() < end) await setTimeout(1);
}

/** Returns at the moment when the file at `path` grows, without letting anything else run. */
function spinUntilGrowth(path: string): void {
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const deadlineMs = performance.now() + 1000;
  let before = size();
  for (let now = before; now <= before && performance.now() < deadlineMs; now = size())
    before = now;
}

/** Resolves at a moment when the file at `path` ends with `letter`. */
async function lastLetter(path: string, letter: string): Promise<void> {
  const file = await open(path);
  try {
    for (;;) {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
      if (buffer.toString() === letter) return;
    }
  } finally {
    await file.close();
  }
}

async function tallyTeam(team: string, names: readonly string[]): Promise<Tally> {
  const sent = names.flatMap((name) => {
    return readFileSync(join(team, `sent-${name}`), "utf8")
      .split("\n")
      .slice(0, -1);
  });
  return tallyLetters({ sent: new Set(sent), seen: takenIn(team) });
}
