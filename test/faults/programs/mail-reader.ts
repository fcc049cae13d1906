/**
 * Runs Ada: `mail-reader.ts <directory> <habit> <rotate bytes> <history bytes>`. It takes mail in,
 * and ends after its input has ended and no mail is left. How far it has come is in
 * `<directory>/phases`, a letter each, so that whoever kills it can tell where that hit.
 *
 * The habit `truncates` is the naive design: read all, keep it, empty the file.
 */
import { ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
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

const drain = habit === "truncates" ? naiveDrain() : await rightDrain(Habit.parse(habit));
writeSync(phases, "o");
for (;;) {
  const wasEnding = isEnding;
  if ((await drain()) > 0) continue;
  if (wasEnding) break;
  await setTimeout(2);
}
process.exit(0);

async function rightDrain(habit: Habit): Promise<() => Promise<number>> {
  const limits = { rotateBytes: Number(rotateBytes), historyBytes: Number(historyBytes) };
  const desk = await Desk.open({ directory, clock: systemClock, habit, limits });
  return () => desk.drain((phase) => writeSync(phases, phaseLetters[phase]));
}

function naiveDrain(): () => Promise<number> {
  const path = join(directory, "inbox", "ada.jsonl");
  const log = openSync(path, "a+");
  return async () => {
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    const at = new Date().toISOString();
    const position = { generation: 1, offset: 0 };
    const entries = lines.map((line) => {
      return { type: "delivery", at, message: JSON.parse(line), position };
    });
    appendLines(transcriptPath(directory), toLines(entries));
    ftruncateSync(log);
    return lines.length;
  };
}
