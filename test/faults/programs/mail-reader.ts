/**
 * Runs Ada: `mail-reader.ts <directory> <habit> <rotate bytes> <history bytes>`. It takes mail in,
 * and ends after its input has ended and no mail is left. How far it has come is in
 * `<directory>/phases`, a letter each, so that whoever kills it can tell where that hit.
 *
 * The habit `truncates` is the naive design: read all, keep it, empty the file. The habit
 * `skips-torn` goes on where it was, and passes over every line that is not JSON.
 */
import { fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Desk, Habit, phaseLetters, transcriptPath } from "../../../soak/desk.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { appendLines, toLines } from "../../../src/lib/json-lines.ts";

const [directory = "", habit = "", rotateBytes, historyBytes] = process.argv.slice(2);
const phases = openSync(join(directory, "phases"), "a");
let isEnding = false;
process.stdin.on("end", () => {
  isEnding = true;
});
process.stdin.resume();

const drain = await drainFor(habit);
writeSync(phases, "o");
for (;;) {
  const wasEnding = isEnding;
  if ((await drain()) > 0) continue;
  if (wasEnding) break;
  await setTimeout(2);
}
process.exit(0);

async function drainFor(habit: string): Promise<() => Promise<number>> {
  if (habit === "truncates") return truncatingDrain();
  if (habit === "skips-torn") return skippingDrain();
  return await rightDrain(Habit.parse(habit));
}

async function rightDrain(habit: Habit): Promise<() => Promise<number>> {
  const limits = { rotateBytes: Number(rotateBytes), historyBytes: Number(historyBytes) };
  const desk = await Desk.open({ directory, clock: systemClock, habit, limits });
  return () => desk.drain((phase) => writeSync(phases, phaseLetters[phase]));
}

function truncatingDrain(): () => Promise<number> {
  const path = join(directory, "inbox", "ada.jsonl");
  const log = openSync(path, "a+");
  return async () => {
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    keep(lines.map((line) => JSON.parse(line)));
    ftruncateSync(log);
    return lines.length;
  };
}

function skippingDrain(): () => Promise<number> {
  const log = openSync(join(directory, "inbox", "ada.jsonl"), "a+");
  let offset = 0;
  return async () => {
    const unread = Buffer.alloc(fstatSync(log).size - offset);
    readSync(log, unread, 0, unread.length, offset);
    const end = unread.lastIndexOf("\n") + 1;
    const lines = unread.toString("utf8", 0, end).split("\n").slice(0, -1);
    keep(lines.flatMap(parseWhole));
    offset += end;
    return lines.length;
  };
}

function parseWhole(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function keep(messages: readonly unknown[]): void {
  const at = new Date().toISOString();
  const position = { generation: 1, offset: 0 };
  const entries = messages.map((message) => ({ type: "delivery", at, message, position }));
  appendLines(transcriptPath(directory), toLines(entries));
}
