import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { lettersOf } from "./letters.ts";
import { recordsOfTeam } from "./records.ts";
import { RichTeam } from "./rich-team.ts";
import { type TrialOutcome, tryOnce } from "./trial.ts";

export interface DamageOptions {
  seed: number;
  trials: number;
  /** Told of every trial that showed a fault, and of damages that nobody was told of. */
  say(line: string): void;
}

export interface DamageCounts extends Record<string, number> {
  trials: number;
  damages: number;
  rested: number;
  declined: number;
  wholeLetters: number;
  untold: number;
  /** Trials that showed anything that must not be. */
  faulty: number;
}

/** Makes a rich team, and then damages and starts copies of it. */
export async function damageTeams({ seed, trials, say }: DamageOptions): Promise<DamageCounts> {
  await using directory = await temporaryDirectory();
  await using team = await RichTeam.make(directory.path);
  await team.renew();
  const letters = await lettersOf(team);
  const records = await recordsOfTeam(team);
  const counts = {
    trials,
    damages: 0,
    rested: 0,
    declined: 0,
    wholeLetters: 0,
    untold: 0,
    faulty: 0,
  };
  for (let trial = 0; trial < trials; trial++) {
    const isProcess = trial % 10 === 0;
    const outcome = await tryOnce({ team, letters, records, seed: seed + trial, isProcess });
    counts.damages += outcome.damages.length;
    counts.wholeLetters += outcome.whole;
    counts.untold += outcome.untold.length;
    if (outcome.start.type === "rested") counts.rested++;
    if (outcome.start.type === "declined") counts.declined++;
    if (outcome.faults.length > 0) counts.faulty++;
    for (const line of linesOf(outcome)) say(`trial ${trial}: ${line}`);
  }
  return counts;
}

function linesOf({ damages, start, faults, untold }: TrialOutcome): string[] {
  const what = damages.map(({ path, kind, detail }) => `${path}, ${kind} (${detail})`).join("; ");
  const declined = start.type === "declined" ? [`declined: ${start.reason}`] : [];
  const quiet = untold.map(({ path, kind }) => `untold: ${path}, ${kind}`);
  return [...faults, ...declined, ...quiet].map((line) => `${line} | after ${what}`);
}
