import { firstCharacters } from "../../lib/cut-text.ts";
import { jsonText } from "../../lib/json-text.ts";
import type { Happening } from "./happening.ts";
import { Happening as HappeningSchema } from "./happening.ts";
import type { Reading } from "./reading.ts";

/** So many of the newest happenings that were answered are kept, and texts up to this length. */
const keptHappenings = 30;
const keptCharacters = 1_000;

const marker = "What happened, one thing a line:";

/** What the player must know of a conversation that is given up: it reads it back itself. */
export function writeSummary({ past, scene }: Reading): string {
  const kept = [...past.slice(-keptHappenings), ...scene].filter(({ type }) => type !== "note");
  return [marker, ...kept.map((happening) => JSON.stringify(shortened(happening)))].join("\n");
}

/** The happenings in a summary that `writeSummary` has made; any other is only a note. */
export function readSummary(text: string): Happening[] {
  const lines = text.split("\n");
  const begin = lines.indexOf(marker);
  if (begin === -1) return [{ type: "note", text }];
  return lines.slice(begin + 1).flatMap((line) => {
    const parsed = Line.safeParse(line);
    return parsed.success ? [parsed.data] : [];
  });
}

const Line = jsonText(HappeningSchema);

function shortened(happening: Happening): Happening {
  const text = firstCharacters(happening.text, keptCharacters);
  if (happening.type !== "reply") return { ...happening, text };
  const calls = happening.calls.map((call) => ({
    ...call,
    output: firstCharacters(call.output, keptCharacters),
  }));
  return { ...happening, text, calls };
}
