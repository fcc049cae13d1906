import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { lettersOf, withDue } from "./letters.ts";
import { recordsOfTeam } from "./records.ts";
import { RichTeam } from "./rich-team.ts";
import { startHere } from "./start.ts";
import { type Control, type TrialOutcome, tryOnce } from "./trial.ts";

export interface DamageOptions {
  seed: number;
  trials: number;
  /** The directory of a team that an earlier run has kept. */
  team?: string | undefined;
  /** Where to keep the team if a trial shows a fault. */
  keep?: string | undefined;
  control?: Control | undefined;
  /** Called for every trial with a fault, with unreported damage, or with a refused start. */
  say(line: string): void;
}

export interface DamageCounts extends Record<string, number> {
  trials: number;
  damages: number;
  rested: number;
  declined: number;
  wholeLetters: number;
  /** Messages that are missing from a conversation that reports a gap. */
  named: number;
  /**
   * Damaged files that could not be reported, because the records about them were damaged as well.
   */
  unwitnessed: number;
  /** Damaged files that were not reported. */
  untold: number;
  /** Requests that a provider would refuse. */
  refused: number;
  /** Trials that showed a fault. */
  faulty: number;
}

/** Creates a team with many kinds of records, then damages and starts copies of it. */
export async function damageTeams(options: DamageOptions): Promise<DamageCounts> {
  const { seed, trials, control, say } = options;
  await using directory = await temporaryDirectory();
  await using team = await (options.team
    ? RichTeam.again(directory.path, options.team)
    : RichTeam.make(directory.path));
  await team.renew();
  const records = await recordsOfTeam(team);
  const all = await lettersOf(team);
  const { said } = await startHere(team);
  // Reports without any damage would hide a missing report.
  if (/\.team\/|\/heads\//.test(said))
    throw new Error(`Told of a team that nobody damaged: ${said}`);
  const letters = withDue(all, team.server.requests);
  const counts = noCounts();
  for (let trial = 0; trial < trials; trial++) {
    const own = seed + trial;
    const isProcess = own % 10 === 0;
    const outcome = await tryOnce({ team, letters, records, seed: own, isProcess, control });
    count(counts, outcome);
    for (const line of linesOf(outcome)) say(`seed ${own}: ${line}`);
  }
  if (options.keep && counts.faulty + counts.untold > 0) await team.keep(options.keep);
  return counts;
}

function noCounts(): DamageCounts {
  const starts = { trials: 0, damages: 0, rested: 0, declined: 0 };
  return { ...starts, wholeLetters: 0, named: 0, unwitnessed: 0, untold: 0, refused: 0, faulty: 0 };
}

function count(counts: DamageCounts, outcome: TrialOutcome): void {
  counts.trials++;
  counts.damages += outcome.damages.length;
  counts.wholeLetters += outcome.whole;
  counts.named += outcome.named;
  counts.unwitnessed += outcome.unwitnessed;
  counts.untold += outcome.untold.length;
  if (outcome.start.type === "rested") counts.rested++;
  if (outcome.start.type === "declined") counts.declined++;
  counts.refused += outcome.faults.filter((fault) => fault.startsWith("refused: ")).length;
  if (outcome.faults.length > 0) counts.faulty++;
}

function linesOf({ damages, start, faults, untold }: TrialOutcome): string[] {
  const what = damages.map(({ path, kind, detail }) => `${path}, ${kind} (${detail})`).join("; ");
  const declined = start.type === "declined" ? [`declined: ${start.reason}`] : [];
  const quiet = untold.map((path) => `untold: ${path}`);
  return [...faults, ...declined, ...quiet].map((line) => `${line} | after ${what}`);
}
